//! The one table that a run prints.

use crate::server::number;

/// What is measured, in the order of the columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The provider itself: what the load generator and the machine cost.
    Direct,
    Actix,
    Hyper,
    Understudy,
}

pub const SUBJECTS: [Subject; 4] = [Subject::Direct, Subject::Actix, Subject::Hyper, Subject::Understudy];

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Subject::Direct => "no proxy",
            Subject::Actix => "bare actix-web",
            Subject::Hyper => "bare hyper",
            Subject::Understudy => "understudy",
        }
    }
}

struct Row {
    what: String,
    goal: String,
    values: [Option<f64>; 4],
    decimals: usize,
}

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    pub faults: u64,
}

impl Table {
    /// Sets one figure; rows stand in the order in which they are first named.
    pub fn set(&mut self, what: &str, goal: &str, decimals: usize, subject: Subject, value: f64) {
        eprintln!("  {:>14}  {what}: {value:.decimals$}", subject.name());
        if !self.rows.iter().any(|row| row.what == what) {
            let row = Row { what: what.to_owned(), goal: goal.to_owned(), values: [None; 4], decimals };
            self.rows.push(row);
        }
        if let Some(row) = self.rows.iter_mut().find(|row| row.what == what) {
            row.values[subject as usize] = Some(value);
        }
    }

    /// Markdown. The last column but one divides this server's figure by the leaner proxy's: the
    /// one that does better, where both were measured.
    pub fn print(&self) {
        let names = SUBJECTS.map(Subject::name).join(" | ");
        println!("\n| | {names} | of the better proxy's | goal |\n|---|--:|--:|--:|--:|--:|---|");
        for row in &self.rows {
            let cells =
                row.values.map(|value| value.map_or("–".to_owned(), |value| number(value, row.decimals)));
            let proxies = [row.values[1], row.values[2]].into_iter().flatten();
            let better =
                if row.what.contains("/s") { proxies.reduce(f64::max) } else { proxies.reduce(f64::min) };
            let ratio = match (row.values[3], better) {
                (Some(ours), Some(theirs)) if theirs > 0.0 => format!("{:.2}", ours / theirs),
                _ => "–".to_owned(),
            };
            println!("| {} | {} | {ratio} | {} |", row.what, cells.join(" | "), row.goal);
        }
        println!();
    }
}
