//! The workloads that are compared with the bare proxy, independent of the interface through which the server is called.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::client::{Tally, Until, ask};
use crate::figure::{Figure, Row, Side};
use crate::options::Options;
use crate::report::Workload;
use crate::run::{Extent, Load};
use crate::server::connect;
use crate::setup::Interface;
use crate::{Ask, Outcome, Setup};

/// Chunks per stream.
const CHUNKS: u64 = 100;
/// Number of connections opened at once.
const STEP: usize = 100;
/// Time until the buffers of opened connections have been freed.
pub const SETTLED: Duration = Duration::from_secs(2);
/// How long a process must have been inactive before its memory counts as that of an idle process.
const IDLE: Duration = Duration::from_secs(6);

/// The processes and settings that these workloads run on.
pub struct Stage {
    pub setup: Setup,
    interface: Interface,
    warm_up: Duration,
    pub window: Duration,
    /// Number of streams that wait at the same time.
    pub silent: usize,
    /// Number of complete answers whose memory is measured after they have expired.
    pub expiring: u64,
}

impl Stage {
    pub async fn start(interface: Interface, options: &Options) -> Outcome<Stage> {
        Ok(Stage {
            setup: Setup::start(interface.clone()).await?,
            interface,
            warm_up: options.lasting(1.5),
            window: options.lasting(5.0),
            silent: options.count(1_000) as usize,
            expiring: options.number("expiring", 250_000, 2_000)?,
        })
    }

    /// Starts processes that have not served any request yet.
    pub async fn fresh(&self) -> Outcome<Setup> {
        Setup::start(self.interface.clone()).await
    }

    fn load(&self, connections: usize, ask: Ask) -> Load {
        Load::new(connections, ask, Extent::Timed { warm_up: self.warm_up, window: self.window })
    }
}

/// Streams of 100 chunks at 100 chunks per second and at full speed, complete responses, and streams that wait.
pub const WORKLOADS: [Workload<Stage>; 7] = [
    Workload {
        name: "paced-50",
        sides: &Side::BOTH,
        // Excludes the time to the first chunk: it differs by more than the check allows between runs of the same binary.
        checked: &["cpu_per_chunk_50"],
        measure: |stage, side| Box::pin(paced(stage, side, 50)),
    },
    Workload {
        name: "paced-500",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(paced(stage, side, 500)),
    },
    Workload {
        name: "spread-50",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(spread(stage, side, 50)),
    },
    Workload {
        name: "full-50",
        sides: &Side::BOTH,
        checked: &["full_speed_50"],
        measure: |stage, side| Box::pin(full_speed(stage, side, 50)),
    },
    Workload {
        name: "full-500",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(full_speed(stage, side, 500)),
    },
    Workload {
        name: "plain",
        sides: &Side::BOTH,
        checked: &["cpu_per_completion"],
        measure: |stage, side| Box::pin(plain(stage, side)),
    },
    Workload {
        name: "silent",
        sides: &Side::BOTH,
        checked: &[],
        measure: |stage, side| Box::pin(silent(stage, side)),
    },
];

/// Streams of 100 chunks, one chunk every 10 ms.
async fn paced(stage: &Stage, side: Side, streams: usize) -> Outcome<Vec<Figure>> {
    let process = stage.setup.process(side);
    process.forget_peak()?;
    let figures = stage.setup.run(side, stage.load(streams, Ask::paced(CHUNKS))).await?;
    let row = |name: &str, what: &str, decimals| {
        Row::lower(format!("{name}_{streams}"), format!("{what}, {streams} streams × 100 chunks/s"), decimals)
    };
    let [cpu, p50, p99] = match streams {
        50 => ["≤ 2 times", "≤ 1 added", "≤ 3 added"],
        _ => ["≤ 1.5 times", "", ""],
    };
    Ok(vec![
        row("cpu_per_chunk", "CPU per chunk, µs", 1).goal(cpu).is(figures.cpu_us_per_chunk()),
        Row::higher(format!("delivered_{streams}"), format!("chunks/s delivered of {}", streams * 100), 0)
            .is(figures.chunks_per_second()),
        row("chunk_p50", "latency of a chunk, p50, ms", 2).goal_added(p50).is(figures.chunk_ms(0.5)),
        row("chunk_p99", "latency of a chunk, p99, ms", 2).goal_added(p99).is(figures.chunk_ms(0.99)),
        row("first_chunk", "time to first chunk, p50, ms", 2).goal_added(p50).is(figures.first_ms(0.5)),
        row("first_chunk_p99", "time to first chunk, p99, ms", 2).is(figures.first_ms(0.99)),
        row("peak_memory", "peak memory, MB", 1).is(process.peak_resident() as f64 / 1e6),
    ])
}

