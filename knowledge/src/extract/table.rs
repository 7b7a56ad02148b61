//! Reads values separated by commas and similar characters.

use super::flow::Flow;
use super::pages::{Outcome, Pages};
use super::text::decode;

/// Reads a table. The separator is detected unless it is given.
pub(super) fn read(bytes: &[u8], separator: Option<u8>, pages: &mut Pages) -> Outcome {
    let text = decode(bytes, None);
    // Excel's own way to declare the separator.
    let named = text.split('\n').next().and_then(|line| line.strip_prefix("sep="));
    let (text, separator) = match named.map(|sign| sign.trim_end_matches('\r').as_bytes()) {
        Some([sign]) => (text.split_once('\n').map_or("", |(_, rest)| rest), *sign),
        _ => (text.as_str(), separator.unwrap_or_else(|| guess(&text))),
    };
    let mut reader = csv::ReaderBuilder::new();
    let mut reader =
        reader.delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let (mut record, mut flow, mut is_first) = (csv::StringRecord::new(), Flow::new(pages.room()), true);
    while reader.read_record(&mut record).unwrap_or(false) {
        let cells: Vec<String> = record.iter().map(|cell| cell.trim().to_owned()).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        flow.write_row(&cells, is_first);
        is_first = false;
        if flow.is_full() {
            return Err(pages.too_much_text());
        }
    }
    pages.push(None, flow.finish())
}

/// The separator that most often splits the first lines into the same number of cells.
fn guess(text: &str) -> u8 {
    let score = |sign: u8| {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader =
            reader.delimiter(sign).has_headers(false).flexible(true).from_reader(text.as_bytes());
        let widths: Vec<usize> = reader.records().take(20).flatten().map(|record| record.len()).collect();
        let most = widths.iter().copied().max().unwrap_or(0);
        let same = widths.iter().filter(|width| **width == most).count();
        if most > 1 { same * 100 / widths.len().max(1) * 10 + most.min(9) } else { 0 }
    };
    // Of equal scores, the last one wins.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(|sign| score(*sign)).unwrap_or(b',')
}
