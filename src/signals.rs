//! Handles signals to the process.
//!
//! | signal | effect |
//! |---|---|
//! | SIGTERM, SIGINT | stop; live runs get `runs.shutdown_grace_seconds` to finish. A second signal stops at once |
//! | SIGQUIT | stop at once |
//! | SIGHUP | reload the configuration |
//! | SIGUSR1, SIGUSR2, SIGALRM, SIGIO | ignored except for a log line |
//!
//! By default, each of the last five signals would terminate the process silently.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that a server handles.
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

/// The action requested by a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Stop gracefully; contains the name of the signal.
    Stop(&'static str),
    /// Stop without waiting for runs; contains the name of the signal.
    StopAtOnce(&'static str),
    /// Reload the configuration.
    Reload,
}

impl Signals {
    /// Handles the signals that must not terminate the process. Signals that stop a server still terminate it at once,
    /// so that a start can be interrupted at any point. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// The operating system refuses to install a handler.
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

    /// Also handles the signals that stop the server. Must be called before the server is announced as ready.
    ///
    /// # Errors
    /// The operating system refuses to install a handler.
    pub fn listen_to_stop(&mut self) -> io::Result<()> {
        self.stop = Some(StopSignals {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
        });
        Ok(())
    }

    /// Waits for the next request. Signals of one kind that arrive between two calls count as one.
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
