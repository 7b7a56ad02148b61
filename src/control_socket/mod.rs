//! A socket in the data folder through which the command line reaches the server that has the folder open.
//!
//! A client sends one line and receives lines; both are JSON, see `protocol.rs`. Only the owner of the folder and root
//! are served. The socket is not reachable over the network.

mod client;
mod protocol;
mod sending;

pub(crate) use client::ControlClient;

use protocol::{Event, MAX_LINE_LENGTH, Request};
use sending::send_backup;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use storage::Store;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedMutexGuard, Semaphore};
use tokio::task::{JoinHandle, JoinSet};

/// The file name of the socket in the data folder.
const NAME: &str = "control.sock";
/// The maximum number of concurrent clients; further connections are closed.
const CLIENTS: usize = 8;
/// The time limit for a client to send its request.
const REQUEST: Duration = Duration::from_secs(5);
/// The time limit for a client to receive pending data; a stopped client must not hold the server's memory.
const RECEIVE: Duration = Duration::from_secs(30);
/// The pause after accepting a client has failed.
const PAUSE: Duration = Duration::from_millis(200);

/// The socket of a running server.
pub(crate) struct ControlSocket {
    path: PathBuf,
    accepting: JoinHandle<()>,
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    /// The owner of the data folder.
    owner: u32,
    /// Held while a backup is being written.
    one_backup: Arc<tokio::sync::Mutex<()>>,
    /// The client that receives the backup.
    receiver: parking_lot::Mutex<Option<BlockingStream>>,
    is_stopping: AtomicBool,
}

impl ControlSocket {
    /// Listens in the data folder of an open store. Replaces a socket that was left behind by a killed server.
    ///
    /// # Errors
    /// The file system does not support sockets, or the path is too long for a socket.
    pub fn listen(store: Store) -> io::Result<Self> {
        let path = path_in(store.dir());
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let owner = std::fs::metadata(store.dir())?.uid();
        let listener = UnixListener::bind(&path)?;
        // Clients that connect before this point are refused by their user id.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let shared = Arc::new(Shared {
            store,
            owner,
            one_backup: Arc::default(),
            receiver: parking_lot::Mutex::default(),
            is_stopping: AtomicBool::new(false),
        });
        let accepting = tasks::spawn(accept(listener, shared.clone()));
        Ok(Self { path, accepting, shared })
    }

    /// Disconnects all clients, and waits until they no longer use the store.
    pub async fn stop(self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        self.accepting.abort();
        let _ = self.accepting.await;
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "the control socket could not be removed");
        }
        if let Some(receiver) = self.shared.receiver.lock().take() {
            // The client may have disconnected already.
            let _ = receiver.shutdown(std::net::Shutdown::Both);
        }
        let _ended = self.shared.one_backup.lock().await;
    }
}

/// The path of the socket in a data folder.
fn path_in(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

async fn accept(listener: UnixListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(CLIENTS));
    let mut clients = JoinSet::new();
    loop {
        while clients.try_join_next().is_some() {}
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "clients of the control socket cannot be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let is_allowed = stream.peer_cred().is_ok_and(|client| [0, shared.owner].contains(&client.uid()));
        let place = places.clone().try_acquire_owned();
        let (true, Ok(place)) = (is_allowed, place) else { continue };
        let shared = shared.clone();
        clients.spawn(async move {
            if let Err(error) = serve(&shared, stream).await {
                tracing::debug!(%error, "a client of the control socket disconnected");
            }
            drop(place);
        });
    }
}

async fn serve(shared: &Arc<Shared>, mut stream: UnixStream) -> io::Result<()> {
    let request = tokio::time::timeout(REQUEST, read_request(&mut stream)).await;
    let stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(RECEIVE))?;
    let request = request.unwrap_or_else(|_| Err("the request was not received in time".to_owned()));
    let refusal = match request {
        Ok(Request::Backup {}) => match shared.one_backup.clone().try_lock_owned() {
            Ok(turn) => return back_up(shared, stream, turn).await,
            Err(_) => "the server is writing another backup; try again when it is done".to_owned(),
        },
        Err(why) => why,
    };
    let refused = move || Event::Error { message: refusal }.write(&mut &stream);
    tasks::blocking(refused).await.map_err(io::Error::other)?
}

/// Reads one line. `Err` contains the reason why it is invalid.
async fn read_request(stream: &mut UnixStream) -> Result<Request, String> {
    let mut line = Vec::new();
    let mut reader = BufReader::new(stream.take(MAX_LINE_LENGTH as u64));
    reader.read_until(b'\n', &mut line).await.map_err(|error| error.to_string())?;
    serde_json::from_slice(&line).map_err(|error| format!("the request is not understood: {error}"))
}

async fn back_up(shared: &Arc<Shared>, client: BlockingStream, turn: OwnedMutexGuard<()>) -> io::Result<()> {
    *shared.receiver.lock() = Some(client.try_clone()?);
    if shared.is_stopping.load(Ordering::SeqCst) {
        return Ok(());
    }
    let own = shared.clone();
    let sending = move || {
        send_backup(&own.store, &client);
        *own.receiver.lock() = None;
        // Release the store first: a server that is stopping waits for the turn.
        drop(own);
        drop(turn);
    };
    tasks::blocking(sending).await.map_err(io::Error::other)
}
