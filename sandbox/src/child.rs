//! The parent's side of a child process.

use crate::host::Host;
use crate::script::{Limits, Script, ScriptError, ScriptErrorKind as Kind, ScriptOutput};
use crate::wire::{self, Call, Fault, Order};
use futures::stream::{self, FuturesUnordered, StreamExt};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{Child as Process, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

/// The time by which the engine's own timeout precedes the parent's: the engine ends a script in an orderly way, with a
/// better message.
const GRACE: Duration = Duration::from_millis(400);
/// The maximum size of a fault frame in bytes; messages are cut far below this size.
const MAX_FAULT_BYTES: usize = 64 << 10;
/// The maximum number of concurrent host calls; further calls wait.
const CALLS_AT_ONCE: usize = 8;
/// The bytes of a call frame in addition to its arguments.
const AROUND_CALL: usize = 1 << 10;
/// The maximum length in bytes of a failed call's message.
const MAX_REASON_LENGTH: usize = 2_000;
/// The maximum nesting depth that the parser of results supports.
const MAX_DEPTH: u32 = 120;

/// The functions that a script may call, if any.
pub struct HostCalls<'h> {
    /// The host that executes the script's calls.
    pub host: Option<&'h dyn Host>,
    /// The names of the host's functions.
    pub names: Vec<String>,
}

impl HostCalls<'_> {
    /// Executes a call and returns the payload of the answer.
    async fn answer(&self, call: Call, most: u64) -> Vec<u8> {
        let came = match self.host {
            Some(host) => host.call(&call.name, call.arguments).await,
            None => Err("there is no host".to_owned()),
        };
        let name = &call.name;
        let json = came.and_then(|value| serde_json::to_vec(&value).map_err(|why| why.to_string()));
        let came = json.and_then(|json| match json.len() as u64 > most {
            true => Err(format!("{name}() gives {} bytes; the most is {most}", json.len())),
            false => Ok(json),
        });
        let came = came.map_err(|mut why| {
            why.truncate(why.floor_char_boundary(MAX_REASON_LENGTH));
            why
        });
        wire::answer(call.id, &came)
    }
}

/// A process that waits for a single script. It is killed when this value is dropped.
pub struct Child {
    process: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Encodes all data that a child needs to run a script.
pub fn encoded_script(script: &Script, limits: &Limits, host: &[String]) -> io::Result<Vec<u8>> {
    let order = Order {
        entry: script.entry.clone(),
        time_ms: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
        memory_bytes: limits.memory_bytes,
        stack_bytes: limits.stack_bytes,
        output_bytes: limits.output_bytes,
        log_bytes: limits.log_bytes,
        depth: limits.depth.min(MAX_DEPTH),
        host: host.to_vec(),
        calls: limits.calls,
        call_bytes: limits.call_bytes,
    };
    let mut all = wire::frame(wire::ORDER, &serde_json::to_vec(&order)?)?;
    all.extend(wire::frame(wire::CODE, script.code.as_bytes())?);
    all.extend(wire::frame(wire::INPUTS, &serde_json::to_vec(&script.inputs)?)?);
    Ok(all)
}

impl Child {
    /// Starts a process, which may not be ready yet when this returns.
    pub fn start(program: &Path, args: &[OsString]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir("/").kill_on_drop(true).arg0("understudy-sandbox");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let missing = || io::Error::other("the new process has no pipes");
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        Ok(Self { process, input, output })
    }

    /// Waits until the process is ready, sends the script, and waits until it begins. After an error, no part of the
    /// script has run.
    pub async fn begin(&mut self, encoded_script: &[u8], patience: Duration) -> io::Result<()> {
        timeout(patience, self.hand_over(encoded_script)).await?
    }

    async fn hand_over(&mut self, encoded_script: &[u8]) -> io::Result<()> {
        self.expect_tag(wire::READY).await?;
        self.input.write_all(encoded_script).await?;
        self.input.flush().await?;
        self.expect_tag(wire::STARTED).await
    }

    async fn expect_tag(&mut self, expected: u8) -> io::Result<()> {
        match wire::receive(&mut self.output, 0).await? {
            (tag, _) if tag == expected => Ok(()),
            _ => Err(io::Error::other("the program has no sandbox command")),
        }
    }

