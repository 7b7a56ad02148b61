//! Writes tables as CSV.

use super::error::Api;
use domain::{Code, Refusal};

/// Leading characters that make spreadsheets interpret a cell as a formula, or as the end of the previous cell.
const FORMULAS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Prefixes a text with a single quotation mark if a spreadsheet could interpret it as a formula.
pub fn neutral(text: &str) -> std::borrow::Cow<'_, str> {
    match text.trim_start_matches(' ').starts_with(FORMULAS) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// A part of a table that is being written.
pub struct CsvPart(csv::Writer<Vec<u8>>);

impl Default for CsvPart {
    fn default() -> Self {
        Self(csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new()))
    }
}

impl CsvPart {
    /// Adds a line. Cells that could be interpreted as formulas are neutralized.
    pub fn line<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) -> Api<()> {
        let cells = cells.into_iter().map(neutral);
        let cells: Vec<_> = cells.collect();
        let written = self.0.write_record(cells.iter().map(|cell| cell.as_bytes()));
        written.map_err(|error| Refusal::new(Code::Internal).because(error))
    }

    /// Returns the CSV text written so far.
    pub fn into_bytes(self) -> Api<Vec<u8>> {
        self.0.into_inner().map_err(|error| Refusal::new(Code::Internal).because(error))
    }
}
