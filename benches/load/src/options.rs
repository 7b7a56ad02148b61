//! The command line of a benchmark.

use std::collections::HashMap;
use std::time::Duration;

use crate::Outcome;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Full,
    /// Less of everything, to try out a benchmark.
    Quick,
    /// Only the few workloads that a change has to pass, a few seconds each.
    Short,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Quick => "quick",
            Form::Short => "short",
        }
    }
}

pub struct Options {
    pub form: Form,
    /// Whether to fail when a ratio is much worse than the recorded one.
    pub check: bool,
    /// Whether to replace the recorded ratios.
    pub record: bool,
    /// Number of times that each workload is measured.
    pub rounds: usize,
    only: Vec<String>,
    values: HashMap<String, String>,
    /// The command-line arguments, unparsed.
    pub given: String,
}

impl Options {
    /// Parses command-line arguments. `more` names additional options, each of which takes a value.
    pub fn parse(arguments: &[String], more: &[&str]) -> Outcome<Options> {
        let given: Vec<&str> = arguments.iter().map(String::as_str).filter(|one| *one != "--bench").collect();
        let mut options = Options {
            form: Form::Full,
            check: false,
            record: false,
            rounds: 3,
            only: Vec::new(),
            values: HashMap::new(),
            given: given.join(" "),
        };
        let mut rest = given.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match *argument {
                "--quick" => options.form = Form::Quick,
                "--short" => options.form = Form::Short,
                "--check" => (options.form, options.check) = (Form::Short, true),
                "--record" => options.record = true,
                "--rounds" => options.rounds = value()?.parse()?,
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                other => match more.iter().find(|name| other.strip_prefix("--") == Some(name)) {
                    Some(name) => _ = options.values.insert((*name).to_owned(), value()?.to_string()),
                    None => return Err(format!("unknown argument {other}").into()),
                },
            }
        }
        Ok(options)
    }

    /// Whether the command line selects a workload.
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == workload)
    }

    /// The value of an additional option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of an additional option as a number. If the option is missing, the default depends on
    /// the form.
    pub fn number(&self, name: &str, full: u64, quick: u64) -> Outcome<u64> {
        match self.value(name) {
            Some(text) => Ok(text.replace('_', "").parse().map_err(|_| format!("--{name} is a number"))?),
            None => Ok(if self.form == Form::Full { full } else { quick }),
        }
    }

    /// A duration; the shorter forms use a quarter of it.
    pub fn lasting(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(if self.form == Form::Full { seconds } else { seconds / 4.0 })
    }

    /// A count; the shorter forms use a tenth of it.
    pub fn count(&self, number: u64) -> u64 {
        if self.form == Form::Full { number } else { number.div_ceil(10) }
    }
}