    /// Waits for the result of the script that was [started](Self::begin). The process has ended when this returns.
    pub async fn finish(
        mut self,
        limits: &Limits,
        host: &HostCalls<'_>,
    ) -> Result<ScriptOutput, ScriptError> {
        let (mut logs, began) = (Vec::new(), Instant::now());
        let listened = timeout(limits.time + GRACE, self.listen(limits, host, &mut logs)).await;
        let fault = match listened {
            Ok(Ok(verdict)) => {
                let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                self.end().await;
                match verdict {
                    Ok(output) => return Ok(ScriptOutput { output, logs, elapsed_ms }),
                    Err(fault) => fault,
                }
            }
            Ok(Err(_)) => self.exit_reason(limits).await,
            Err(_) => {
                self.end().await;
                let most = limits.time.as_millis();
                Fault::new(Kind::Timeout, format!("the script took longer than {most} ms and was killed"))
            }
        };
        Err(ScriptError { kind: fault.kind, message: fault.message, line: fault.line, logs })
    }

    /// Reads the child's messages up to its result, and answers its calls.
    async fn listen(
        &mut self,
        limits: &Limits,
        host: &HostCalls<'_>,
        logs: &mut Vec<String>,
    ) -> io::Result<Result<serde_json::Value, Fault>> {
        let wide = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        // Half surrogates are replaced after the limits were checked, but become smaller: three bytes instead of six.
        let most = wide(limits.output_bytes.max(limits.log_bytes)).max(MAX_FAULT_BYTES);
        let most = if host.names.is_empty() { most } else { most.max(wide(limits.call_bytes) + AROUND_CALL) };
        let mut room = limits.log_bytes;
        let Self { input, output, .. } = self;
        // Use a stream, because a partially read frame must not be lost when a call is answered.
        let mut frames = pin!(stream::unfold(output, |output| async move {
            let frame = wire::receive(output, most).await;
            Some((frame, output))
        }));
        let (mut remaining_calls, mut waiting, mut under_way) =
            (limits.calls, VecDeque::new(), FuturesUnordered::new());
        loop {
            while under_way.len() < CALLS_AT_ONCE
                && let Some(call) = waiting.pop_front()
            {
                under_way.push(host.answer(call, limits.call_bytes));
            }
            let frame = tokio::select! {
                frame = frames.next() => frame,
                Some(answer) = under_way.next() => {
                    // The child reads answers immediately; one that does not will soon exceed its time limit.
                    input.write_all(&wire::frame(wire::ANSWER, &answer)?).await?;
                    continue;
                }
            };
            let (tag, payload) = frame.ok_or(io::ErrorKind::UnexpectedEof)??;
            match tag {
                wire::CALL => {
                    let call: Call = serde_json::from_slice(&payload)?;
                    remaining_calls =
                        remaining_calls.checked_sub(1).ok_or_else(|| io::Error::other("too many calls"))?;
                    if !host.names.contains(&call.name) {
                        return Err(io::Error::other("a call of an unknown function"));
                    }
                    waiting.push_back(call);
                }
                wire::LOG => {
                    // The child counts too; this check protects against a compromised child.
                    let cost = payload.len() as u64 + 1;
                    room = room.checked_sub(cost).ok_or_else(|| io::Error::other("too many lines"))?;
                    logs.push(String::from_utf8_lossy(&payload).into_owned());
                }
                wire::OUTPUT => {
                    let read = serde_json::from_slice(&payload);
                    let no_json = |why| Fault::new(Kind::Output, format!("the result is not JSON: {why}"));
                    return Ok(read.map_err(no_json));
                }
                wire::FAULT => return Ok(Err(serde_json::from_slice(&payload)?)),
                _ => return Err(io::Error::other("an unexpected frame")),
            }
        }
    }

    /// Kills the process if it is still running, and reaps it.
    async fn end(&mut self) -> Option<ExitStatus> {
        // An error means that the process has already ended.
        let _ = self.process.kill().await;
        self.process.try_wait().ok().flatten()
    }

    /// Determines why a process ended without a result.
    async fn exit_reason(&mut self, limits: &Limits) -> Fault {
        // The pipe is closed, so the process is about to end by itself. Wait briefly for its exit status.
        let ended = timeout(GRACE, self.process.wait()).await;
        let status = match ended {
            Ok(Ok(status)) => Some(status),
            _ => self.end().await,
        };
        const ABORTED: i32 = 6;
        const OUT_OF_CPU_TIME: i32 = 24;
        let most = limits.memory_bytes;
        match status.and_then(|status| status.signal()) {
            // The allocator aborts when the address space is exhausted.
            Some(ABORTED) => {
                Fault::new(Kind::Memory, format!("the script used more than {most} bytes of memory"))
            }
            Some(OUT_OF_CPU_TIME) => Fault::new(Kind::Timeout, "the script used up its CPU time"),
            Some(signal) => {
                Fault::new(Kind::Crashed, format!("the script's process was ended by signal {signal}"))
            }
            None => Fault::new(Kind::Crashed, "the script's process crashed"),
        }
    }
}