/// The same streams, but with start times spread over the duration of one stream. In `paced`, all streams repeatedly start
/// within 10 ms of each other.
async fn spread(stage: &Stage, side: Side, streams: usize) -> Outcome<Vec<Figure>> {
    let load = Load { spread: Duration::from_secs(1), ..stage.load(streams, Ask::paced(CHUNKS)) };
    let figures = stage.setup.run(side, load).await?;
    let row = |name: &str, what: &str| {
        Row::lower(format!("{name}_spread_{streams}"), format!("{what}, {streams} streams begun in turns"), 2)
    };
    Ok(vec![
        row("chunk_p50", "latency of a chunk, p50, ms").goal_added("≤ 1 added").is(figures.chunk_ms(0.5)),
        row("chunk_p99", "latency of a chunk, p99, ms").goal_added("≤ 3 added").is(figures.chunk_ms(0.99)),
        row("first_chunk", "time to first chunk, p50, ms").goal_added("≤ 1 added").is(figures.first_ms(0.5)),
        row("first_chunk_p99", "time to first chunk, p99, ms").is(figures.first_ms(0.99)),
    ])
}

/// Streams of 100 chunks at full speed.
async fn full_speed(stage: &Stage, side: Side, streams: usize) -> Outcome<Vec<Figure>> {
    let figures = stage.setup.run(side, stage.load(streams, Ask::fast(CHUNKS, 1))).await?;
    let (rate, cpu) = (format!("full_speed_{streams}"), format!("full_speed_cpu_{streams}"));
    Ok(vec![
        Row::higher(rate, format!("full speed with {streams} streams, chunks/s"), 0)
            .goal("≥ 100,000")
            .is(figures.chunks_per_second()),
        Row::lower(cpu, "CPU per chunk there, µs", 1).is(figures.cpu_us_per_chunk()),
    ])
}

/// Complete responses of ten words, which the provider sends at once.
async fn plain(stage: &Stage, side: Side) -> Outcome<Vec<Figure>> {
    let figures = stage.setup.run(side, stage.load(32, Ask::plain())).await?;
    let what = |what: &str| format!("{what}, complete answers, 32 connections");
    Ok(vec![
        Row::lower("cpu_per_completion", what("CPU each, µs"), 0).is(figures.cpu_us_per_answer()),
        Row::higher("completions", what("completions/s"), 0).goal("≥ half").is(figures.answers_per_second()),
        Row::lower("completion_p50", what("time, p50, ms"), 2).is(figures.first_ms(0.5)),
        Row::lower("completion_p99", what("time, p99, ms"), 2).is(figures.first_ms(0.99)),
    ])
}

/// Memory of waiting streams, each with its own connection to the provider, in processes that have not served any request
/// before.
async fn silent(stage: &Stage, side: Side) -> Outcome<Vec<Figure>> {
    let fresh = stage.fresh().await?;
    let process = fresh.process(side);
    let target = fresh.target(side, stage.silent).await?;
    sleep(IDLE).await;
    let (idle, before) = (process.resident(), process.anonymous());
    let requests = (0..stage.silent).filter_map(|_| target.completion(&Ask::silent())).collect();
    let open = hold(target.address, requests).await?;
    sleep(SETTLED).await;
    let each = process.anonymous().saturating_sub(before) as f64 / 1e3 / open.len().max(1) as f64;
    let what = format!("memory of a waiting stream with its provider connection, {}, KB", open.len());
    Ok(vec![
        Row::lower("idle_memory", "memory of the idle process, MB", 1).goal("≤ 40").is(idle as f64 / 1e6),
        Row::lower("silent_memory", what, 1).goal("≤ 16").is(each),
    ])
}

/// Sends all requests and reads each response until the provider goes silent. Keeps the connections open.
pub async fn hold(address: std::net::SocketAddr, requests: Vec<Vec<u8>>) -> Outcome<Vec<TcpStream>> {
    let (mut open, tally) = (Vec::with_capacity(requests.len()), Tally::default());
    for step in requests.chunks(STEP) {
        let opened = step.iter().map(|request| async {
            let mut connection = connect(address).await?;
            ask(&mut connection, request, Until::Mark, &tally).await?;
            std::io::Result::Ok(connection)
        });
        open.extend(futures::future::try_join_all(opened).await?);
    }
    Ok(open)
}
