//! Checks whether the server makes progress, for the watchdog of the service manager.

use parking_lot::Mutex;
use std::time::Duration;
use storage::records::Tenant;
use storage::{Scan, Store, TenantId};
use tokio::sync::{mpsc, oneshot};

type Ping = oneshot::Sender<()>;

/// The threads that serve requests. Each has a task that answers pings, which works only while the thread is not stuck.
#[derive(Default)]
pub struct Workers(Mutex<Vec<mpsc::UnboundedSender<Ping>>>);

impl Workers {
    /// Adds the calling thread, which must run a Tokio `LocalSet`.
    pub fn join(&self) {
        let (sender, mut pings) = mpsc::unbounded_channel::<Ping>();
        actix_web::rt::spawn(async move {
            while let Some(ping) = pings.recv().await {
                let _ = ping.send(());
            }
        });
        self.0.lock().push(sender);
    }

    async fn answer(&self) -> Result<(), &'static str> {
        let pings: Vec<_> = {
            let mut workers = self.0.lock();
            workers.retain(|worker| !worker.is_closed());
            let ping = |worker: &mpsc::UnboundedSender<Ping>| {
                let (ping, answered) = oneshot::channel();
                worker.send(ping).ok().map(|()| answered)
            };
            workers.iter().filter_map(ping).collect()
        };
        if pings.is_empty() {
            return Err("no thread serves requests");
        }
        match futures::future::try_join_all(pings).await {
            Ok(_) => Ok(()),
            Err(_) => Err("a thread that serves requests has ended"),
        }
    }
}

/// Checks within a time limit that each thread that serves requests responds, and that the store can be read and
/// written.
///
/// # Errors
/// A description of the component that failed.
pub async fn check(workers: &Workers, store: &Store, within: Duration) -> Result<(), &'static str> {
    let read = async {
        let scan = |reader: &storage::Reader| {
            reader.scan::<Tenant>(TenantId::SYSTEM, Scan::table().limit(1)).map(drop)
        };
        store.read(scan).await.map_err(|_| "the store cannot be read")
    };
    if !store.is_healthy() {
        return Err("the store accepts no writes");
    }
    match tokio::time::timeout(within, futures::future::try_join(workers.answer(), read)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(why)) => Err(why),
        Err(_) => Err("a thread that serves requests, or the store, does not respond in time"),
    }
}
