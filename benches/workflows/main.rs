//! `cargo bench --bench workflows`: the real server, in its own process, running workflows. Prints
//! one table; each part is measured in three rounds.
//!
//! The load generator shares the machine with the server. Only what can be read back over HTTP counts as durable: steps
//! are counted in journals, after they were timed.
//!
//! `-- --quick` runs a tenth of everything. `-- --only steps,waiting` runs some of the parts `runs`,
//! `steps`, `waiting` and `recovery`. `-- --rounds 1` runs fewer rounds.

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
