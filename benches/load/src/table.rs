//! The table that a run prints.

use crate::figure::{Measured, median, spread};
use crate::server::number;

/// Prints a Markdown table: medians of the rounds, with the smallest and the largest value of each. Columns of the base are
/// omitted if it was not measured.
pub fn print(sides: [&str; 2], rows: &[Measured]) {
    let [base, subject] = sides;
    let compared = rows.iter().any(|row| !row.base.is_empty());
    match compared {
        true => println!("\n| | {base} | {subject} | ratio | goal |\n|---|--:|--:|--:|---|"),
        false => println!("\n| | {subject} | goal |\n|---|--:|---|"),
    }
    for measured in rows {
        let row = &measured.row;
        let subject = cell(&measured.subject, row.decimals);
        match compared {
            true => {
                let (base, mut ratio) = (cell(&measured.base, row.decimals), cell(&measured.ratios(), 2));
                if let Some(added) = median(&measured.added()).filter(|_| row.added) {
                    ratio += &format!("; {} added", number(added, row.decimals));
                }
                println!("| {} | {base} | {subject} | {ratio} | {} |", row.what, row.goal);
            }
            false => println!("| {} | {subject} | {} |", row.what, row.goal),
        }
    }
    println!();
}

/// Formats values as `median (smallest to largest)`.
fn cell(values: &[f64], decimals: usize) -> String {
    let (Some(middle), Some((least, greatest))) = (median(values), spread(values)) else {
        return String::new();
    };
    let [middle, least, greatest] = [middle, least, greatest].map(|value| number(value, decimals));
    if least == greatest { middle } else { format!("{middle} ({least} to {greatest})") }
}
