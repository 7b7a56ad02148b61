//! `cargo bench -p one_core`: what the shortest path of a chunk through a server costs, from the provider's socket to the client's with the
//! write to the log in between, beside the bare proxy and the server itself. `docs/decisions/one-core-prototype.md` describes the sides and
//! the results.
//!
//! `-- --only paced-50` measures one of the workloads (`paced-50`, `paced-500`, `long-50`, `full-50`), and
//! `-- --sides bare,hyper/one-task,understudy` some of the sides. `-- --rounds 5` runs more rounds, and `-- --quick` shorter ones.
//! `-- --hold 60` prints the id of the first selected side's process and applies the load of the first selected workload for this many
//! seconds, for a profiler.

mod decoder;
mod log;
mod on_actix;
mod on_hyper;
mod run;
mod sides;
mod table;
mod variant;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use load::run::{Extent, Figures};
use load::server::Outcome;
use load::{Ask, Load, Options, role};

use sides::{Running, Sides};
use table::Table;

/// A load: name, connections, and what each of them asks for.
struct Workload {
    name: &'static str,
    streams: usize,
    ask: Ask,
}

const CHUNKS: u64 = 100;
/// The chunks of a long answer, whose beginning and end cost less of each chunk.
const MANY: u64 = 400;

fn workloads() -> [Workload; 4] {
    [
        Workload { name: "paced-50", streams: 50, ask: Ask::paced(CHUNKS) },
        Workload { name: "paced-500", streams: 500, ask: Ask::paced(CHUNKS) },
        Workload { name: "long-50", streams: 50, ask: Ask::paced(MANY) },
        Workload { name: "full-50", streams: 50, ask: Ask::fast(CHUNKS, 1) },
    ]
}

async fn measure(arguments: &[String]) -> Outcome<bool> {
    let options = Options::parse(arguments, &["sides", "hold"])?;
    let sides = Sides::start(options.value("sides")).await?;
    let chosen = workloads().into_iter().filter(|workload| options.wants(workload.name));
    if let Some(seconds) = options.value("hold") {
        let (side, mut chosen) = (&sides.all[0], chosen);
        let workload = chosen.next().ok_or("no workload is selected")?;
        eprintln!("{}: process {}", side.name, side.process().child.id());
        let figures =
            load(side, &workload, Duration::from_millis(500), Duration::from_secs(seconds.parse()?)).await?;
        println!("{} chunks, {:.1} µs each", figures.chunks, figures.cpu_us_per_chunk());
        return Ok(true);
    }
    let mut table = Table::new(sides.all.iter().map(|side| side.name).collect());
    for workload in chosen {
        for round in 1..=options.rounds {
            for (place, side) in sides.all.iter().enumerate() {
                eprintln!("{}, round {round}, {}", workload.name, side.name);
                side.process().forget_peak()?;
                let (before, begun) = (side.sleeps(), Instant::now());
                let figures = load(side, &workload, options.lasting(1.0), options.lasting(4.0)).await?;
                let sleeps = side.sleeps().saturating_sub(before) as f64 / begun.elapsed().as_secs_f64();
                record(&mut table, place, &workload, side, &figures, sleeps);
            }
        }
    }
    table.print();
    Ok(true)
}

async fn load(side: &Running, workload: &Workload, warm_up: Duration, window: Duration) -> Outcome<Figures> {
    let load = Load::new(workload.streams, workload.ask, Extent::Timed { warm_up, window });
    load::run(&side.target, side.process(), load).await
}

/// Adds the figures of one load. `sleeps` is how often a thread of the side went to sleep, per second.
fn record(
    table: &mut Table,
    place: usize,
    workload: &Workload,
    side: &Running,
    figures: &Figures,
    sleeps: f64,
) {
    let mut add = |what: &str, decimals, is_compared, value| {
        table.add(&format!("{what}, {}", workload.name), place, decimals, is_compared, value);
    };
    add("CPU per chunk, µs", 1, true, figures.cpu_us_per_chunk());
    add("chunks/s", 0, false, figures.chunks_per_second());
    if workload.ask.gap_us > 0 {
        add("latency of a chunk, p50, ms", 2, false, figures.chunk_ms(0.5));
        add("latency of a chunk, p99, ms", 2, false, figures.chunk_ms(0.99));
        add("time to first chunk, p50, ms", 2, false, figures.first_ms(0.5));
    }
    add("times that a thread went to sleep, per chunk", 2, false, sleeps / figures.chunks_per_second());
    add("peak memory, MB", 1, false, side.process().peak_resident() as f64 / 1e6);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match sides::serve(&arguments) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(fault)) => {
            eprintln!("one_core: {fault}");
            ExitCode::FAILURE
        }
        None => role::main("one_core", measure),
    }
}
