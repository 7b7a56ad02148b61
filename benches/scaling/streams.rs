//! Many live streams.

use load::paced::{SETTLED, hold};
use load::run::{Extent, Load};
use load::server::request;
use load::setup::Interface;
use load::{Ask, Figure, Outcome, Report, Row, Setup, Side, Workload};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::cost::{cost, succeed};
use crate::{Pair, Sizes};

const SMALL: usize = 100;
const TIMES: usize = 300;

/// A server with streams that wait.
struct Crowd {
    setup: Setup,
    _open: Vec<TcpStream>,
    /// Memory per stream in kilobytes.
    memory: f64,
}

struct Stage {
    crowds: Pair<Crowd>,
    extent: Extent,
}

const WORKLOAD: Workload<Stage> = Workload {
    name: "streams",
    sides: &Side::BOTH,
    checked: &[],
    measure: |stage, side| Box::pin(operations(stage, side)),
};

pub async fn measure(report: &mut Report, sizes: &Sizes) -> Outcome<()> {
    if !report.wants(&WORKLOAD) {
        return Ok(());
    }
    let crowds = Pair { small: crowd(SMALL).await?, large: crowd(sizes.streams).await? };
    let (warm_up, window) = (report.options().lasting(1.0), report.options().lasting(4.0));
    report.measure(&mut Stage { crowds, extent: Extent::Timed { warm_up, window } }, &WORKLOAD).await
}

async fn crowd(streams: usize) -> Outcome<Crowd> {
    let setup = Setup::start(Interface::OpenAi).await?;
    let before = setup.server.process.anonymous();
    let target = setup.target(Side::Subject, streams).await?;
    let requests = (0..streams).filter_map(|_| target.completion(&Ask::silent())).collect();
    let open = hold(target.address, requests).await?;
    sleep(SETTLED).await;
    let memory = setup.server.process.anonymous().saturating_sub(before) as f64 / 1e3 / streams as f64;
    Ok(Crowd { setup, _open: open, memory })
}

async fn operations(stage: &Stage, side: Side) -> Outcome<Vec<Figure>> {
    let Crowd { setup, memory, .. } = stage.crowds.of(side);
    let server = &setup.server;
    let target = setup.target(Side::Subject, 0).await?;
    let plain = target.completion(&Ask::plain()).ok_or("no request")?;
    let complete = cost(server, TIMES, async |connection| succeed(connection, &plain).await.map(drop));
    let complete = complete.await?.rows("streams_completion", "complete answer beside many live streams");
    let list =
        request("GET", "/api/conversations?limit=50", &[("authorization", &server.authorization)], &[]);
    let list = cost(server, TIMES, async |connection| succeed(connection, &list).await.map(drop));
    let list = list.await?.rows("streams_request", "short request beside many live streams");
    let figures = setup.run(Side::Subject, Load::new(20, Ask::paced(100), stage.extent)).await?;
    let row = |name: &str, what: &str, decimals| Row::lower(name, what, decimals).goal("≤ 2 times");
    let rows = [
        row("streams_chunk_cpu", "chunk of 20 streams beside many others, CPU, µs", 1)
            .is(figures.cpu_us_per_chunk()),
        row("streams_chunk_time", "its latency, p50, ms", 2).is(figures.chunk_ms(0.5)),
        Row::lower("streams_memory", "memory of each of many live streams, KB", 1).goal("≤ 16").is(*memory),
    ];
    Ok(complete.into_iter().chain(list).chain(rows).collect())
}
