//! `console`: the only object that a script has in addition to the language.

use crate::wire;
use rquickjs::prelude::Rest;
use rquickjs::{Coerced, Ctx, Error, Function, Object, Result, Value};
use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::rc::Rc;

/// The methods of `console`, which all do the same.
const NAMES: [&str; 5] = ["log", "info", "warn", "error", "debug"];

/// Sends lines to the parent up to a size limit.
pub struct Console {
    out: Rc<File>,
    room: Cell<u64>,
    full: Cell<bool>,
}

impl Console {
    /// Creates a console with space for `room` bytes.
    pub fn new(out: Rc<File>, room: u64) -> Rc<Self> {
        Rc::new(Self { out, room: Cell::new(room), full: Cell::new(false) })
    }

    /// Whether the script has written more than the limit, so that it must end.
    pub fn is_full(&self) -> bool {
        self.full.get()
    }

    fn say(&self, line: &str) {
        // An empty line has a cost too; otherwise their number would be unlimited.
        let cost = line.len() as u64 + 1;
        match self.room.get().checked_sub(cost).filter(|_| !self.full.get()) {
            Some(remaining) => {
                self.room.set(remaining);
                let frame = wire::frame(wire::LOG, line.as_bytes());
                // A closed pipe means that the process is about to end.
                let _ = frame.and_then(|frame| (&*self.out).write_all(&frame));
            }
            None => self.full.set(true),
        }
    }
}

/// Creates `console` in the global object.
pub fn install<'js>(ctx: &Ctx<'js>, console: &Rc<Console>) -> Result<()> {
    let object = Object::new(ctx.clone())?;
    for name in NAMES {
        object.set(name, function(ctx, console.clone())?)?;
    }
    ctx.globals().set("console", object)
}

fn function<'js>(ctx: &Ctx<'js>, console: Rc<Console>) -> Result<Function<'js>> {
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, said: Rest<Value<'js>>| -> Result<()> {
        let mut line = String::new();
        for value in said.0 {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&words(&ctx, &value)?);
        }
        console.say(&line);
        Ok(())
    })
}

/// Formats a value for people: texts unchanged, errors by name and message, everything else as JSON if possible.
pub fn words<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    if value.is_error() || !(value.is_object() || value.is_string()) || value.is_function() {
        return plain(ctx, value);
    }
    if let Some(text) = value.as_string() {
        match text.to_string() {
            // Half of a surrogate pair: use its escape sequence.
            Err(Error::Utf8(_)) => {}
            text => return text,
        }
    }
    match ctx.json_stringify(value.clone()) {
        Ok(Some(json)) => json.to_string(),
        Ok(None) => plain(ctx, value),
        Err(Error::Exception) => {
            let caught = ctx.catch();
            if caught.is_uncatchable_error() {
                return Err(ctx.throw(caught));
            }
            plain(ctx, value)
        }
        Err(other) => Err(other),
    }
}

fn plain<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<String> {
    if value.is_symbol() {
        return Ok("Symbol()".to_owned());
    }
    let text = value.get::<Coerced<String>>();
    match text {
        Ok(text) => Ok(text.0),
        Err(Error::Exception) => {
            let caught = ctx.catch();
            if caught.is_uncatchable_error() {
                return Err(ctx.throw(caught));
            }
            Ok("[a value that cannot be shown]".to_owned())
        }
        Err(_) => Ok("[a value that cannot be shown]".to_owned()),
    }
}
