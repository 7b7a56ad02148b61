//! `cargo bench --bench streams`: completions in conversations under load, with their streams read as events, compared with a
//! bare hyper pass-through proxy in front of the same fake provider, on two cores. Prints one table; each workload is measured
//! in three rounds.
//!
//! Workloads, processes and options are the same as in `benches/gateway`, with the additional workloads `readers`, `live`,
//! `replay`, `replay-long` and `boot`. `-- --wire openai` selects another encoding.

mod boot;
mod live;
mod readers;
mod replay;

use std::process::ExitCode;

use load::paced::{Stage, WORKLOADS};
use load::setup::Interface;
use load::{Options, Outcome, Report, role};

async fn measure(arguments: &[String]) -> Outcome<bool> {
    let options = Options::parse(arguments, &["wire"])?;
    let wire = options.value("wire").unwrap_or("events").to_owned();
    let mut stage = Stage::start(Interface::Conversations { wire }, &options).await?;
    let mut report = Report::new("streams", ["bare hyper", "understudy"], options)?;
    for workload in &WORKLOADS {
        report.measure(&mut stage, workload).await?;
    }
    let others = readers::WORKLOADS.iter().chain(&live::WORKLOADS);
    for workload in others.chain(&replay::WORKLOADS).chain(&boot::WORKLOADS) {
        report.measure(&mut stage, workload).await?;
    }
    report.finish()
}

fn main() -> ExitCode {
    role::main("streams", measure)
}
