//! `cargo bench --bench scaling`: the cost of an operation with much data, compared with its cost with little data: a long
//! conversation, a long journal, a tenant with many messages in a data folder of gigabytes, many live streams. Prints one table;
//! each workload is measured in three rounds. A ratio of 1 means that the amount of data does not matter; the goal is at most 2.
//!
//! All data are created over HTTP, with the operations that clients use.
//!
//! `-- --quick` uses a hundredth of the data. `-- --only conversation,journal` runs some of the workloads (`conversation`,
//! `journal`, `tenant`, `start`, `streams`). The large sizes can be set separately: `-- --conversation 10000` messages, `--events
//! 1000000`, `--messages 1000000`, `--message-bytes 2000`, `--streams 10000`.

mod conversation;
mod cost;
mod journal;
mod streams;
mod tenant;

use std::process::ExitCode;

use load::server::raise_open_files;
use load::{Options, Outcome, Report, Side, role};

/// The amount of data on the large side.
pub struct Sizes {
    conversation: u64,
    events: u64,
    messages: u64,
    message_bytes: usize,
    streams: usize,
}

impl Sizes {
    const OPTIONS: [&str; 5] = ["conversation", "events", "messages", "message-bytes", "streams"];

    fn of(options: &Options) -> Outcome<Sizes> {
        // A stream uses two open files of the server, one for its client and one for the provider.
        let most = raise_open_files().saturating_sub(200) / 2;
        Ok(Sizes {
            conversation: options.number("conversation", 10_000, 2_000)?,
            events: options.number("events", 1_000_000, 50_000)?,
            messages: options.number("messages", 1_000_000, 20_000)?,
            message_bytes: options.number("message-bytes", 2_000, 2_000)? as usize,
            streams: options.number("streams", 10_000, 1_000)?.min(most) as usize,
        })
    }
}

/// The same object with little data and with much data.
pub struct Pair<T> {
    small: T,
    large: T,
}

impl<T> Pair<T> {
    fn of(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.small,
            Side::Subject => &self.large,
        }
    }

    fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Base => &mut self.small,
            Side::Subject => &mut self.large,
        }
    }
}

async fn measure(arguments: &[String]) -> Outcome<bool> {
    let options = Options::parse(arguments, &Sizes::OPTIONS)?;
    let sizes = Sizes::of(&options)?;
    let mut report = Report::new("scaling", ["small", "large"], options)?;
    conversation::measure(&mut report, &sizes).await?;
    journal::measure(&mut report, &sizes).await?;
    streams::measure(&mut report, &sizes).await?;
    tenant::measure(&mut report, &sizes).await?;
    report.finish()
}

fn main() -> ExitCode {
    role::main("scaling", measure)
}
