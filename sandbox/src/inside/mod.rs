//! The child's side: one script, then the end.

mod cage;
mod calls;
mod console;
mod engine;
mod json;

use crate::wire::{self, Order};
use cage::Cage;
use engine::Engine;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

/// Stack of the script's thread beside what the script itself may use of it: the engine looks at its own use
/// only between two calls.
const STACK_SLACK: usize = 2 << 20;

/// One script with all that belongs to it.
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

/// Runs the one script that comes by standard input, and reports by standard output. The whole body of the
/// process that a [`Sandbox`](crate::Sandbox) starts; of no use to anybody else.
pub fn serve() -> io::Result<()> {
    // A handle of its own: that of the library would hold lines back.
    let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let cage = Cage::shut();
    say(&out, wire::READY, &[])?;
    let mut input = io::stdin().lock();
    let task = match read_task(&mut input) {
        // A spare that was never needed.
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
        task => task?,
    };
    let stack = usize::try_from(task.order.stack_bytes).map_err(io::Error::other)? + STACK_SLACK;
    let (inbox, answers) = mpsc::channel();
    std::thread::Builder::new().stack_size(stack).spawn(move || {
        // A panic would leave the parent waiting for an answer that never comes.
        let acted = catch_unwind(AssertUnwindSafe(|| act(&task, &cage, out, answers)));
        drop(acted);
        exit(1)
    })?;
    // The parent holds its end open until it is done; once that is closed, the result of the script is not awaited any
    // more. Its output is read at once until then, so that the parent never waits for a script that does not listen.
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

/// Runs the script and tells what came of it.
fn act(task: &Task, cage: &Cage, out: File, answers: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    cage.lock(&task.order, task.inputs.len() + task.code.len());
    let out = Rc::new(out);
    let engine = Engine::new(task, cage, out.clone());
    say(&out, wire::STARTED, &[])?;
    match engine.as_ref().map_err(engine::no_memory).and_then(|engine| engine.run(&answers)) {
        Ok(output) => say(&out, wire::OUTPUT, output.as_bytes())?,
        Err(fault) => say(&out, wire::FAULT, &serde_json::to_vec(&fault).map_err(io::Error::other)?)?,
    }
    // Taking the engine apart is not worth the time.
    exit(0)
}

fn say(mut out: &File, tag: u8, payload: &[u8]) -> io::Result<()> {
    out.write_all(&wire::frame(tag, payload)?)
}
