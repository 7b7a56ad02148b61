//! Runs workloads in rounds and reports the measurements.

use futures::future::LocalBoxFuture;

use crate::figure::{Figure, Measured, Side};
use crate::options::{Form, Options};
use crate::recorded::Recorded;
use crate::{Outcome, results, table};

/// One measurement of one side. Returns its figures, always the same rows in the same order.
pub type Measure<S> = for<'a> fn(&'a mut S, Side) -> LocalBoxFuture<'a, Outcome<Vec<Figure>>>;

/// Something that a server does under load.
pub struct Workload<S> {
    pub name: &'static str,
    /// The sides that it can measure.
    pub sides: &'static [Side],
    /// Rows whose ratio is compared with the recorded one in the short form. The short form skips a workload that has
    /// none.
    pub checked: &'static [&'static str],
    pub measure: Measure<S>,
}

/// How many times worse than the recorded ratio a ratio may be.
const TOLERANCE: f64 = 1.5;
/// Number of times that a workload beyond the tolerance is measured. Other load on the machine may be temporary.
const ATTEMPTS: usize = 3;

pub struct Report {
    bench: &'static str,
    /// The names of the two sides.
    sides: [&'static str; 2],
    options: Options,
    recorded: Recorded,
    rows: Vec<Measured>,
    /// Names of rows that are compared with recorded ratios in the short form.
    checked: Vec<&'static str>,
    /// Descriptions of the ratios that were worse than recorded.
    worse: Vec<String>,
}

impl Report {
    pub fn new(bench: &'static str, sides: [&'static str; 2], options: Options) -> Outcome<Report> {
        Ok(Report::beside(Recorded::read()?, bench, sides, options))
    }

