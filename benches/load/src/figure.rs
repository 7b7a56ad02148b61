//! Figures of workloads, and statistics over several rounds.

/// The two sides that a report compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The baseline: the bare proxy, or little data.
    Base,
    /// The system under test: this server, or the server with much data.
    Subject,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Base, Side::Subject];
}

/// The direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Lower,
    Higher,
}

/// Describes what a figure measures.
#[derive(Clone, Debug)]
pub struct Row {
    /// Identifies the row in results and records; stays the same when the wording of the table changes.
    pub name: String,
    /// The text in the table, with the unit at its end.
    pub what: String,
    pub better: Better,
    pub goal: &'static str,
    pub decimals: usize,
    /// Whether the goal limits what the subject adds to the base. The difference is then shown beside the
    /// ratio.
    pub added: bool,
}

impl Row {
    pub fn lower(name: impl Into<String>, what: impl Into<String>, decimals: usize) -> Row {
        Row { name: name.into(), what: what.into(), better: Better::Lower, goal: "", decimals, added: false }
    }

    pub fn higher(name: impl Into<String>, what: impl Into<String>, decimals: usize) -> Row {
        Row { better: Better::Higher, ..Row::lower(name, what, decimals) }
    }

    pub fn goal(self, goal: &'static str) -> Row {
        Row { goal, ..self }
    }

    /// Sets a goal for what the subject adds to the base.
    pub fn goal_added(self, goal: &'static str) -> Row {
        Row { goal, added: true, ..self }
    }

    /// Records one measurement of this row.
    pub fn is(self, value: f64) -> Figure {
        Figure { row: self, value }
    }
}

/// One measurement.
pub struct Figure {
    pub row: Row,
    pub value: f64,
}

/// The measurements of a row, one of each side in each round.
pub struct Measured {
    pub row: Row,
    pub base: Vec<f64>,
    pub subject: Vec<f64>,
}

impl Measured {
    pub fn new(row: Row) -> Measured {
        Measured { row, base: Vec::new(), subject: Vec::new() }
    }

    /// The subject's value divided by the base's value, for each round in which both were measured.
    pub fn ratios(&self) -> Vec<f64> {
        let pairs = self.base.iter().zip(&self.subject);
        pairs.filter(|(base, _)| **base > 0.0).map(|(base, subject)| subject / base).collect()
    }

    /// The subject's value minus the base's value, for each round.
    pub fn added(&self) -> Vec<f64> {
        self.base.iter().zip(&self.subject).map(|(base, subject)| subject - base).collect()
    }

    pub fn ratio(&self) -> Option<f64> {
        median(&self.ratios())
    }

    /// How many times worse the ratio is than another of the same row: 1.5 is 50 % worse.
    pub fn times_worse_than(&self, recorded: f64) -> Option<f64> {
        let ratio = self.ratio()?;
        Some(match self.row.better {
            Better::Lower => ratio / recorded,
            Better::Higher => recorded / ratio,
        })
    }
}

/// The middle value, or the mean of the two middle values if their number is even.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The smallest and the largest value.
pub fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().reduce(f64::max)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_the_median_of_the_rounds() {
        let measured =
            Measured { base: vec![10.0, 20.0, 10.0], subject: vec![30.0, 40.0, 90.0], ..of(Better::Lower) };
        assert_eq!(measured.ratios(), [3.0, 2.0, 9.0]);
        assert_eq!(measured.ratio(), Some(3.0));
        assert_eq!(measured.times_worse_than(2.0), Some(1.5));
    }

    #[test]
    fn times_worse_than_treats_a_lower_rate_as_worse() {
        let measured = Measured { base: vec![100.0], subject: vec![25.0], ..of(Better::Higher) };
        assert_eq!(measured.times_worse_than(0.5), Some(2.0));
    }

    #[test]
    fn median_and_spread_of_small_samples() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(spread(&[4.0, 1.0, 2.0]), Some((1.0, 4.0)));
    }

    fn of(better: Better) -> Measured {
        Measured::new(Row { better, ..Row::lower("row", "a row", 0) })
    }
}
