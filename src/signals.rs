//! Signals to the process.
//!
//! | signal | what it does |
//! |---|---|
//! | SIGTERM, SIGINT | stop; live runs get `runs.shutdown_grace_seconds` to end. A second one stops at once |
//! | SIGQUIT | stop at once |
//! | SIGHUP | read the configuration again |
//! | SIGUSR1, SIGUSR2, SIGALRM, SIGIO | nothing but a line in the log |
//!
//! By default each of the last five would end the process without a word.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that a server listens to.
pub struct Signals {
    reload: Signal,
    ignored: [(&'static str, Signal); 4],
    stop: Option<StopSignals>,
}

struct StopSignals {
    term: Signal,
    int: Signal,
    quit: Signal,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// To stop; the signal's name.
    Stop(&'static str),
    /// To stop without waiting for anything.
    StopAtOnce(&'static str),
    /// To read the configuration again.
    Reload,
}

impl Signals {
    /// Listens to the signals that must not end the process. Those that stop it still end it at once: a start can be
    /// interrupted at any point. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// The system refuses.
    pub fn listen() -> io::Result<Self> {
        let listen = |name, kind| Ok::<_, io::Error>((name, signal(kind)?));
        Ok(Self {
            reload: signal(SignalKind::hangup())?,
            ignored: [
                listen("SIGUSR1", SignalKind::user_defined1())?,
                listen("SIGUSR2", SignalKind::user_defined2())?,
                listen("SIGALRM", SignalKind::alarm())?,
                listen("SIGIO", SignalKind::io())?,
            ],
            stop: None,
        })
    }

    /// Listens to those that stop the server, too. To be called before anybody is told that the server is there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn listen_to_stop(&mut self) -> io::Result<()> {
        self.stop = Some(StopSignals {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        });
        Ok(())
    }

    /// The next request. Signals of one kind that arrive between two calls count as one.
    pub(crate) async fn next(&mut self) -> Request {
        let [usr1, usr2, alarm, io] = &mut self.ignored;
        loop {
            let ignored = tokio::select! {
                biased;
                request = StopSignals::next(&mut self.stop) => return request,
                _ = self.reload.recv() => return Request::Reload,
                _ = usr1.1.recv() => usr1.0,
                _ = usr2.1.recv() => usr2.0,
                _ = alarm.1.recv() => alarm.0,
                _ = io.1.recv() => io.0,
            };
            tracing::info!(signal = ignored, "ignored an unsupported signal");
        }
    }
}

impl StopSignals {
    async fn next(stop: &mut Option<Self>) -> Request {
        let Some(Self { term, int, quit }) = stop else { return std::future::pending().await };
        tokio::select! {
            _ = term.recv() => Request::Stop("SIGTERM"),
            _ = int.recv() => Request::Stop("SIGINT"),
            _ = quit.recv() => Request::StopAtOnce("SIGQUIT"),
        }
    }
}
