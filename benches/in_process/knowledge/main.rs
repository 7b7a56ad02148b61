//! `cargo bench --bench knowledge`: search quality, speed and memory use of the indexes in this process, and
//! how many documents per second the real server indexes.
//!
//! The questions and documents of the first table are in `tests/knowledge-questions`. The texts of the second
//! table are drawn from a made-up vocabulary in which few words are frequent, as in every language.
//!
//! `-- --quick` measures up to ten thousand passages. `-- --only quality,speed,formats` runs some of the
//! parts.

mod formats;
mod questions;
mod speed;
mod texts;

use std::path::Path;
use std::process::ExitCode;

use questions::{Outcome, SEARCH_METHODS, measure};

struct Options {
    quick: bool,
    only: Vec<String>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Self { quick: false, only: Vec::new() };
        let mut rest = arguments;
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
}

/// Prints the search quality of each method by kind of question.
async fn quality() -> Outcome<()> {
    let report = measure(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")), None).await?;
    let kinds: Vec<&String> =
        report.keys().filter(|(way, _)| *way == SEARCH_METHODS[0]).map(|(_, kind)| kind).collect();
    println!("\n| questions | | lexical recall@5 | MRR | vector recall@5 | MRR | hybrid recall@5 | MRR |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for kind in kinds {
        let figures = SEARCH_METHODS.map(|way| report[&(way, kind.clone())]);
        let cells = figures.map(|one| format!("{:.3} | {:.3}", one.recall(), one.mrr()));
        println!("| {kind} | {} | {} |", figures[0].questions, cells.join(" | "));
    }
    println!();
    Ok(())
}

async fn perform() -> Outcome<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    if options.wants("quality") {
        quality().await?;
    }
    if options.wants("speed") {
        speed::measure(if options.quick { &[1_000, 10_000] } else { &[1_000, 10_000, 100_000] }).await?;
    }
    if options.wants("formats") {
        formats::measure(if options.quick { 20 } else { 200 }).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    match perform().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("knowledge: {fault}");
            ExitCode::FAILURE
        }
    }
}
