//! Streams that wait: memory, and how soon the server is back after a crash.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::load::{Tally, Until, ask};
use crate::server::{Process, connect};
use crate::table::{Subject, Table};
use crate::understudy::Understudy;
use crate::{Ask, Outcome, Setup};

/// One chunk, then silence.
const SILENT: Ask = Ask { chunks: 1, gap_us: 0, burst: 1, stall: true, stream: true };
/// Connections that are opened at once.
const STEP: usize = 100;

/// Memory a stream, for runs of their own and for further readers of runs that live already.
pub async fn measure(setup: &Setup, table: &mut Table) -> Outcome<()> {
    eprintln!("idle");
    // A proxied stream is two open files of the proxy, one to its client and one to the provider.
    let most = (setup.options.open_files.saturating_sub(200) / 2).min(10_000) as usize;
    for count in [1_000, 5_000, most]
        .into_iter()
        .filter(|&count| count <= most && !(setup.options.quick && count > 1_000))
    {
        let what = format!("memory a silent stream, own run and provider connection, {count} of them, KB");
        for subject in setup.subjects().filter(|&subject| subject != Subject::Direct) {
            let kilobytes = match subject {
                Subject::Understudy => live(setup, count).await?,
                // A proxy of its own each time: these notice late that a client has gone.
                bare => {
                    let (process, target) = setup.fresh(bare)?;
                    let requests = (0..count).filter_map(|_| target.completion(&SILENT)).collect();
                    held(&process, target.address, requests).await?
                }
            };
            table.set(&what, "≤ 16", 1, subject, kilobytes);
        }
    }
    if setup.options.bare {
        return Ok(());
    }
    let count = setup.options.count(10_000) as usize;
    let kilobytes = readers(setup, count).await?;
    let what = format!("memory a further reader of a silent stream, {count} of them, KB");
    table.set(&what, "≤ 16", 1, Subject::Understudy, kilobytes);
    Ok(())
}

/// A fresh server with so many silent runs, each read by the client that began it.
async fn live(setup: &Setup, count: usize) -> Outcome<f64> {
    let server = Understudy::start(setup.provider.1, &setup.options.wire).await?;
    let target = server.target(count).await?;
    let requests = (0..count).filter_map(|_| target.completion(&SILENT)).collect();
    held(&server.process, server.address, requests).await
}

/// A thousand silent runs, left by the clients that began them, with so many readers attached.
async fn readers(setup: &Setup, count: usize) -> Outcome<f64> {
    let server = Understudy::start(setup.provider.1, &setup.options.wire).await?;
    let attaches = server.stalled_runs(1_000.min(count), SILENT).await?;
    let requests = attaches.into_iter().cycle().take(count).collect();
    held(&server.process, server.address, requests).await
}

/// Opens all requests up to the provider's silence; answers kilobytes of memory for each.
async fn held(process: &Process, address: std::net::SocketAddr, requests: Vec<Vec<u8>>) -> Outcome<f64> {
    let (before, tally) = (process.resident(), Tally::default());
    let mut open: Vec<TcpStream> = Vec::with_capacity(requests.len());
    for step in requests.chunks(STEP) {
        let opened = step.iter().map(|request| async {
            let mut connection = connect(address).await?;
            ask(&mut connection, request, Until::Mark, &tally).await?;
            std::io::Result::Ok(connection)
        });
        open.extend(futures::future::try_join_all(opened).await?);
    }
    sleep(Duration::from_secs(2)).await;
    Ok(process.resident().saturating_sub(before) as f64 / 1e3 / open.len().max(1) as f64)
}

/// Idle memory, and the time until the server serves again.
pub async fn boot(setup: &Setup, table: &mut Table) -> Outcome<()> {
    eprintln!("boot");
    let mut server = Understudy::start(setup.provider.1, &setup.options.wire).await?;
    let ready = server.restart().await?;
    sleep(Duration::from_secs(1)).await;
    let idle = server.process.resident() as f64 / 1e6;
    table.set("idle memory, MB", "≤ 40", 1, Subject::Understudy, idle);
    table.set("ready after a start, ms", "≤ 300", 0, Subject::Understudy, ready.as_secs_f64() * 1e3);
    server.stalled_runs(1_000, SILENT).await?;
    let ready = server.crash().await?.as_secs_f64() * 1e3;
    table.set("ready after kill -9 with 1,000 live runs, ms", "≤ 2,000", 0, Subject::Understudy, ready);
    Ok(())
}
