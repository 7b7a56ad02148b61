//! Limits how many scripts run at once, and manages idle processes.

use crate::child::{Child, HostCalls, encoded_script};
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
    /// The program that calls [`serve`](crate::serve); this program by default.
    pub program: Option<PathBuf>,
    /// The arguments that make the program call [`serve`](crate::serve).
    pub args: Vec<OsString>,
    /// The number of scripts that run at once, each in its own process; further scripts wait. 0 for twice the number of
    /// cores.
    pub children: usize,
    /// The number of idle processes that are kept ready, in addition to those that run a script. There are none before
    /// the first script, and none long after the last one.
    pub spares: usize,
    /// The maximum memory of a script in bytes, regardless of its own limits.
    pub memory_bytes: u64,
    /// The time limit for a new process to become ready.
    pub start_patience: Duration,
    /// The time for which an idle process is kept.
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

/// Runs scripts. Cheap to clone; clones share all processes and limits.
#[derive(Clone)]
pub struct Sandbox(Arc<Pool>);

struct Pool {
    config: SandboxConfig,
    places: Semaphore,
    spares: Mutex<Spares>,
}

#[derive(Default)]
struct Spares {
    /// Idle processes with their numbers, the oldest first.
    waiting: Vec<(u64, Child)>,
    /// The number of idle processes started so far, which is the number of the next one.
    started: u64,
}

impl Sandbox {
    /// Creates a sandbox. Processes are started on demand.
    pub fn new(config: SandboxConfig) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let places = if config.children == 0 { 2 * cores } else { config.children };
        let places = Semaphore::new(places.min(Semaphore::MAX_PERMITS));
        Self(Arc::new(Pool { config, places, spares: Mutex::default() }))
    }

    /// Runs a script. Waits for its turn first, which does not count towards the time limit. Dropping the future kills
    /// the script.
    ///
    /// Must be called within a Tokio runtime with time and I/O enabled.
    ///
    /// # Errors
    /// The reason why the script did not return a result within its limits.
    pub async fn run(&self, script: &Script, limits: &Limits) -> Result<ScriptOutput, ScriptError> {
        self.run_hosted(script, limits, HostCalls { host: None, names: Vec::new() }).await
    }

    /// [Runs](Self::run) a script that may call a host. Waiting for an answer counts towards its time limit. Calls
    /// beyond `limits.calls`, and calls whose arguments or result exceed `limits.call_bytes`, are rejected.
    ///
    /// # Errors
    /// The same as for [`run`](Self::run).
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
        let encoded_script = encoded_script(script, &limits, &hosted.names)
            .ok()
            .filter(|all| all.len() as u64 <= limits.memory_bytes);
        let too_large = || format!("the script and its inputs have more than {} bytes", limits.memory_bytes);
        let encoded_script = encoded_script.ok_or_else(|| refusal(Kind::Memory, too_large()))?;
        let unavailable = |why: io::Error| {
            refusal(Kind::Unavailable, format!("the process for the script cannot be started: {why}"))
        };
        let _place = pool.places.acquire().await.map_err(|why| unavailable(io::Error::other(why)))?;
        let child = pool.begin(&encoded_script).await.map_err(unavailable)?;
        drop(encoded_script);
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

    /// Starts a script in an idle process, or otherwise in a new one.
    async fn begin(&self, encoded_script: &[u8]) -> io::Result<Child> {
        let patience = self.config.start_patience;
        loop {
            let spare = self.spares().waiting.pop();
            let Some((_, mut spare)) = spare else { break };
            // An idle process that has died unnoticed is not a failure.
            if spare.begin(encoded_script, patience).await.is_ok() {
                return Ok(spare);
            }
        }
        let mut fresh = self.start()?;
        fresh.begin(encoded_script, patience).await?;
        Ok(fresh)
    }

    /// Starts an idle process, if there is room for one, and returns its number.
    fn add_spare(&self) -> io::Result<Option<u64>> {
        if self.spares().waiting.len() >= self.config.spares {
            return Ok(None);
        }
        let child = self.start()?;
        let mut spares = self.spares();
        spares.started += 1;
        let name = spares.started;
        spares.waiting.push((name, child));
        // Two processes may have been added at the same time.
        let surplus = spares.waiting.len().saturating_sub(self.config.spares);
        let surplus: Vec<_> = spares.waiting.drain(..surplus).collect();
        drop(spares);
        drop(surplus);
        Ok(Some(name))
    }
}

/// Maintains the number of idle processes, and ends them once they are no longer needed.
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

/// The path of this program. On Linux, the link that remains valid if the file has been replaced.
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
