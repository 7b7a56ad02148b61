//! `cargo bench --bench workflows`: the real server, in a process of its own, with workflows to run,
//! and one table, each part in three rounds.
//!
//! The load generator shares the machine with the server. What is durable is what can be read back
//! over HTTP: steps are counted in journals, after they were timed.
//!
//! `-- --quick` for a tenth of everything, `-- --only steps,waiting` for some of the parts `runs`,
//! `steps`, `waiting` and `recovery`, `-- --rounds 1` for fewer rounds.

mod flow;
mod graphs;
mod speed;
mod table;
mod waiting;

use std::process::ExitCode;

use load::{Options, role, server};
use server::Outcome;
use table::Table;

async fn round(options: &Options, table: &mut Table) -> Outcome<()> {
    if options.wants("runs") {
        speed::runs(options, table).await?;
    }
    if options.wants("steps") {
        speed::steps(options, table).await?;
    }
    if options.wants("waiting") {
        waiting::measure(options, table).await?;
    }
    if options.wants("recovery") {
        speed::recovery(options, table).await?;
    }
    Ok(())
}

async fn measure(arguments: &[String]) -> Outcome<bool> {
    let (options, mut table) = (Options::parse(arguments, &[])?, Table::default());
    for _ in 0..options.rounds {
        round(&options, &mut table).await?;
    }
    table.finish(&options)?;
    Ok(true)
}

fn main() -> ExitCode {
    role::main("workflows", measure)
}
