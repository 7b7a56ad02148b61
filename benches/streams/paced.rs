//! Streams that flow: first chunk, added latency, processor time a chunk, full speed, plain requests.

use std::rc::Rc;

use crate::run::{Extent, Figures, Load, run};
use crate::server::Process;
use crate::table::{Subject, Table};
use crate::target::Target;
use crate::understudy::Understudy;
use crate::{Ask, Outcome, Setup};

/// Chunks a paced stream gives in a second.
const RATE: f64 = 100.0;
/// Connections of the parts that go as fast as they can.
const CROWD: usize = 64;

pub async fn measure(setup: &Setup, table: &mut Table) -> Outcome<()> {
    let server = match setup.options.bare {
        true => None,
        false => Some(Understudy::start(setup.provider.1, &setup.options.wire).await?),
    };
    // One part after the other, and in each part one subject after the other, so that other
    // load of the machine affects all alike.
    for (part, measure) in PARTS {
        if !setup.options.wants(part) {
            continue;
        }
        eprintln!("{part}");
        for subject in setup.subjects() {
            measure(&Probe { setup, server: server.as_ref(), subject }, table).await?;
        }
    }
    Ok(())
}

/// One subject of one part.
struct Probe<'a> {
    setup: &'a Setup,
    server: Option<&'a Understudy>,
    subject: Subject,
}

impl Probe<'_> {
    async fn load(&self, table: &mut Table, load: Load) -> Outcome<Figures> {
        let conversations = match load.extent {
            Extent::Timed { .. } => load.connections,
            Extent::Counted(answers) => answers as usize,
        };
        let (process, target): (&Process, Rc<Target>) = match self.server {
            Some(server) if self.subject == Subject::Understudy => {
                (&server.process, server.target(conversations).await?)
            }
            _ => self.setup.bare(self.subject),
        };
        let figures = run(&target, process, load).await?;
        table.faults += figures.faults;
        Ok(figures)
    }

    /// Streams at 100 chunks a second each, for one window.
    async fn paced(&self, table: &mut Table, streams: usize) -> Outcome<Figures> {
        let (warm_up, window) = (self.setup.options.lasting(2.0), self.setup.options.lasting(8.0));
        let chunks = ((warm_up + window).as_secs_f64() * RATE) as u64 + 50;
        let extent = Extent::Timed { warm_up, window };
        self.load(table, Load { connections: streams, ask: Ask::paced(chunks), extent }).await
    }

    /// So many answers from so many connections, after a tenth of them to warm up.
    async fn counted(
        &self,
        table: &mut Table,
        connections: usize,
        ask: Ask,
        answers: u64,
    ) -> Outcome<Figures> {
        let answers = self.setup.options.count(answers);
        self.load(table, Load { connections, ask, extent: Extent::Counted(answers / 10) }).await?;
        self.load(table, Load { connections, ask, extent: Extent::Counted(answers) }).await
    }
}

type Measure = for<'a> fn(&'a Probe<'a>, &'a mut Table) -> futures::future::LocalBoxFuture<'a, Outcome<()>>;

const PARTS: [(&str, Measure); 5] = [
    ("first", |probe, table| Box::pin(first(probe, table))),
    ("latency", |probe, table| Box::pin(latency(probe, table))),
    ("cpu", |probe, table| Box::pin(cpu(probe, table))),
    ("speed", |probe, table| Box::pin(speed(probe, table))),
    ("plain", |probe, table| Box::pin(plain(probe, table))),
];

/// One request at a time: from the request to its first chunk.
async fn first(probe: &Probe<'_>, table: &mut Table) -> Outcome<()> {
    let figures = probe.counted(table, 1, Ask::fast(1, 1), 1_000).await?;
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
        let milliseconds = figures.firsts.value_at_quantile(quantile) as f64 / 1e3;
        table.set(&format!("time to first chunk, {name}, ms"), "", 2, probe.subject, milliseconds);
    }
    Ok(())
}

/// 50 streams, together 5,000 chunks a second: the age of a chunk when it is read.
async fn latency(probe: &Probe<'_>, table: &mut Table) -> Outcome<()> {
    let figures = probe.paced(table, 50).await?;
    for (name, quantile, goal) in [("p50", 0.5, "≤ 1 added"), ("p99", 0.99, "≤ 3 added")] {
        let milliseconds = figures.ages.value_at_quantile(quantile) as f64 / 1e3;
        let what = format!("age of a chunk at 5,000 chunks a second, {name}, ms");
        table.set(&what, goal, 3, probe.subject, milliseconds);
    }
    cpu_row(probe, table, &figures, 50, "≤ 2 times");
    Ok(())
}

/// 500 streams, together 50,000 chunks a second.
async fn cpu(probe: &Probe<'_>, table: &mut Table) -> Outcome<()> {
    let figures = probe.paced(table, 500).await?;
    cpu_row(probe, table, &figures, 500, "≤ 1.5 times");
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99)] {
        let milliseconds = figures.ages.value_at_quantile(quantile) as f64 / 1e3;
        table.set(&format!("age of a chunk there, {name}, ms"), "", 3, probe.subject, milliseconds);
    }
    table.set(
        "chunks carried there, /s",
        "50,000",
        0,
        probe.subject,
        figures.chunks as f64 / figures.seconds,
    );
    table.set("CPU of the load generator there, µs a chunk", "", 1, probe.subject, figures.own_us_a_chunk());
    Ok(())
}

fn cpu_row(probe: &Probe<'_>, table: &mut Table, figures: &Figures, streams: usize, goal: &str) {
    let what = format!("CPU at {streams} streams × 100 chunks a second, µs a chunk");
    table.set(&what, goal, 1, probe.subject, figures.cpu_us_a_chunk());
}

/// Answers of 100 chunks, as fast as they come.
async fn speed(probe: &Probe<'_>, table: &mut Table) -> Outcome<()> {
    let figures = probe.counted(table, CROWD, Ask::fast(100, 1), 10_000).await?;
    table.set("full speed, chunks/s", "≥ 100,000", 0, probe.subject, figures.chunks as f64 / figures.seconds);
    table.set("CPU there, µs a chunk", "", 1, probe.subject, figures.cpu_us_a_chunk());
    Ok(())
}

/// Whole answers of ten words, which the provider gives at once.
async fn plain(probe: &Probe<'_>, table: &mut Table) -> Outcome<()> {
    let ask = Ask { stream: false, ..Ask::fast(10, 10) };
    let answers = if probe.subject == Subject::Understudy { 40_000 } else { 150_000 };
    let figures = probe.counted(table, CROWD, ask, answers).await?;
    table.set("plain requests/s", "≥ half", 0, probe.subject, figures.answers as f64 / figures.seconds);
    Ok(())
}
