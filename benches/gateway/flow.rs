//! Answers that flow: streams of 100 chunks at 100 a second, and whole answers of ten words.

use crate::run::{Extent, Figures, Load, run};
use crate::setup::Setup;
use crate::table::{SUBJECTS, Subject, Table};
use crate::{Ask, Options, Outcome};

/// Requests at once, and how many answers are measured of each of them in streams and in plain.
const CROWDS: [(usize, u64, u64); 3] = [(1, 10, 2_000), (50, 400, 20_000), (500, 3_000, 20_000)];
/// The number of chunks of a stream.
const CHUNKS: u64 = 100;

/// Streams of 100 chunks, a chunk each 10 ms.
pub async fn stream(setup: &Setup, options: &Options, table: &mut Table) -> Outcome<()> {
    for (crowd, answers, _) in CROWDS {
        eprintln!("stream, {crowd} at once");
        let (cpu, p50, p99) = match crowd {
            50 => ("≤ 2 times", "≤ 1 added", "≤ 3 added"),
            500 => ("≤ 1.5 times", "", ""),
            _ => ("", "", ""),
        };
        // The subjects take turns, so that other load of the machine affects all alike.
        for subject in SUBJECTS {
            let load =
                Load { connections: crowd, ask: Ask::paced(CHUNKS), extent: answers_of(options, answers) };
            let figures = measured(setup, subject, load, table).await?;
            let mut set = |what: &str, goal: &str, decimals: usize, value: f64| {
                table.set(&format!("{what}, streams, {crowd} at once"), goal, decimals, subject, value);
            };
            for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
                let first = figures.firsts.value_at_quantile(quantile) as f64 / 1e3;
                set(&format!("time to first chunk, {name}, ms"), "", 2, first);
            }
            for (name, quantile, goal) in [("p50", 0.5, p50), ("p99", 0.99, p99)] {
                let age = figures.ages.value_at_quantile(quantile) as f64 / 1e3;
                set(&format!("age of a chunk, {name}, ms"), goal, 3, age);
            }
            set("CPU a chunk, µs", cpu, 1, figures.cpu_us_a_chunk());
            set("CPU an answer of 100 chunks, µs", "", 0, cpu_us_an_answer(&figures));
        }
    }
    speed(setup, options, table).await
}

/// Answers of 100 chunks, as fast as they come.
async fn speed(setup: &Setup, options: &Options, table: &mut Table) -> Outcome<()> {
    eprintln!("stream, full speed");
    for subject in SUBJECTS {
        let load = Load { connections: 64, ask: Ask::fast(CHUNKS, 1), extent: answers_of(options, 10_000) };
        let figures = measured(setup, subject, load, table).await?;
        let rate = figures.chunks as f64 / figures.seconds;
        table.set("full speed, chunks/s", "≥ 100,000", 0, subject, rate);
    }
    Ok(())
}

/// Whole answers of ten words, which the provider gives at once.
pub async fn plain(setup: &Setup, options: &Options, table: &mut Table) -> Outcome<()> {
    for (crowd, _, answers) in CROWDS {
        eprintln!("plain, {crowd} at once");
        for subject in SUBJECTS {
            let ask = Ask { stream: false, ..Ask::fast(10, 10) };
            let load = Load { connections: crowd, ask, extent: answers_of(options, answers) };
            let figures = measured(setup, subject, load, table).await?;
            let mut set = |what: &str, goal: &str, decimals: usize, value: f64| {
                table.set(&format!("{what}, {crowd} at once"), goal, decimals, subject, value);
            };
            for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
                let whole = figures.firsts.value_at_quantile(quantile) as f64 / 1e3;
                set(&format!("a plain request, {name}, ms"), "", 2, whole);
            }
            set("CPU a plain request, µs", "", 0, cpu_us_an_answer(&figures));
            set("plain requests/s", "≥ half", 0, figures.answers as f64 / figures.seconds);
        }
    }
    Ok(())
}

fn answers_of(options: &Options, number: u64) -> Extent {
    Extent::Counted(options.count(number))
}

/// Runs a load after a tenth of it to warm up.
async fn measured(setup: &Setup, subject: Subject, load: Load, table: &mut Table) -> Outcome<Figures> {
    let (process, target) = setup.of(subject);
    if let Extent::Counted(answers) = load.extent {
        let extent = Extent::Counted(answers.div_ceil(10));
        table.faults += run(&target, process, Load { extent, ..load }).await?.faults;
    }
    let figures = run(&target, process, load).await?;
    table.faults += figures.faults;
    Ok(figures)
}

fn cpu_us_an_answer(figures: &Figures) -> f64 {
    figures.cpu.as_secs_f64() * 1e6 / figures.answers.max(1) as f64
}
