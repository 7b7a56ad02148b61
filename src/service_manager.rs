//! Reports the state of the server to the service manager with systemd's `sd_notify` protocol.

use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsStr;
use std::fmt::Write;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of a service manager that expects notifications. Without one, notifying does nothing.
pub(crate) struct ServiceManager {
    socket: Option<UnixDatagram>,
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    pub fn from_environment() -> Self {
        let socket = std::env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty());
        let socket = socket.and_then(|path| match connect(&path) {
            Ok(socket) => Some(socket),
            Err(error) => {
                tracing::warn!(%error, socket = %path.display(), "the service manager cannot be notified");
                None
            }
        });
        let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
        let ours = number("WATCHDOG_PID").is_none_or(|process| process == u64::from(std::process::id()));
        let period = number("WATCHDOG_USEC").filter(|period| ours && *period > 0).map(Duration::from_micros);
        Self { watchdog: period.filter(|_| socket.is_some()), socket }
    }

    /// The maximum interval between watchdog signals that the service manager accepts.
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// Reports that the server is ready to serve.
    pub fn ready(&self, status: &str) {
        self.notify(&[("READY", "1"), ("STATUS", status)]);
    }

    /// Reports that the configuration is being reloaded; [`ready`](Self::ready) follows.
    pub fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
        self.notify(&[("RELOADING", "1"), ("MONOTONIC_USEC", &micros.to_string())]);
    }

    /// Reports that the server is stopping.
    pub fn stopping(&self, status: &str) {
        self.notify(&[("STOPPING", "1"), ("STATUS", status)]);
    }

    /// Sends a watchdog signal.
    pub fn alive(&self) {
        self.notify(&[("WATCHDOG", "1")]);
    }

    fn notify(&self, values: &[(&str, &str)]) {
        let Some(socket) = &self.socket else { return };
        let mut message = String::new();
        for (name, value) in values {
            // A value ends at the end of its line.
            let _ = writeln!(message, "{name}={}", value.replace('\n', " "));
        }
        if let Err(error) = socket.send(message.as_bytes()) {
            tracing::warn!(%error, "the service manager was not notified");
        }
    }
}

/// Connects to a path, or to an abstract socket name, which begins with `@`.
fn connect(path: &OsStr) -> io::Result<UnixDatagram> {
    let address = match path.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(path)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
