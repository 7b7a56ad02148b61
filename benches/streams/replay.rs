//! Replay: four readers that read one journal from its beginning, over and over.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::load::{Tally, Until, ask};
use crate::server::{Answer, connect, find, request};
use crate::table::{Subject, Table};
use crate::understudy::Understudy;
use crate::wire::MARK;
use crate::{Ask, Outcome, Setup};

const READERS: usize = 4;
/// Events of the runs that are read: a good answer, and a long one of a coding agent.
const LENGTHS: [u64; 2] = [2_000, 10_000];
/// Microseconds between chunks while the run is written, so that few are folded together.
const GAP_US: u64 = 1_000;
/// As much of a piece's end as the provider's mark may stand in, with the event around it.
const END: usize = 4096;

pub async fn measure(setup: &Setup, table: &mut Table) -> Outcome<()> {
    eprintln!("replay");
    let mut server = Understudy::start(setup.provider.1, &setup.options.wire).await?;
    let mut runs = Vec::new();
    for chunks in LENGTHS {
        let ask = Ask { gap_us: GAP_US, stall: true, ..Ask::paced(chunks) };
        let conversations = server.conversations(1).await?;
        let attach = server.stalled(&conversations[0], &ask, &Tally::default()).await?;
        assert_whole(server.address, &attach, chunks).await?;
        runs.push((chunks, attach));
    }
    for (chunks, attach) in &runs {
        let live = read(setup, server.address, attach).await?;
        let size = format!("{chunks} events, {:.1} MB", live.length as f64 / 1e6);
        let goal = "≥ 1,000 in memory";
        table.set(&format!("replay of a live run of {size}, MB/s"), goal, 0, Subject::Understudy, live.rate);
        std::fs::write(setup.file.path(), vec![b'x'; live.length as usize])?;
        let file = read(setup, setup.actix.1, &request("GET", "/file", &[], &[])).await?;
        table.set(&format!("replay of a live run of {size}, MB/s"), goal, 0, Subject::Actix, file.rate);
    }
    server.restart().await?;
    for (chunks, attach) in &runs {
        assert_whole(server.address, attach, *chunks).await?;
        let stored = read(setup, server.address, attach).await?;
        let what = format!("the same {chunks} events after a restart, MB/s");
        table.set(&what, "≥ 300 from disk", 0, Subject::Understudy, stored.rate);
    }
    Ok(())
}

/// A replay holds every chunk of the run.
async fn assert_whole(address: SocketAddr, attach: &[u8], chunks: u64) -> Outcome<()> {
    let tally = Tally::default();
    ask(&mut connect(address).await?, attach, Until::Mark, &tally).await?;
    match tally.chunks.get() == chunks {
        true => Ok(()),
        false => Err(format!("a replay held {} of {chunks} chunks", tally.chunks.get()).into()),
    }
}

struct Replay {
    /// Megabytes (10^6 bytes) of answer bodies a second, all readers together.
    rate: f64,
    /// Bytes of one body.
    length: u64,
}

async fn read(setup: &Setup, address: SocketAddr, attach: &[u8]) -> Outcome<Replay> {
    let length = once(&mut connect(address).await?, attach).await?.0;
    let (total, window) = (Rc::new(Cell::new(0)), setup.options.lasting(5.0));
    let began = Instant::now();
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
    Ok(Replay { rate: total.get() as f64 / began.elapsed().as_secs_f64() / 1e6, length })
}

/// Reads one answer to its end, or to the provider's mark if its run still lives, and looks at
/// nothing else. Answers its bytes, and whether the connection may be used again.
async fn once(connection: &mut TcpStream, attach: &[u8]) -> std::io::Result<(u64, bool)> {
    connection.write_all(attach).await?;
    let (mut answer, mut piece) = (Answer::new(), vec![0; 256 * 1024]);
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
