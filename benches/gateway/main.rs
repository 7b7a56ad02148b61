//! `cargo bench --bench gateway`: the OpenAI-compatible interface under load with an API token, usage records and journals, compared with a
//! bare hyper pass-through proxy in front of the same fake provider, on two cores. Prints one table; each workload is measured in three
//! rounds.
//!
//! Provider, proxy, server and load generator are separate processes that share the two cores. The provider stamps each token with the
//! time. The load generator counts every stamp and computes its age when it reads it.
//!
//! `-- --quick` runs a smaller version of every workload. `-- --only paced-50,plain` runs some of the workloads (`paced-50`, `paced-500`,
//! `spread-50`, `full-50`, `full-500`, `plain`, `silent`, `disk`, `expired`, `fallback`). `-- --rounds 5` runs more rounds.
//! `-- --expiring 20000` measures the memory of expired answers with another number of them than 250,000.
//!
//! `-- --check` measures the few workloads that a change has to pass, a few seconds each, and fails when a ratio is more than 50 % worse
//! than the one in `benches/recorded.json`. `-- --short --record` records those ratios.

mod completions;
mod fallback;

use std::process::ExitCode;

use load::paced::{Stage, WORKLOADS};
use load::setup::Interface;
use load::{Options, Outcome, Report, role};

async fn measure(arguments: &[String]) -> Outcome<bool> {
    let options = Options::parse(arguments, &["expiring"])?;
    let mut stage = Stage::start(Interface::OpenAi, &options).await?;
    let mut report = Report::new("gateway", ["bare hyper", "understudy"], options)?;
    for workload in WORKLOADS.iter().chain(&completions::WORKLOADS).chain(&fallback::WORKLOADS) {
        report.measure(&mut stage, workload).await?;
    }
    report.finish()
}

fn main() -> ExitCode {
    role::main("gateway", measure)
}
