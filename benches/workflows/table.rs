//! The table that a run of the benchmark prints.

use load::figure::Measured;
use load::{Options, Outcome, Row, results, table};

const SIDES: [&str; 2] = ["none", "understudy"];

#[derive(Default)]
pub struct Table {
    rows: Vec<Measured>,
}

impl Table {
    /// Adds one figure with its goal. A figure of a later round is added to the row of the earlier
    /// rounds.
    pub fn add(&mut self, what: &str, goal: &'static str, decimals: usize, value: f64) {
        eprintln!("  {what}: {value:.decimals$}");
        let at = self.rows.iter().position(|known| known.row.what == what).unwrap_or_else(|| {
            self.rows.push(Measured::new(Row::lower(what, what, decimals).goal(goal)));
            self.rows.len() - 1
        });
        self.rows[at].subject.push(value);
    }

    /// Prints the table as Markdown, and writes the results.
    pub fn finish(&self, options: &Options) -> Outcome<()> {
        table::print(SIDES, &self.rows);
        results::write("workflows", options, SIDES, &self.rows)
    }
}
