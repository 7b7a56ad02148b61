//! The table of all sides.

use load::figure::{median, spread};
use load::server::number;

/// The rows of a table in the order in which they were first added.
pub struct Table {
    sides: Vec<&'static str>,
    rows: Vec<Row>,
}

struct Row {
    what: String,
    decimals: usize,
    /// Whether the ratio to the first side is shown.
    is_compared: bool,
    /// The values of each side, one of each round.
    values: Vec<Vec<f64>>,
}

impl Table {
    pub fn new(sides: Vec<&'static str>) -> Table {
        Table { sides, rows: Vec::new() }
    }

    /// Adds the value of a side in one round.
    pub fn add(&mut self, what: &str, side: usize, decimals: usize, is_compared: bool, value: f64) {
        eprintln!("  {what}: {value:.decimals$}");
        let at = self.rows.iter().position(|row| row.what == what).unwrap_or_else(|| {
            let values = vec![Vec::new(); self.sides.len()];
            self.rows.push(Row { what: what.to_owned(), decimals, is_compared, values });
            self.rows.len() - 1
        });
        self.rows[at].values[side].push(value);
    }

    /// Prints a Markdown table of the medians, with the smallest and the largest value of each. Ratios are computed within a round.
    pub fn print(&self) {
        println!("\n| | {} |\n|---|{}", self.sides.join(" | "), "--:|".repeat(self.sides.len()));
        for row in &self.rows {
            let cells: Vec<_> = row.values.iter().map(|values| cell(values, row.decimals)).collect();
            println!("| {} | {} |", row.what, cells.join(" | "));
            if row.is_compared {
                let ratios = row.values.iter().map(|values| {
                    let ratios: Vec<_> =
                        values.iter().zip(&row.values[0]).map(|(value, base)| value / base).collect();
                    cell(&ratios, 2)
                });
                println!(
                    "| the same, times that of the first side | {} |",
                    ratios.collect::<Vec<_>>().join(" | ")
                );
            }
        }
    }
}

fn cell(values: &[f64], decimals: usize) -> String {
    let (Some(middle), Some((least, greatest))) = (median(values), spread(values)) else {
        return String::new();
    };
    let [middle, least, greatest] = [middle, least, greatest].map(|value| number(value, decimals));
    if least == greatest { middle } else { format!("{middle} ({least} to {greatest})") }
}
