//! How many scripts run at once, and the processes that wait for one.

use crate::child::{Child, HostCalls, parcel};
use crate::host::Host;
use crate::script::{Limits, Script, ScriptError, ScriptErrorKind as Kind, ScriptOutput};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The limits and the process pool of a [`Sandbox`].
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// The program whose body is [`serve`](crate::serve); this very program where none is named.
    pub program: Option<PathBuf>,
    /// What the program is told so that it serves.
    pub args: Vec<OsString>,
    /// Scripts that run at once, each in a process of its own; further ones wait. 0 for twice the cores.
    pub children: usize,
    /// Processes that are kept ready, beside those that run a script. There is none before the first script, and
    /// none long after the last.
    pub spares: usize,
    /// Memory that a script may have at most, whatever its own limits say.
    pub memory_bytes: u64,
    /// How long a new process may take until it is there.
    pub start_patience: Duration,
    /// How long a process is kept ready without being needed.
    pub spare_life: Duration,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            program: None,
            args: vec!["sandbox".into()],
            children: 0,
            spares: 1,
            memory_bytes: 512 << 20,
            start_patience: Duration::from_secs(10),
            spare_life: Duration::from_secs(60),
        }
    }
}

/// Where scripts run. Cheap to clone; its clones share everything.
#[derive(Clone)]
pub struct Sandbox(Arc<Pool>);

struct Pool {
    config: SandboxConfig,
    places: Semaphore,
    spares: Mutex<Spares>,
}

#[derive(Default)]
struct Spares {
    /// Spare processes with their numbers, oldest first.
    waiting: Vec<(u64, Child)>,
    /// How many there have been, which names the next.
    started: u64,
}

impl Sandbox {
    /// A sandbox that has no process yet.
    pub fn new(config: SandboxConfig) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places = if config.children == 0 { 2 * cores } else { config.children };
        let places = Semaphore::new(places.min(Semaphore::MAX_PERMITS));
        Self(Arc::new(Pool { config, places, spares: Mutex::default() }))
    }

    /// Runs a script. Waits for its turn first, which is not counted as its time. Dropping the future kills it.
    ///
    /// Must be called within a Tokio runtime with time and input/output.
    ///
    /// # Errors
    /// Whatever kept the script from giving a result within its limits.
    pub async fn run(&self, script: &Script, limits: &Limits) -> Result<ScriptOutput, ScriptError> {
        self.run_hosted(script, limits, HostCalls { host: None, names: Vec::new() }).await
    }

    /// [Runs](Self::run) a script that may call a host. Its time goes on while it waits for an answer. Calls
    /// beyond `limits.calls`, and those that are given or give more than `limits.call_bytes`, are rejected.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_with(
        &self,
        script: &Script,
        limits: &Limits,
        host: &dyn Host,
    ) -> Result<ScriptOutput, ScriptError> {
        let names = host.names();
        self.run_hosted(script, limits, HostCalls { host: Some(host), names }).await
    }

    async fn run_hosted(
        &self,
        script: &Script,
        limits: &Limits,
        hosted: HostCalls<'_>,
    ) -> Result<ScriptOutput, ScriptError> {
        let parts = hosted.names.iter().flat_map(|name| name.split('.'));
        if let Some(bad) = std::iter::once(script.entry.as_str()).chain(parts).find(|name| !is_name(name)) {
            return Err(refusal(Kind::Syntax, format!("{bad:?} is not a valid function name")));
        }
        let pool = &self.0;
        let limits = Limits { memory_bytes: limits.memory_bytes.min(pool.config.memory_bytes), ..*limits };
        let parcel =
            parcel(script, &limits, &hosted.names).ok().filter(|all| all.len() as u64 <= limits.memory_bytes);
        let too_large = || format!("the script and its inputs have more than {} bytes", limits.memory_bytes);
        let parcel = parcel.ok_or_else(|| refusal(Kind::Memory, too_large()))?;
        let unavailable = |why: io::Error| {
            refusal(Kind::Unavailable, format!("the process for the script cannot be started: {why}"))
        };
        let _place = pool.places.acquire().await.map_err(|why| unavailable(io::Error::other(why)))?;
        let child = pool.begin(&parcel).await.map_err(unavailable)?;
        drop(parcel);
        let ran = child.finish(&limits, &hosted).await;
        refill(pool);
        ran
    }
}

impl Pool {
    fn spares(&self) -> MutexGuard<'_, Spares> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) -> io::Result<Child> {
        match &self.config.program {
            Some(program) => Child::start(program, &self.config.args),
            None => Child::start(&this_program()?, &self.config.args),
        }
    }

    /// A process that has begun with a script: a spare one, else a new one.
    async fn begin(&self, parcel: &[u8]) -> io::Result<Child> {
        let patience = self.config.start_patience;
        loop {
            let spare = self.spares().waiting.pop();
            let Some((_, mut spare)) = spare else { break };
            // One that went down unseen is no reason to fail.
            if spare.begin(parcel, patience).await.is_ok() {
                return Ok(spare);
            }
        }
        let mut fresh = self.start()?;
        fresh.begin(parcel, patience).await?;
        Ok(fresh)
    }

    /// Starts a spare process, if there is room for one: its name.
    fn add_spare(&self) -> io::Result<Option<u64>> {
        if self.spares().waiting.len() >= self.config.spares {
            return Ok(None);
        }
        let child = self.start()?;
        let mut spares = self.spares();
        spares.started += 1;
        let name = spares.started;
        spares.waiting.push((name, child));
        // Two may have come at the same time.
        let surplus = spares.waiting.len().saturating_sub(self.config.spares);
        let surplus: Vec<_> = spares.waiting.drain(..surplus).collect();
        drop(spares);
        drop(surplus);
        Ok(Some(name))
    }
}

/// Keeps the number of spare processes up, and ends them once no caller needs them.
fn refill(pool: &Arc<Pool>) {
    let pool: Weak<Pool> = Arc::downgrade(pool);
    tasks::spawn(async move {
        let Some(strong) = pool.upgrade() else { return };
        let life = strong.config.spare_life;
        let name = match strong.add_spare() {
            Ok(Some(name)) => name,
            Ok(None) => return,
            Err(why) => return tracing::warn!(%why, "no spare process for scripts could be started"),
        };
        drop(strong);
        tokio::time::sleep(life).await;
        let Some(strong) = pool.upgrade() else { return };
        let gone = {
            let mut spares = strong.spares();
            let at = spares.waiting.iter().position(|(other, _)| *other == name);
            at.map(|at| spares.waiting.remove(at))
        };
        drop(gone);
    });
}

/// The file of this program. On Linux by the link that still leads to it when the file has been replaced.
fn this_program() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

fn is_name(text: &str) -> bool {
    let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins_well && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn refusal(kind: Kind, message: String) -> ScriptError {
    ScriptError { kind, message, line: None, logs: Vec::new() }
}
