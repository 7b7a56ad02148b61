//! The JavaScript engine with its limits, and the execution of a script in it.

use super::Task;
use super::calls::{self, Calls};
use super::child_confinement::ChildConfinement;
use super::console::{self, Console};
use super::json;
use crate::script::ScriptErrorKind as Kind;
use crate::wire::{Fault, Order};
use rquickjs::context::{EvalOptions, intrinsic as i};
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Error, Exception, Function, Object, Result, Runtime, Value};
use std::cell::Cell;
use std::fs::File;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The file name of the script in stack traces, by which its lines are found.
const FILE: &str = "code.js";
/// The maximum length of an error's message in bytes.
const MAX_MESSAGE_LENGTH: usize = 2_000;

/// The language features, without access to the machine.
type Language = (
    i::Date,
    i::Eval,
    i::RegExpCompiler,
    i::RegExp,
    i::Json,
    i::Proxy,
    i::MapSet,
    i::TypedArrays,
    i::Promise,
    i::WeakRef,
);

/// An engine for one script.
pub struct Engine<'a> {
    task: &'a Task,
    child_confinement: &'a ChildConfinement,
    /// Declared before the runtime it belongs to, so that it is dropped first.
    context: Context,
    _runtime: Runtime,
    out: Rc<File>,
    console: Rc<Console>,
    clock: Rc<Clock>,
}

/// Tracks whether the time limit has been reached.
struct Clock {
    end: Cell<Option<Instant>>,
    struck: Cell<bool>,
}

impl Clock {
    fn is_up(&self) -> bool {
        let up = self.end.get().is_some_and(|end| Instant::now() >= end);
        self.struck.set(self.struck.get() || up);
        up
    }

    /// The remaining time.
    fn left(&self) -> Duration {
        let remaining = self.end.get().map(|end| end.saturating_duration_since(Instant::now()));
        remaining.unwrap_or(Duration::MAX)
    }
}

/// The fault if there is not enough memory to create an engine.
pub fn no_memory(_: &Error) -> Fault {
    Fault::new(Kind::Memory, "there is not enough memory to start the script")
}

impl<'a> Engine<'a> {
    pub fn new(task: &'a Task, child_confinement: &'a ChildConfinement, out: Rc<File>) -> Result<Self> {
        let order = &task.order;
        let runtime = Runtime::new()?;
        let context = Context::custom::<Language>(&runtime)?;
        // Set the stack limit only now: it applies to the script and not to the setup of the language.
        runtime.set_max_stack_size(usize::try_from(order.stack_bytes).unwrap_or(usize::MAX));
        let base = u64::try_from(runtime.memory_usage().malloc_size).unwrap_or(0);
        runtime.set_memory_limit(usize::try_from(base + order.memory_bytes).unwrap_or(usize::MAX));
        let console = Console::new(out.clone(), order.log_bytes);
        let clock = Rc::new(Clock { end: Cell::new(None), struck: Cell::new(false) });
        let (listener, watch) = (console.clone(), clock.clone());
        runtime.set_interrupt_handler(Some(Box::new(move || watch.is_up() || listener.is_full())));
        Ok(Self { task, child_confinement, context, _runtime: runtime, out, console, clock })
    }

    /// Runs the script and returns its result as JSON. `answers` receives the results of host calls.
    pub fn run(&self, answers: &Receiver<Vec<u8>>) -> std::result::Result<String, Fault> {
        self.clock.end.set(Instant::now().checked_add(self.task.time()));
        let result = self.context.with(|ctx| {
            let value = self.load(&ctx).and_then(|main| self.call(&ctx, &main, answers))?;
            self.output(&ctx, value)
        });
        // If a limit was exceeded, the outcome of the script is ignored, because it may have caught the interruption.
        match result {
            _ if self.console.is_full() => Err(self.too_much_said()),
            Err(fault) if fault.kind == Kind::Timeout => Err(fault),
            _ if self.clock.struck.get() => Err(self.too_late()),
            result => result,
        }
    }

