//! Reads spreadsheets: one page per sheet, with its rows as a table.

use super::package::Package;
use crate::extract::flow::Flow;
use crate::extract::pages::{Outcome, Pages};
use crate::extract::{ExtractError, ExtractErrorKind as Kind};
use calamine::{Data, DataRef, ExcelDateTime, Reader, Xls, Xlsb, Xlsx, XlsxError};
use std::collections::BTreeSet;
use std::io::Cursor;

/// The maximum number of cells that are read from one sheet.
const MAX_CELLS: usize = 2_000_000;

/// The non-empty cells of a sheet, by row.
#[derive(Default)]
pub(super) struct Sheet {
    rows: Vec<(u32, Vec<(u32, String)>)>,
    cells: usize,
    bytes: usize,
}

impl Sheet {
    /// Adds a cell. Rows are expected in order.
    pub fn add(&mut self, row: u32, column: u32, text: String, pages: &Pages) -> Outcome {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.cells += 1;
        self.bytes += text.len();
        if self.bytes > pages.room() || self.cells > MAX_CELLS {
            return Err(pages.too_much_text());
        }
        match self.rows.last_mut() {
            Some((last, cells)) if *last == row => cells.push((column, text)),
            _ => self.rows.push((row, vec![(column, text)])),
        }
        Ok(())
    }

    /// Merges the cells of rows that did not arrive in order.
    fn gather(&mut self) {
        self.rows.sort_by_key(|(row, _)| *row);
        self.rows.dedup_by(|next, row| {
            let same = next.0 == row.0;
            if same {
                row.1.append(&mut next.1);
            }
            same
        });
    }

    /// Writes the sheet as a page.
    pub fn finish(mut self, name: String, pages: &mut Pages) -> Outcome {
        self.gather();
        let columns: BTreeSet<u32> =
            self.rows.iter().flat_map(|(_, cells)| cells.iter().map(|(at, _)| *at)).collect();
        let columns: Vec<u32> = columns.into_iter().collect();
        // In a sparse sheet, empty cells would hide the others.
        let is_dense = self.rows.len().saturating_mul(columns.len()) <= self.cells.saturating_mul(16);
        let mut flow = Flow::new(pages.room());
        let mut is_first = true;
        for (_, mut cells) in self.rows {
            cells.sort_by_key(|(column, _)| *column);
            let row: Vec<String> = match is_dense {
                true => {
                    let mut row = vec![String::new(); columns.len()];
                    for (column, text) in cells {
                        if let Ok(at) = columns.binary_search(&column) {
                            row[at] = text;
                        }
                    }
                    row
                }
                false => cells.into_iter().map(|(_, text)| text).collect(),
            };
            flow.write_row(&row, is_first);
            is_first = false;
            if flow.is_full() {
                return Err(pages.too_much_text());
            }
        }
        pages.push(Some(name), flow.finish())
    }
}

fn broken(why: impl std::fmt::Display) -> ExtractError {
    ExtractError::damaged(format!("the workbook is damaged: {why}"))
}

/// Reads a workbook of current Excel versions.
pub(in crate::extract) fn xlsx(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let mut package = Package::open(bytes)?;
    // The library unpacks without a limit, so the size is counted first.
    package.weigh(|name| name.ends_with(".xml") || name.ends_with(".rels"), pages)?;
    package.title(pages)?;
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(locked)?;
    for name in book.sheet_names() {
        let mut sheet = Sheet::default();
        let mut cells = match book.worksheet_cells_reader(&name) {
            Ok(cells) => cells,
            // A sheet that contains only a chart.
            Err(XlsxError::NotAWorksheet(_)) => continue,
            Err(why) => return Err(broken(why)),
        };
        while let Some(cell) = cells.next_cell_with_formula().map_err(broken)? {
            let text = match (borrowed(&cell.value), cell.formula) {
                // Programs that do not calculate store formulas without values.
                (text, Some(formula)) if text.is_empty() => format!("={formula}"),
                (text, _) => text,
            };
            sheet.add(cell.pos.0, cell.pos.1, text, pages)?;
        }
        sheet.finish(name, pages)?;
    }
    Ok(())
}

fn locked(why: XlsxError) -> ExtractError {
    match why {
        XlsxError::Password => ExtractError::encrypted(),
        why => broken(why),
    }
}

/// Reads a binary workbook of current Excel versions.
pub(in crate::extract) fn xlsb(bytes: &[u8], pages: &mut Pages) -> Outcome {
    Package::open(bytes)?.weigh(|name| name.starts_with("xl/"), pages)?;
    ranges(Xlsb::new(Cursor::new(bytes)).map_err(broken)?, pages)
}

/// Reads a binary workbook of old Excel versions.
pub(in crate::extract) fn xls(bytes: &[u8], pages: &mut Pages) -> Outcome {
    // The library follows sector chains without checks; fuzzing found chains that form a cycle or lead past the end.
    cfb::CompoundFile::open(Cursor::new(bytes)).map_err(broken)?;
    let book = Xls::new(Cursor::new(bytes)).map_err(|why| match why {
        calamine::XlsError::Password => ExtractError::encrypted(),
        why => broken(why),
    })?;
    ranges(book, pages)
}

fn ranges<'a, B: Reader<Cursor<&'a [u8]>>>(mut book: B, pages: &mut Pages) -> Outcome
where
    B::Error: std::fmt::Display,
{
    for name in book.sheet_names() {
        let range = book.worksheet_range(&name).map_err(broken)?;
        let mut sheet = Sheet::default();
        for (row, column, value) in range.used_cells() {
            let (row, column) = (u32::try_from(row), u32::try_from(column));
            let far = |_| ExtractError::new(Kind::TooLarge, "the sheet has too many rows");
            sheet.add(row.map_err(far)?, column.map_err(far)?, owned(value), pages)?;
        }
        sheet.finish(name, pages)?;
    }
    Ok(())
}

fn borrowed(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) => float(*value),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(value) => moment(value),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn owned(value: &Data) -> String {
    match value {
        Data::Int(value) => value.to_string(),
        Data::Float(value) => float(*value),
        Data::DateTime(value) => moment(value),
        other => other.to_string(),
    }
}

/// Formats a number with the fifteen digits of precision of spreadsheets.
fn float(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value}");
    }
    let rounded: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    format!("{rounded}")
}

/// Formats a date, a time, or both; a duration as hours.
fn moment(value: &ExcelDateTime) -> String {
    let number = value.as_f64();
    if !number.is_finite() || number.abs() > 1e7 {
        return float(number);
    }
    if value.is_duration() {
        let seconds = (number * 86_400.0).round() as i64;
        let sign = if seconds < 0 { "-" } else { "" };
        let seconds = seconds.unsigned_abs();
        return format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = value.to_ymd_hms_milli();
    let time = match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match () {
        () if (0.0..1.0).contains(&number) => time,
        () if number.fract() == 0.0 => format!("{year:04}-{month:02}-{day:02}"),
        () => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}
