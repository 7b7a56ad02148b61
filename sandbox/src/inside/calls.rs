//! Host calls: promises that are settled by the parent.

use super::json;
use crate::wire::{self, Order};
use rquickjs::prelude::Rest;
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, Value};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::rc::Rc;

/// The host calls of one script.
pub struct Calls<'js> {
    out: Rc<File>,
    most: u32,
    most_bytes: u64,
    deepest: u32,
    sent: Cell<u32>,
    /// By call number: the functions that resolve and reject the promise.
    open: RefCell<BTreeMap<u32, (Function<'js>, Function<'js>)>>,
}

impl<'js> Calls<'js> {
    pub fn new(out: Rc<File>, order: &Order) -> Rc<Self> {
        let (most, most_bytes, deepest) = (order.calls, order.call_bytes, order.depth);
        Rc::new(Self { out, most, most_bytes, deepest, sent: Cell::new(0), open: RefCell::default() })
    }

    /// Whether any call is unanswered.
    pub fn is_any_open(&self) -> bool {
        !self.open.borrow().is_empty()
    }

    /// Sends a call to the parent, and returns the promise of its answer.
    fn ask(&self, ctx: &Ctx<'js>, name: &str, args: Vec<Value<'js>>) -> Result<Value<'js>> {
        let (promise, resolve, reject) = ctx.promise()?;
        match self.send(ctx, name, args)? {
            Ok(id) => {
                self.open.borrow_mut().insert(id, (resolve, reject));
            }
            Err(why) => {
                let error = Exception::from_message(ctx.clone(), &why)?;
                reject.call::<_, ()>((error,))?;
            }
        }
        Ok(promise.into_value())
    }

    /// Sends a call and returns its number, or the reason why it cannot be sent.
    fn send(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        args: Vec<Value<'js>>,
    ) -> Result<std::result::Result<u32, String>> {
        if self.sent.get() >= self.most {
            return Ok(Err(format!("a script may call its host {} times", self.most)));
        }
        let list = Array::new(ctx.clone())?;
        for (at, value) in args.into_iter().enumerate() {
            list.set(at, value)?;
        }
        let json = match ctx.json_stringify(list)? {
            Some(json) => json::whole(json.to_string()?),
            None => "[]".to_owned(),
        };
        if json.len() as u64 > self.most_bytes {
            let (bytes, most) = (json.len(), self.most_bytes);
            return Ok(Err(format!("{name}() is given {bytes} bytes; the most is {most}")));
        }
        if json::depth(&json) > self.deepest {
            return Ok(Err(format!("the arguments of {name}() are nested too deeply")));
        }
        let id = self.sent.get();
        self.sent.set(id + 1);
        // Names consist of letters, digits, dots and underscores.
        let call = format!(r#"{{"id":{id},"name":"{name}","arguments":{json}}}"#);
        let frame = wire::frame(wire::CALL, call.as_bytes());
        // A closed pipe means that the process is about to end.
        let _ = frame.and_then(|frame| (&*self.out).write_all(&frame));
        Ok(Ok(id))
    }

    /// Settles the promise that belongs to an answer of the parent.
    pub fn settle(&self, ctx: &Ctx<'js>, answer: &[u8]) -> Result<()> {
        let Some((id, came)) = wire::read_answer(answer) else { return Ok(()) };
        let Some((resolve, reject)) = self.open.borrow_mut().remove(&id) else { return Ok(()) };
        match came {
            Ok(json) => resolve.call((ctx.json_parse(json)?,)),
            Err(why) => reject.call((Exception::from_message(ctx.clone(), why)?,)),
        }
    }
}

/// Creates the host object for the script.
pub fn host<'js>(ctx: &Ctx<'js>, calls: &Rc<Calls<'js>>, names: &[String]) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    for name in names {
        let (path, last) = name.rsplit_once('.').map_or(("", name.as_str()), |(path, last)| (path, last));
        let mut at = host.clone();
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let inner = at.get::<_, Option<Object>>(part)?;
            let inner = inner.map_or_else(|| Object::new(ctx.clone()), Ok)?;
            at.set(part, inner.clone())?;
            at = inner;
        }
        at.set(last, function(ctx, calls.clone(), name.clone())?)?;
    }
    Ok(host)
}

fn function<'js>(ctx: &Ctx<'js>, calls: Rc<Calls<'js>>, name: String) -> Result<Function<'js>> {
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, args: Rest<Value<'js>>| calls.ask(&ctx, &name, args.0))
}
