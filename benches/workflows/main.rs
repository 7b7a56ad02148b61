//! `cargo bench --bench workflows`: the real server, in a process of its own, with workflows to run,
//! and one table.
//!
//! The load generator shares the machine with the server. What is durable is what can be read back
//! over HTTP: steps are counted in journals, after they were timed.
//!
//! `-- --quick` for a tenth of everything, `-- --only steps,waiting` for some of the parts `runs`,
//! `steps`, `waiting` and `recovery`.

mod flow;
mod graphs;
#[path = "../server/mod.rs"]
#[allow(dead_code)]
mod server;
mod speed;
mod table;
mod waiting;

use std::process::ExitCode;
use std::time::Duration;

use server::{Outcome, raise_open_files};
use table::Table;

#[derive(Default)]
pub struct Options {
    quick: bool,
    only: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Outcome<Options> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--only" => {
                    let parts = rest.next().ok_or("--only needs a value")?;
                    options.only = parts.split(',').map(str::to_owned).collect();
                }
                "--bench" => {} // cargo adds it
                _ => return Err(format!("unknown argument {argument}").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == part)
    }

    /// A length of time, or a fifth of it in a quick run.
    fn lasting(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(if self.quick { seconds / 5.0 } else { seconds })
    }

    /// A count, or a tenth of it in a quick run.
    fn count(&self, number: u64) -> u64 {
        if self.quick { number / 10 } else { number }
    }
}

async fn measure(options: &Options) -> Outcome<Table> {
    let mut table = Table::default();
    if options.wants("runs") {
        speed::runs(options, &mut table).await?;
    }
    if options.wants("steps") {
        speed::steps(options, &mut table).await?;
    }
    if options.wants("waiting") {
        waiting::measure(options, &mut table).await?;
    }
    if options.wants("recovery") {
        speed::recovery(options, &mut table).await?;
    }
    Ok(table)
}

fn perform() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = Options::parse(&arguments)?;
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(&options))?.print();
    Ok(())
}

fn main() -> ExitCode {
    match perform() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("workflows: {fault}");
            ExitCode::FAILURE
        }
    }
}