    fn order(&self) -> &Order {
        &self.task.order
    }

    /// Evaluates the script and finds its entry function.
    fn load<'js>(&self, ctx: &Ctx<'js>) -> std::result::Result<Function<'js>, Fault> {
        let mut options = EvalOptions::default();
        options.filename = Some(FILE.to_owned());
        let entry = &self.order().entry;
        console::install(ctx, &self.console).map_err(|why| self.fault(ctx, &why, Phase::Loading))?;
        ctx.eval_with_options::<Value, _>(self.task.code.as_slice(), options)
            .map_err(|why| self.fault(ctx, &why, Phase::Loading))?;
        // Evaluate the name, because `const main = ...` does not create a property of the global object.
        let found = format!("typeof {entry} === 'function' ? {entry} : undefined");
        let found: Value = ctx.eval(found).map_err(|why| self.fault(ctx, &why, Phase::Loading))?;
        let missing = || Fault::new(Kind::Syntax, format!("the code has no function {entry}(inputs)"));
        found.into_function().ok_or_else(missing)
    }

    /// Calls the function and waits for its promise.
    fn call<'js>(
        &self,
        ctx: &Ctx<'js>,
        main: &Function<'js>,
        answers: &Receiver<Vec<u8>>,
    ) -> std::result::Result<Value<'js>, Fault> {
        let running = |why: Error| self.fault(ctx, &why, Phase::Running);
        let inputs: Value = ctx.json_parse(self.task.inputs.as_slice()).map_err(running)?;
        let (calls, names) = (Calls::new(self.out.clone(), self.order()), &self.order().host);
        let returned: Value = if names.is_empty() {
            main.call((inputs,)).map_err(running)?
        } else {
            let host = calls::host(ctx, &calls, names).map_err(running)?;
            main.call((inputs, host)).map_err(running)?
        };
        if !returned.is_object() {
            return Ok(returned);
        }
        // Resolving our own promise with the returned value treats promises and thenables as the language specifies.
        let (promise, resolve, _) = ctx.promise().map_err(running)?;
        resolve.call::<_, ()>((returned,)).map_err(running)?;
        loop {
            if self.clock.is_up() {
                return Err(self.too_late());
            }
            if promise.state() != PromiseState::Pending {
                break;
            }
            if ctx.execute_pending_job() {
                continue;
            }
            if !calls.is_any_open() {
                return Err(self.unsettled());
            }
            match answers.recv_timeout(self.clock.left()) {
                Ok(answer) => calls.settle(ctx, &answer).map_err(running)?,
                // The next iteration checks the time.
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.unsettled()),
            }
        }
        match promise.result::<Value>() {
            Some(settled) => settled.map_err(running),
            None => Ok(Value::new_undefined(ctx.clone())),
        }
    }

    /// Converts the returned value to JSON, and checks its limits.
    fn output<'js>(&self, ctx: &Ctx<'js>, value: Value<'js>) -> std::result::Result<String, Fault> {
        let giving = |why: Error| self.fault(ctx, &why, Phase::Giving);
        let json = match ctx.json_stringify(value).map_err(giving)? {
            Some(json) => json.to_string().map_err(giving)?,
            None => "null".to_owned(),
        };
        let (most, deepest) = (self.order().output_bytes, self.order().depth);
        if json.len() as u64 > most {
            let message = format!("the result has {} bytes; the most is {most}", json.len());
            return Err(Fault::new(Kind::Output, message));
        }
        let depth = json::depth(&json);
        if depth > deepest {
            let message = format!("the result is nested {depth} levels deep; the most is {deepest}");
            return Err(Fault::new(Kind::Output, message));
        }
        Ok(json::whole(json))
    }

    fn unsettled(&self) -> Fault {
        // If the memory is full, the engine cannot even create the rejection.
        if self.was_full() {
            return self.too_large(None);
        }
        let entry = &self.order().entry;
        let message = format!("the promise of {entry}() is never settled: no work is left");
        Fault::new(Kind::Unsettled, message)
    }

    fn too_much_said(&self) -> Fault {
        let most = self.order().log_bytes;
        Fault::new(Kind::Output, format!("the script wrote more than {most} bytes to the console"))
    }

    /// There is no line number, because the engine does not provide the position of an interrupted loop.
    fn too_late(&self) -> Fault {
        Fault::new(Kind::Timeout, format!("the script took longer than {} ms", self.order().time_ms))
    }

    /// Converts an error of the engine or an exception of the script to a fault.
    fn fault(&self, ctx: &Ctx<'_>, why: &Error, stage: Phase) -> Fault {
        let thrown = match why {
            Error::Exception => ctx.catch(),
            Error::InvalidString(_) => {
                return Fault::new(Kind::Syntax, "the code contains a NUL character");
            }
            Error::Allocation | Error::Unknown => return self.too_large(None),
            other => return Fault::new(Kind::Crashed, short(other.to_string())),
        };
        let line = line_of(&thrown);
        if self.clock.struck.get() {
            return self.too_late();
        }
        // The engine throws null if there is no memory for an error object.
        let Some(error) = thrown.as_object().filter(|_| thrown.is_error()) else {
            if thrown.is_null() && self.was_full() {
                return self.too_large(line);
            }
            let words = console::words(ctx, &thrown).unwrap_or_else(|_| "something".to_owned());
            return Fault { kind: Kind::Thrown, message: short(format!("thrown: {words}")), line };
        };
        let (name, message) = (text(error, "name"), text(error, "message"));
        let kind = match (name.as_str(), message.as_str()) {
            ("InternalError", text) if text.starts_with("out of memory") => return self.too_large(line),
            ("InternalError", "string too long") => return self.too_large(line),
            ("RangeError", "Maximum call stack size exceeded") if stage == Phase::Giving => Kind::Output,
            ("RangeError", "Maximum call stack size exceeded") => Kind::Stack,
            ("SyntaxError", _) if stage == Phase::Loading => Kind::Syntax,
            _ if stage == Phase::Giving => Kind::Output,
            _ => Kind::Thrown,
        };
        let message_text = match kind {
            Kind::Stack => "the calls of the script are nested too deeply".to_owned(),
            Kind::Output => format!("the result is not JSON: {name}: {message}"),
            _ => format!("{name}: {message}"),
        };
        Fault { kind, message: short(message_text), line }
    }

    fn too_large(&self, line: Option<u32>) -> Fault {
        let most = self.order().memory_bytes;
        let message = format!("the script used more than {most} bytes of memory");
        Fault { kind: Kind::Memory, message, line }
    }

    /// Whether the memory was nearly full at some time; false if the system does not report it.
    fn was_full(&self) -> bool {
        self.child_confinement.most_used().is_some_and(|used| used > self.order().memory_bytes / 2)
    }
}

/// The phase of a script's execution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Loading,
    Running,
    /// The result is being converted to JSON.
    Giving,
}

/// Reads a property of an error as text. The property may be anything, including a getter that throws.
fn text(error: &Object<'_>, property: &str) -> String {
    let found = error.get::<_, Option<rquickjs::Coerced<String>>>(property);
    found.ok().flatten().map(|text| text.0).unwrap_or_default()
}

/// The line of the script at the top of an error's stack trace.
fn line_of(thrown: &Value<'_>) -> Option<u32> {
    let stack = Exception::from_object(thrown.as_object()?.clone())?.stack()?;
    let (_, after) = stack.split_once(&format!("{FILE}:"))?;
    let digits: &str = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

fn short(mut text: String) -> String {
    if text.len() > MAX_MESSAGE_LENGTH {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE_LENGTH));
        text.push('…');
    }
    text
}
