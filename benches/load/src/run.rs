//! Runs a load against a target and measures it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep, timeout};

use crate::client::{PATIENCE, Tally, Until, ask, histogram};
use crate::server::{Process, connect};
use crate::{Ask, Outcome, Target};

/// A load: a number of connections, each of which sends the next request as soon as it has received its response.
#[derive(Clone, Copy)]
pub struct Load {
    pub connections: usize,
    pub ask: Ask,
    /// The connections start one after the other within this time.
    pub spread: Duration,
    pub extent: Extent,
}

impl Load {
    /// A load whose connections start within one gap between chunks, so that the provider does not send for all streams at
    /// the same time.
    pub fn new(connections: usize, ask: Ask, extent: Extent) -> Load {
        Load { connections, ask, spread: Duration::from_micros(ask.gap_us), extent }
    }
}

/// How long a load lasts.
#[derive(Clone, Copy)]
pub enum Extent {
    /// A time window after a warm-up. Responses in progress at its end are read to completion but not counted.
    Timed { warm_up: Duration, window: Duration },
    /// This many responses in total.
    Counted(u64),
}

/// The measured figures of a load.
pub struct Figures {
    pub chunks: u64,
    pub answers: u64,
    pub seconds: f64,
    /// Processor time of the process under test.
    pub cpu: Duration,
    /// Microseconds from the provider's stamp in a chunk until the client read it.
    ages: Histogram<u64>,
    /// Microseconds from a request until its first chunk was read, or until the end of a response that is not a stream.
    firsts: Histogram<u64>,
}

impl Figures {
    pub fn cpu_us_per_chunk(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.chunks.max(1) as f64
    }

    pub fn cpu_us_per_answer(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.answers.max(1) as f64
    }

    pub fn chunks_per_second(&self) -> f64 {
        self.chunks as f64 / self.seconds
    }

    pub fn answers_per_second(&self) -> f64 {
        self.answers as f64 / self.seconds
    }

    /// Quantile of the milliseconds that a chunk took from the provider to the client.
    pub fn chunk_ms(&self, share: f64) -> f64 {
        self.ages.value_at_quantile(share) as f64 / 1e3
    }

    /// Quantile of the milliseconds until the first chunk, or until the end of a response that is not a stream.
    pub fn first_ms(&self, share: f64) -> f64 {
        self.firsts.value_at_quantile(share) as f64 / 1e3
    }
}

/// The counters and the processor time at one moment.
struct Reading {
    at: Instant,
    cpu: Duration,
    chunks: u64,
    answers: u64,
}

impl Reading {
    fn take(tally: &Tally, process: &Process) -> Reading {
        let (chunks, answers) = (tally.chunks.get(), tally.answers.get());
        Reading { at: Instant::now(), cpu: process.cpu(), chunks, answers }
    }
}

/// Runs a load. `process` is the process whose processor time is measured. If any response fails, the whole load fails,
/// because its figures would be meaningless.
pub async fn run(target: &Rc<Target>, process: &Process, load: Load) -> Outcome<Figures> {
    let (local, tally) = (LocalSet::new(), Rc::new(Tally::default()));
    let mut clients = JoinSet::new();
    let left = Rc::new(Cell::new(match load.extent {
        Extent::Timed { .. } => u64::MAX,
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
    let end = || (Reading::take(&tally, process), tally.ages.take(), tally.firsts.take());
    let (start, (end, ages, firsts)) = match load.extent {
        Extent::Timed { warm_up, window } => {
            let measured = async {
                sleep(warm_up).await;
                let start = begin();
                sleep(window).await;
                (start, end())
            };
            let measured = local.run_until(measured).await;
            left.set(0);
            if timeout(PATIENCE, local.run_until(finished)).await.is_err() {
                tally.fault("answers were still open a minute after the window");
            }
            measured
        }
        Extent::Counted(_) => {
            let start = begin();
            local.run_until(finished).await;
            (start, end())
        }
    };
    match (tally.faults.get(), ages, firsts) {
        (0, Some(ages), Some(firsts)) => Ok(Figures {
            chunks: end.chunks - start.chunks,
            answers: end.answers - start.answers,
            seconds: (end.at - start.at).as_secs_f64(),
            cpu: end.cpu.saturating_sub(start.cpu),
            ages,
            firsts,
        }),
        (faults, ..) => Err(format!("{faults} answers failed").into()),
    }
}

/// One connection: sends requests until all requested responses have been received.
async fn client(place: usize, load: Load, target: Rc<Target>, tally: Rc<Tally>, left: Rc<Cell<u64>>) {
    sleep(load.spread.mul_f64(place as f64 / load.connections as f64)).await;
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
