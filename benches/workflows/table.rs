//! The one table that a run prints.

use crate::server::number;

#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 3]>,
}

impl Table {
    /// Adds one figure, with what is aimed at beside it.
    pub fn add(&mut self, what: &str, goal: &str, decimals: usize, value: f64) {
        eprintln!("  {what}: {value:.decimals$}");
        self.rows.push([what.to_owned(), number(value, decimals), goal.to_owned()]);
    }

    /// Prints the table as Markdown.
    pub fn print(&self) {
        println!("\n| | understudy | goal |\n|---|--:|---|");
        for [what, figure, goal] in &self.rows {
            println!("| {what} | {figure} | {goal} |");
        }
        println!();
    }
}
