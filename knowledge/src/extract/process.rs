//! The parent process: starts one child process per file, and does not trust its output.

use super::pages::Limits;
use super::wire::{END, FAULT, Fault, HEAD, Head, ORDER, Order, PAGE, SMALL};
use super::{ExtractError, ExtractErrorKind as Kind, Extracted, ExtractorConfig, Hint, Page};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::timeout;

/// The time limit for a process to end after its pipe has been closed.
const GRACE: Duration = Duration::from_secs(2);
/// The maximum number of bytes that are read from a process's standard error.
const MAX_STDERR_BYTES: u64 = 4 << 10;
/// The frame overhead of a page in bytes: field names and its number. Each byte of text may take six in the frame.
const PAGE_FRAME: u64 = 1 << 10;

fn unavailable(why: impl std::fmt::Display) -> ExtractError {
    ExtractError::new(Kind::Unavailable, format!("the process that reads files cannot be started: {why}"))
}

/// Reads one file in a process of its own. Dropping the future kills the process.
pub(super) async fn read_in_child(
    config: &ExtractorConfig,
    path: &Path,
    hint: &Hint,
) -> Result<Extracted, ExtractError> {
    let owned = path.to_owned();
    let opened = tasks::blocking(move || File::open(owned)).await.map_err(unavailable)?;
    let file = opened.map_err(|why| {
        ExtractError::new(Kind::Unavailable, format!("the file could not be opened: {why}"))
    })?;
    let mut process = start(config, file, hint).map_err(unavailable)?;
    let missing = || unavailable("the new process has no pipes");
    let output = process.stdout.take().ok_or_else(missing)?;
    let errors = process.stderr.take().ok_or_else(missing)?;
    let mut listener =
        Listener { output: BufReader::new(output), room: config.text_bytes, pages: config.pages };
    let listened = timeout(config.time, listener.listen()).await;
    let outcome = match listened {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(why)) => Err(exit_reason(&mut process, errors, config, &why).await),
        Err(_) => {
            let most = config.time.as_secs_f64();
            Err(ExtractError::new(Kind::Timeout, format!("reading the file took longer than {most} s")))
        }
    };
    // An error means that the process has already ended.
    let _ = process.kill().await;
    outcome
}

fn start(config: &ExtractorConfig, file: File, hint: &Hint) -> io::Result<Child> {
    let order = Order {
        hint: Hint { filename: clip(&hint.filename), media_type: clip(&hint.media_type) },
        limits: Limits::within(config.memory_bytes, config.text_bytes, config.pages),
        memory_bytes: config.memory_bytes,
        file_bytes: config.file_bytes,
        seconds: config.time.as_secs() + 1,
    };
    let program = match &config.program {
        Some(program) => program.clone(),
        None => this_program()?,
    };
    let mut command = Command::new(program);
    command.args(&config.args).env_clear().env(ORDER, serde_json::to_string(&order)?);
    command.current_dir("/").kill_on_drop(true).arg0("understudy-extract");
    command.stdin(Stdio::from(file)).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn()
}

/// Cuts a name. Names only help to detect the format, for which their end is sufficient.
fn clip(name: &str) -> String {
    let skipped = name.chars().count().saturating_sub(200);
    name.chars().skip(skipped).filter(|c| *c != '\0').collect()
}

/// The path of this program. On Linux, the link that remains valid if the file has been replaced.
fn this_program() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

struct Listener {
    output: BufReader<ChildStdout>,
    /// The number of bytes of text that may still arrive.
    room: u64,
    /// The number of pages that may still arrive.
    pages: u32,
}

impl Listener {
    /// Reads the complete output of a process. The outer error is a violation of the protocol, not a failure to read
    /// the file.
    async fn listen(&mut self) -> io::Result<Result<Extracted, ExtractError>> {
        let (tag, payload) = self.frame(SMALL as u64).await?;
        let mut extracted = match tag {
            HEAD => {
                let Head { media_type, title } = parsed(&payload)?;
                Extracted { media_type, title, pages: Vec::new() }
            }
            FAULT => return Ok(Err(fault(&payload)?)),
            _ => return Err(io::Error::other("an unexpected frame")),
        };
        loop {
            let most = self.room.saturating_mul(6).saturating_add(PAGE_FRAME);
            let (tag, payload) = self.frame(most.max(SMALL as u64)).await?;
            match tag {
                PAGE => extracted.pages.push(self.page(&payload)?),
                END => return Ok(Ok(extracted)),
                FAULT => return Ok(Err(fault(&payload)?)),
                _ => return Err(io::Error::other("an unexpected frame")),
            }
        }
    }

    fn page(&mut self, payload: &[u8]) -> io::Result<Page> {
        let page: Page = parsed(payload)?;
        let bytes = page.text.len() + page.name.as_ref().map_or(0, String::len);
        let fits = (self.room.checked_sub(bytes as u64), self.pages.checked_sub(1));
        let (Some(room), Some(pages)) = fits else {
            return Err(io::Error::other("more pages than are allowed"));
        };
        (self.room, self.pages) = (room, pages);
        Ok(page)
    }

    async fn frame(&mut self, most: u64) -> io::Result<(u8, Vec<u8>)> {
        let tag = self.output.read_u8().await?;
        let length = u64::from(self.output.read_u32_le().await?);
        if length > most {
            return Err(io::Error::other("a frame that is too long"));
        }
        // The buffer grows with the received data, not with the announced length.
        let mut payload = Vec::new();
        let read = (&mut self.output).take(length).read_to_end(&mut payload).await?;
        if read as u64 == length { Ok((tag, payload)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

fn parsed<T: DeserializeOwned>(payload: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(payload)?)
}

fn fault(payload: &[u8]) -> io::Result<ExtractError> {
    let Fault { kind, message } = parsed(payload)?;
    Ok(ExtractError { kind, message })
}

/// Determines why a process ended without a result.
async fn exit_reason(
    process: &mut Child,
    errors: ChildStderr,
    config: &ExtractorConfig,
    why: &io::Error,
) -> ExtractError {
    let ended = timeout(GRACE, process.wait()).await;
    let status: Option<ExitStatus> = match ended {
        Ok(Ok(status)) => Some(status),
        _ => {
            let _ = process.kill().await;
            None
        }
    };
    let mut words = Vec::new();
    let _ = timeout(GRACE, errors.take(MAX_STDERR_BYTES).read_to_end(&mut words)).await;
    let words = String::from_utf8_lossy(&words);
    tracing::warn!(?status, %why, words = words.trim(), "a process that read a file crashed");
    const ABORTED: i32 = 6;
    const KILLED: i32 = 9;
    const OUT_OF_CPU_TIME: i32 = 24;
    let most = config.memory_bytes;
    let memory = || {
        ExtractError::new(Kind::Memory, format!("reading the file needed more than {most} bytes of memory"))
    };
    match status.and_then(|status| status.signal()) {
        // The allocator aborts when the address space is exhausted. So does a stack overflow, with a different message.
        Some(ABORTED) if !words.contains("overflowed its stack") => memory(),
        // The process was not killed by this server: the system has run out of memory.
        Some(KILLED) => memory(),
        Some(OUT_OF_CPU_TIME) => {
            ExtractError::new(Kind::Timeout, "reading the file used up its processor time")
        }
        Some(signal) => ExtractError::new(
            Kind::Crashed,
            format!("the process that read the file was ended by signal {signal}"),
        ),
        None => ExtractError::new(Kind::Crashed, "the process that read the file crashed"),
    }
}