    fn beside(recorded: Recorded, bench: &'static str, sides: [&'static str; 2], options: Options) -> Report {
        let (rows, checked, worse) = (Vec::new(), Vec::new(), Vec::new());
        Report { bench, sides, options, recorded, rows, checked, worse }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether this workload is part of this run.
    pub fn wants<S>(&self, workload: &Workload<S>) -> bool {
        let in_form = self.options.form != Form::Short || !workload.checked.is_empty();
        in_form && self.options.wants(workload.name)
    }

    /// Measures a workload if it is part of this run. Measures it up to two more times if it has become much worse.
    pub async fn measure<S>(&mut self, on: &mut S, workload: &Workload<S>) -> Outcome<()> {
        if !self.wants(workload) {
            return Ok(());
        }
        let mut best = self.rounds(on, workload).await?;
        for attempt in 2..=ATTEMPTS {
            if !self.options.check || self.worse_rows(workload, &best).is_empty() {
                break;
            }
            eprintln!("{}: worse than recorded; attempt {attempt}", workload.name);
            for again in self.rounds(on, workload).await? {
                if let Some(before) = best.iter_mut().find(|before| before.row.name == again.row.name)
                    && again
                        .ratio()
                        .and_then(|now| before.times_worse_than(now))
                        .is_some_and(|times| times > 1.0)
                {
                    *before = again;
                }
            }
        }
        if self.options.check {
            let worse = self.worse_rows(workload, &best);
            self.worse.extend(worse);
        }
        self.rows.extend(best);
        self.checked.extend(workload.checked);
        Ok(())
    }

    /// Runs all rounds of a workload; each round measures one side after the other.
    async fn rounds<S>(&self, on: &mut S, workload: &Workload<S>) -> Outcome<Vec<Measured>> {
        let mut rows: Vec<Measured> = Vec::new();
        for round in 1..=self.options.rounds {
            for side in workload.sides {
                eprintln!("{}, round {round}, {}", workload.name, self.sides[*side as usize]);
                for Figure { row, value } in (workload.measure)(on, *side).await? {
                    eprintln!("  {}: {value:.*}", row.what, row.decimals);
                    let at = rows.iter().position(|known| known.row.name == row.name).unwrap_or_else(|| {
                        rows.push(Measured::new(row));
                        rows.len() - 1
                    });
                    match side {
                        Side::Base => rows[at].base.push(value),
                        Side::Subject => rows[at].subject.push(value),
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Describes the checked rows of a workload that are much worse than recorded.
    fn worse_rows<S>(&self, workload: &Workload<S>, rows: &[Measured]) -> Vec<String> {
        let worse = workload.checked.iter().filter_map(|name| {
            let measured = rows.iter().find(|row| row.row.name == *name);
            let (name, ratio) = (self.name_of(name), measured.and_then(Measured::ratio));
            let (Some(measured), Some(ratio)) = (measured, ratio) else {
                return Some(format!("{name}: no ratio was measured"));
            };
            match self.recorded.ratio(&name) {
                Some(recorded) if measured.times_worse_than(recorded)? <= TOLERANCE => None,
                Some(recorded) => {
                    Some(format!("{name}: the ratio is {ratio:.2}, recorded was {recorded:.2}"))
                }
                None => Some(format!("{name}: the ratio is {ratio:.2}, and none is recorded")),
            }
        });
        worse.collect()
    }

    /// The key of a row among the recorded ones. It includes the form, because ratios of different forms are not
    /// comparable.
    fn name_of(&self, row: &str) -> String {
        format!("{}/{}/{row}", self.bench, self.options.form.name())
    }

    /// Prints the table and writes the results. Returns whether every checked ratio is within the tolerance.
    pub fn finish(mut self) -> Outcome<bool> {
        table::print(self.sides, &self.rows);
        results::write(self.bench, &self.options, self.sides, &self.rows)?;
        // The other rows of the short form vary too much to be meaningful.
        let short = self.options.form == Form::Short;
        let names = self.rows.iter().filter(|row| !short || self.checked.contains(&row.row.name.as_str()));
        let ratios: Vec<_> =
            names.filter_map(|row| Some((self.name_of(&row.row.name), row.ratio()?))).collect();
        if short {
            for (name, ratio) in &ratios {
                let recorded = self.recorded.ratio(name).map_or("none".to_owned(), |one| format!("{one:.2}"));
                println!("{name}: ratio {ratio:.2}, recorded {recorded}");
            }
        }
        if self.options.record {
            let command = format!("cargo bench --bench {} -- {}", self.bench, self.options.given);
            self.recorded.replace(&ratios, command.trim_end_matches([' ', '-']))?;
        }
        for worse in &self.worse {
            println!("worse: {worse}");
        }
        Ok(self.worse.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Row;

    /// The values that the subject measures, in reverse order; the base always measures 1.
    type Script = Vec<f64>;

    const SCRIPTED: Workload<Script> = Workload {
        name: "scripted",
        sides: &Side::BOTH,
        checked: &["cost"],
        measure: |script, side| {
            Box::pin(async move {
                let value =
                    if side == Side::Base { 1.0 } else { script.pop().ok_or("the script has ended")? };
                Ok(vec![Row::lower("cost", "cost", 0).is(value)])
            })
        },
    };

    /// Checks the scripted workload. Returns the ratios that are worse than recorded, and how many values of the script
    /// are left.
    fn check(recorded: &str, mut script: Script) -> (Vec<String>, usize) {
        let options = Options::parse(&["--check".to_owned(), "--rounds".to_owned(), "1".to_owned()], &[]);
        let recorded = Recorded::of([(recorded.to_owned(), json!({"ratio": 2.0}))]);
        let mut report = Report::beside(recorded, "bench", ["base", "subject"], options.expect("options"));
        futures::executor::block_on(report.measure(&mut script, &SCRIPTED)).expect("a measurement");
        (report.worse, script.len())
    }

    #[test]
    fn check_passes_a_ratio_less_than_50_percent_worse() {
        assert_eq!(check("bench/short/cost", vec![9.0, 3.0]), (vec![], 1));
    }

    #[test]
    fn check_takes_the_best_of_three_attempts() {
        assert_eq!(check("bench/short/cost", vec![9.0, 2.5, 3.5, 4.0]), (vec![], 1));
    }

    #[test]
    fn check_fails_if_the_ratio_stays_worse() {
        let worse = "bench/short/cost: the ratio is 3.10, recorded was 2.00".to_owned();
        assert_eq!(check("bench/short/cost", vec![9.0, 4.0, 3.1, 5.0]), (vec![worse], 1));
    }

    #[test]
    fn check_fails_without_a_recorded_ratio() {
        let worse = "bench/short/cost: the ratio is 1.00, and none is recorded".to_owned();
        assert_eq!(check("bench/full/cost", vec![1.0, 1.0, 1.0]), (vec![worse], 0));
    }
}
