//! `cargo bench --bench scaling`: what an operation costs where there is much data, beside what it costs where there is little:
//! a long conversation, a long journal, a tenant with many messages in a data folder of gigabytes, many live streams. One
//! table, each workload in three rounds; a ratio of 1 means that the amount does not matter, and the goal is at most 2.
//!
//! All data are made over HTTP, by the same operations that clients have.
//!
//! `-- --quick` for a hundredth of the data, `-- --only conversation,journal` for some of the workloads (`conversation`, `journal`,
//! `tenant`, `start`, `streams`), and the large sizes by themselves: `-- --conversation 10000` messages, `--events 1000000`,
//! `--messages 1000000`, `--message-bytes 2000`, `--streams 10000`.

mod conversation;
mod cost;
mod journal;
mod streams;
mod tenant;

use std::process::ExitCode;

use load::server::raise_open_files;
use load::{Options, Outcome, Report, Side, role};

/// How much data there is on the large side.
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
        // A stream is two open files of the server, one to its client and one to the provider.
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

/// The same thing with little data and with much.
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
