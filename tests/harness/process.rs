//! A server in its own thread, with its own actix system.

use super::socket::PATIENCE;
use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::Duration;
use storage::Store;
use tokio::sync::oneshot;
use understudy::{Config, FirstStart, Server, StartError};

pub struct Process {
    pub addr: SocketAddr,
    /// The administrator, if this was the first start.
    pub first: Option<FirstStart>,
    /// Its store, so that tests can inspect it.
    pub store: Store,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a server and waits until it listens.
    pub async fn start(config: Config) -> Self {
        let (started, told) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("server".to_owned());
        let thread = thread.spawn(move || serve(config, started, stopped)).expect("a thread");
        let (addr, first, store) = told.await.expect("the server thread lives").expect("the server starts");
        Self { addr, first, store, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops the server and waits until its thread has ended.
    pub async fn stop(mut self) {
        self.signal();
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            tokio::task::spawn_blocking(move || thread.join()).await.expect("joined").expect("no panic");
        }
    }

    fn signal(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal();
    }
}

type StartResult = Result<(SocketAddr, Option<FirstStart>, Store), StartError>;

fn serve(config: Config, started: oneshot::Sender<StartResult>, stopped: oneshot::Receiver<()>) {
    let system = actix_web::rt::System::new();
    system.block_on(async move {
        match start(config).await {
            Ok(mut server) => {
                let _ =
                    started.send(Ok((server.addr, server.first_start.take(), server.app().store.clone())));
                let _ = stopped.await;
                server.stop(Duration::ZERO).await;
            }
            Err(error) => drop(started.send(Err(error))),
        }
        actix_web::rt::System::current().stop();
    });
    system.run().expect("the system stops");
}

/// Retries while the folder is locked: the threads of a server that was stopped in this process may
/// use it for a moment longer.
async fn start(config: Config) -> Result<Server, StartError> {
    let began = std::time::Instant::now();
    loop {
        match Server::start(config.clone()).await {
            Err(StartError::Open(storage::OpenError::Locked { .. })) if began.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            other => return other,
        }
    }
}
