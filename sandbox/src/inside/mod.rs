//! The child process: runs one script and ends.

mod calls;
mod child_confinement;
mod console;
mod engine;
mod json;

use crate::wire::{self, Order};
use child_confinement::ChildConfinement;
use engine::Engine;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

/// The stack size of the script's thread in addition to the script's limit: the engine checks its stack use only
/// between calls.
const STACK_SLACK: usize = 2 << 20;

/// A script with its inputs and limits.
struct Task {
    order: Order,
    code: Vec<u8>,
    inputs: Vec<u8>,
}

impl Task {
    fn time(&self) -> Duration {
        Duration::from_millis(self.order.time_ms)
    }
}

/// Runs the script received on the standard input, and reports on the standard output. This is the complete body of the
/// process that a [`Sandbox`](crate::Sandbox) starts, and has no other use.
pub fn serve() -> io::Result<()> {
    // Use a separate handle because the one of the standard library buffers lines.
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let child_confinement = ChildConfinement::shut();
    say(&out, wire::READY, &[])?;
    let mut input = io::stdin().lock();
    let task = match read_task(&mut input) {
        // An idle process that was never needed.
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
        task => task?,
    };
    let stack = usize::try_from(task.order.stack_bytes).map_err(io::Error::other)? + STACK_SLACK;
    let (inbox, answers) = mpsc::channel();
    std::thread::Builder::new().stack_size(stack).spawn(move || {
        // A panic would leave the parent waiting for a result that never comes.
        let acted = catch_unwind(AssertUnwindSafe(|| act(&task, &child_confinement, out, answers)));
        drop(acted);
        exit(1)
    })?;
    // The parent keeps its end open until it is done; once it is closed, the script's result is no longer expected.
    // Until then, answers are read immediately, so that the parent never waits for a script that does not read them.
    while let Ok(answer) = wire::read(&mut input, wire::ANSWER) {
        // A script that has ended needs no answers.
        let _ = inbox.send(answer);
    }
    Ok(())
}

fn read_task(input: &mut impl Read) -> io::Result<Task> {
    let order = serde_json::from_slice(&wire::read(input, wire::ORDER)?).map_err(io::Error::other)?;
    let code = wire::read(input, wire::CODE)?;
    let inputs = wire::read(input, wire::INPUTS)?;
    Ok(Task { order, code, inputs })
}

/// Runs the script and reports its outcome.
fn act(
    task: &Task,
    child_confinement: &ChildConfinement,
    out: File,
    answers: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    child_confinement.lock(&task.order, task.inputs.len() + task.code.len());
    let out = Rc::new(out);
    let engine = Engine::new(task, child_confinement, out.clone());
    say(&out, wire::STARTED, &[])?;
    match engine.as_ref().map_err(engine::no_memory).and_then(|engine| engine.run(&answers)) {
        Ok(output) => say(&out, wire::OUTPUT, output.as_bytes())?,
        Err(fault) => say(&out, wire::FAULT, &serde_json::to_vec(&fault).map_err(io::Error::other)?)?,
    }
    // Destroying the engine is not worth the time.
    exit(0)
}

fn say(mut out: &File, tag: u8, payload: &[u8]) -> io::Result<()> {
    out.write_all(&wire::frame(tag, payload)?)
}
