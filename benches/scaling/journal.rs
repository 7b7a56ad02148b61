//! A long journal of a live run.

use std::time::Instant;

use load::client::{Tally, Until, ask};
use load::server::connect;
use load::setup::{Attach, Interface};
use load::{Ask, Figure, Outcome, Report, Row, Setup, Side, Workload};
use tokio::net::TcpStream;

use crate::Pair;
use crate::Sizes;
use crate::cost::cost;

/// Number of events of the small journal.
const SMALL: u64 = 10_000;
/// Number of events that are read from its end.
const LAST: u64 = 10;
const TIMES: usize = 200;

struct Stage {
    setup: Setup,
    lengths: Pair<u64>,
    runs: Pair<Vec<Attach>>,
}

const WRITE: Workload<Stage> = Workload {
    name: "journal",
    sides: &Side::BOTH,
    checked: &[],
    measure: |stage, side| Box::pin(write_and_read(stage, side)),
};

pub async fn measure(report: &mut Report, sizes: &Sizes) -> Outcome<()> {
    if !report.wants(&WRITE) {
        return Ok(());
    }
    let interface = Interface::Conversations { wire: "events".to_owned() };
    let setup = Setup::start(interface).await?;
    let lengths = Pair { small: SMALL.min(sizes.events), large: sizes.events };
    let runs = Pair { small: Vec::new(), large: Vec::new() };
    report.measure(&mut Stage { setup, lengths, runs }, &WRITE).await
}

/// Alternates text and reasoning, so that no event is folded into the one before.
async fn write_and_read(stage: &mut Stage, side: Side) -> Outcome<Vec<Figure>> {
    let (server, events) = (&stage.setup.server, *stage.lengths.of(side));
    let asked = Ask { turns: true, stall: true, ..Ask::fast(events, 16) };
    let conversation = stage.setup.conversations(1).await?.swap_remove(0);
    let (began, before) = (Instant::now(), server.process.cpu());
    let run = stage.setup.stalled(&conversation, &asked).await?;
    let (took, cpu) = (began.elapsed().as_secs_f64(), server.process.cpu().saturating_sub(before));
    if run.last < events {
        return Err(format!("{events} events were folded to {}", run.last).into());
    }
    let end = run.after(server, run.last - LAST);
    let attach = cost(server, TIMES, async |_| read(server.address, &end).await.map(drop));
    let attach = attach.await?.rows("journal_attach", "attaching at the end of a long journal, 10 events");
    let (began, before) = (Instant::now(), server.process.cpu());
    let bytes = read(server.address, &run.after(server, 0)).await?;
    let (read_in, read_cpu) = (began.elapsed().as_secs_f64(), server.process.cpu().saturating_sub(before));
    stage.runs.of_mut(side).push(run);
    let per_event = |seconds: f64| seconds * 1e6 / events as f64;
    let row = |name: &str, what: &str| Row::lower(name, what, 2).goal("≤ 2 times");
    let rows = [
        row("journal_append_cpu", "writing a long journal, an event, CPU, µs")
            .is(per_event(cpu.as_secs_f64())),
        row("journal_append_time", "writing a long journal, an event, µs").is(per_event(took)),
        row("journal_replay_cpu", "replaying a long journal, an event, CPU, µs")
            .is(per_event(read_cpu.as_secs_f64())),
        row("journal_replay_time", "replaying a long journal, an event, µs").is(per_event(read_in)),
        Row::higher("journal_bytes", "its length on the wire, MB", 1).is(bytes as f64 / 1e6),
    ];
    Ok(rows.into_iter().chain(attach).collect())
}

/// Attaches, reads up to the provider's mark, and disconnects. Returns the number of bytes received.
async fn read(address: std::net::SocketAddr, attach: &[u8]) -> Outcome<u64> {
    let mut connection: TcpStream = connect(address).await?;
    let tally = Tally::default();
    ask(&mut connection, attach, Until::Mark, &tally).await?;
    Ok(tally.bytes.get())
}
