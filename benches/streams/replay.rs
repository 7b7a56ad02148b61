//! Replay: four readers read one journal from its beginning, repeatedly. The baseline is the bare server, which sends the
//! same number of bytes from memory.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use load::client::{Tally, Until, ask};
use load::paced::Stage;
use load::server::{Answer, connect, find, request};
use load::stamp::MARK;
use load::{Ask, Figure, Outcome, Row, Side, Workload};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

const READERS: usize = 4;
/// Microseconds between chunks while the run is written, so that few are folded together.
const GAP_US: u64 = 1_000;
/// Length of the end of a piece that is searched for the provider's mark, including the event around it.
const END: usize = 4096;

/// Approximate bytes of an encoded event.
const EVENT_BYTES: u64 = 190;

/// A typical response, and a long response of a coding agent.
pub const WORKLOADS: [Workload<Stage>; 2] = [
    Workload {
        name: "replay",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(measure(stage, side, 2_000)),
    },
    Workload {
        name: "replay-long",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(measure(stage, side, 10_000)),
    },
];

async fn measure(stage: &Stage, side: Side, chunks: u64) -> Outcome<Vec<Figure>> {
    let row = |name: &str, what: &str, goal| {
        let what = format!("replay of {chunks} events, 4 readers, {what}, MB/s");
        Row::higher(format!("{name}_{chunks}"), what, 0).goal(goal)
    };
    let (live, stored) = match side {
        Side::Base => {
            let path = format!("/bytes/{}", chunks * EVENT_BYTES);
            let bytes = request("GET", &path, &[], &[]);
            let rate = read(stage.setup.bare_address(), &bytes, stage.window).await?;
            (rate, rate)
        }
        Side::Subject => replays(stage, chunks).await?,
    };
    Ok(vec![
        row("replay_memory", "from memory", "≥ 1,000").is(live),
        row("replay_disk", "after a restart", "≥ 300").is(stored),
    ])
}

/// Megabytes per second of a live run, and of the same run after a restart of the server.
async fn replays(stage: &Stage, chunks: u64) -> Outcome<(f64, f64)> {
    let mut setup = stage.fresh().await?;
    let conversations = setup.conversations(1).await?;
    let asked = Ask { chunks, gap_us: GAP_US, ..Ask::silent() };
    let attach = setup.stalled(&conversations[0], &asked).await?.after(&setup.server, 0);
    assert_whole(setup.server.address, &attach, chunks).await?;
    let live = read(setup.server.address, &attach, stage.window).await?;
    setup.server.restart().await?;
    assert_whole(setup.server.address, &attach, chunks).await?;
    Ok((live, read(setup.server.address, &attach, stage.window).await?))
}

/// Checks that a replay contains every chunk of the run.
async fn assert_whole(address: SocketAddr, attach: &[u8], chunks: u64) -> Outcome<()> {
    let tally = Tally::default();
    ask(&mut connect(address).await?, attach, Until::Mark, &tally).await?;
    match tally.chunks.get() == chunks {
        true => Ok(()),
        false => Err(format!("a replay held {} of {chunks} chunks", tally.chunks.get()).into()),
    }
}

/// Megabytes (10^6 bytes) of response bodies per second, all readers together.
async fn read(address: SocketAddr, attach: &[u8], window: Duration) -> Outcome<f64> {
    let (total, began) = (Rc::new(Cell::new(0)), Instant::now());
    let readers = (0..READERS).map(|_| async {
        let mut connection = connect(address).await?;
        while began.elapsed() < window {
            let (bytes, reusable) = once(&mut connection, attach).await?;
            total.set(total.get() + bytes);
            if !reusable {
                connection = connect(address).await?;
            }
        }
        std::io::Result::Ok(())
    });
    futures::future::try_join_all(readers).await?;
    Ok(total.get() as f64 / began.elapsed().as_secs_f64() / 1e6)
}

/// Reads one response to its end, or to the provider's mark if its run is still live, without parsing anything else. Returns
/// the number of bytes, and whether the connection can be reused.
async fn once(connection: &mut TcpStream, attach: &[u8]) -> std::io::Result<(u64, bool)> {
    connection.write_all(attach).await?;
    let (mut answer, mut piece) = (Answer::default(), vec![0; 256 * 1024]);
    loop {
        connection.readable().await?;
        match connection.try_read(&mut piece) {
            Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                let body = answer.feed(&piece[..read])?;
                if answer.done {
                    return Ok((answer.bytes, true));
                }
                if find(&body[body.len().saturating_sub(END)..], MARK).is_some() {
                    return Ok((answer.bytes, false));
                }
            }
            Err(fault) if fault.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(fault) => return Err(fault),
        }
    }
}
