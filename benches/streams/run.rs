//! Runs a load against a target and measures it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep, timeout};

use crate::load::{PATIENCE, Tally, Until, ask, histogram};
use crate::server::{Process, connect, own_cpu};
use crate::target::Target;
use crate::{Ask, Outcome};

/// What a load is made of.
#[derive(Clone, Copy)]
pub struct Load {
    pub connections: usize,
    pub ask: Ask,
    pub extent: Extent,
}

/// How long a load lasts.
#[derive(Clone, Copy)]
pub enum Extent {
    /// One answer a connection, long enough to fill a window of this length after this warm-up.
    Timed { warm_up: Duration, window: Duration },
    /// So many answers in all, one after the other on each connection.
    Counted(u64),
}

/// The figures of a load.
pub struct Figures {
    pub chunks: u64,
    pub answers: u64,
    pub seconds: f64,
    /// Processor time of the process under test, and of the load generator.
    pub cpu: Duration,
    pub own: Duration,
    pub faults: u64,
    /// Microseconds from the provider's stamp in a chunk to its reading.
    pub ages: Histogram<u64>,
    /// Microseconds from a request to the reading of its first chunk; to its end, where it is no stream.
    pub firsts: Histogram<u64>,
}

impl Figures {
    pub fn cpu_us_a_chunk(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.chunks.max(1) as f64
    }

    pub fn own_us_a_chunk(&self) -> f64 {
        self.own.as_secs_f64() * 1e6 / self.chunks.max(1) as f64
    }
}

/// What has been counted and spent at one moment.
struct Reading {
    at: Instant,
    cpu: Duration,
    own: Duration,
    chunks: u64,
    answers: u64,
}

impl Reading {
    fn take(tally: &Tally, process: &Process) -> Reading {
        let (chunks, answers) = (tally.chunks.get(), tally.answers.get());
        Reading { at: Instant::now(), cpu: process.cpu(), own: own_cpu(), chunks, answers }
    }
}

/// Runs a load; `process` is the one whose processor time counts.
pub async fn run(target: &Rc<Target>, process: &Process, load: Load) -> Outcome<Figures> {
    let (local, tally) = (LocalSet::new(), Rc::new(Tally::default()));
    let mut clients = JoinSet::new();
    let left = Rc::new(Cell::new(match load.extent {
        Extent::Timed { .. } => load.connections as u64,
        Extent::Counted(answers) => answers,
    }));
    for place in 0..load.connections {
        clients.spawn_local_on(client(place, load, target.clone(), tally.clone(), left.clone()), &local);
    }
    let finished = async { while clients.join_next().await.is_some() {} };
    let begin = || {
        *tally.ages.borrow_mut() = histogram();
        *tally.firsts.borrow_mut() = histogram();
        Reading::take(&tally, process)
    };
    let (start, end) = match load.extent {
        Extent::Timed { warm_up, window } => {
            let measured = async {
                sleep(warm_up).await;
                let start = begin();
                sleep(window).await;
                (start, Reading::take(&tally, process))
            };
            let measured = local.run_until(measured).await;
            if timeout(PATIENCE, local.run_until(finished)).await.is_err() {
                tally.fault("streams were still open a minute after the window");
            }
            measured
        }
        Extent::Counted(_) => {
            let start = begin();
            local.run_until(finished).await;
            (start, Reading::take(&tally, process))
        }
    };
    Ok(Figures {
        chunks: end.chunks - start.chunks,
        answers: end.answers - start.answers,
        seconds: (end.at - start.at).as_secs_f64(),
        cpu: end.cpu.saturating_sub(start.cpu),
        own: end.own.saturating_sub(start.own),
        faults: tally.faults.get(),
        ages: tally.ages.take().ok_or("no histogram")?,
        firsts: tally.firsts.take().ok_or("no histogram")?,
    })
}

/// One connection: asks while answers are left to ask for.
async fn client(place: usize, load: Load, target: Rc<Target>, tally: Rc<Tally>, left: Rc<Cell<u64>>) {
    // Spread over one gap, so that the provider does not beat for all streams at once.
    sleep(Duration::from_micros(load.ask.gap_us * place as u64 / load.connections as u64)).await;
    let mut connection = match connect(target.address).await {
        Ok(connection) => connection,
        Err(fault) => return tally.fault(&format!("connect: {fault}")),
    };
    let until = Until::End { chunks: if load.ask.stream { load.ask.chunks } else { 0 } };
    while left.get() > 0 {
        left.set(left.get() - 1);
        let Some(request) = target.completion(&load.ask) else {
            return tally.fault("no conversation was left");
        };
        if let Err(fault) = ask(&mut connection, &request, until, &tally).await {
            return tally.fault(&fault.to_string());
        }
    }
}
