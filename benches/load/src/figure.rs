//! Figures of workloads, and what is computed from those of several rounds.

/// The two things that a report compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is compared with: the bare proxy, or little data.
    Base,
    /// What is measured: this server, or the server with much data.
    Subject,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Base, Side::Subject];
}

/// Which way a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Lower,
    Higher,
}

/// What a figure is a figure of.
#[derive(Clone, Debug)]
pub struct Row {
    /// Names the row in results and records; does not change when its wording does.
    pub name: String,
    /// What the table says, with the unit at its end.
    pub what: String,
    pub better: Better,
    pub goal: &'static str,
    pub decimals: usize,
    /// Whether the goal is about what the subject adds to the base, which is then shown beside the ratio.
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

    /// A goal for what the subject adds to the base.
    pub fn goal_added(self, goal: &'static str) -> Row {
        Row { goal, added: true, ..self }
    }

    /// One measurement of it.
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

    /// What the subject measured, divided by what the base did, for each round in which both were measured.
    pub fn ratios(&self) -> Vec<f64> {
        let pairs = self.base.iter().zip(&self.subject);
        pairs.filter(|(base, _)| **base > 0.0).map(|(base, subject)| subject / base).collect()
    }

    /// What the subject measured beyond the base, for each round.
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

/// The value in the middle; of an even number of them the mean of the two there.
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

/// The least and the greatest value.
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
    fn a_lower_rate_is_worse() {
        let measured = Measured { base: vec![100.0], subject: vec![25.0], ..of(Better::Higher) };
        assert_eq!(measured.times_worse_than(0.5), Some(2.0));
    }

    #[test]
    fn median_and_spread() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(spread(&[4.0, 1.0, 2.0]), Some((1.0, 4.0)));
    }

    fn of(better: Better) -> Measured {
        Measured::new(Row { better, ..Row::lower("row", "a row", 0) })
    }
}
