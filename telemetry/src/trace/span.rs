//! An open span, and the record of one that has ended.

use std::time::SystemTime;

use super::context::SpanContext;
use super::{Queue, Tracer};

/// Maximum number of attributes, of events and of links of one span; further ones are dropped.
const MAX_PARTS: usize = 64;
/// Maximum size of a text value in bytes, unless it is content; longer values are truncated.
const MAX_TEXT_LENGTH: usize = 4_096;

/// The role of a span in its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Work within this server.
    Internal,
    /// A request that this server handles.
    Server,
    /// A request that this server sends.
    Client,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// True or false.
    Bool(bool),
    Texts(Vec<String>),
}

/// Attributes, in the order in which they were set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(pub(crate) Vec<(&'static str, Value)>);

impl Attributes {
    fn put(&mut self, name: &'static str, value: Value) -> &mut Self {
        match self.0.iter().position(|(known, _)| *known == name) {
            Some(at) => self.0[at].1 = value,
            None if self.0.len() < MAX_PARTS => self.0.push((name, value)),
            None => {}
        }
        self
    }

    /// Sets a text of at most 4 KiB.
    pub fn text(&mut self, name: &'static str, value: impl AsRef<str>) -> &mut Self {
        self.content(name, value.as_ref(), MAX_TEXT_LENGTH)
    }

    /// Sets a text of at most `limit` bytes.
    pub fn content(&mut self, name: &'static str, value: &str, limit: usize) -> &mut Self {
        self.put(name, Value::Text(value[..value.floor_char_boundary(limit)].to_owned()))
    }

    /// Sets a list of texts.
    pub fn texts(&mut self, name: &'static str, values: Vec<String>) -> &mut Self {
        self.put(name, Value::Texts(values))
    }

    /// Sets an integer.
    pub fn int(&mut self, name: &'static str, value: u64) -> &mut Self {
        self.put(name, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    /// Sets a floating-point number.
    pub fn float(&mut self, name: &'static str, value: f64) -> &mut Self {
        self.put(name, Value::Float(value))
    }

    /// Sets a boolean.
    pub fn flag(&mut self, name: &'static str, value: bool) -> &mut Self {
        self.put(name, Value::Bool(value))
    }
}

/// An event at a point in time of a span.
#[derive(Debug)]
pub(crate) struct Event {
    pub name: &'static str,
    pub at: SystemTime,
}

/// A span that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub context: SpanContext,
    /// 0 if the span begins its trace.
    pub parent: u64,
    pub kind: Kind,
    pub name: String,
    pub began: SystemTime,
    pub ended: SystemTime,
    pub attributes: Attributes,
    pub events: Vec<Event>,
    pub links: Vec<SpanContext>,
    /// Why the work of the span failed.
    pub failure: Option<String>,
}

/// A span. It ends when it is dropped.
#[derive(Debug)]
pub struct Span {
    context: Option<SpanContext>,
    recording: Option<Box<Recording>>,
}

#[derive(Debug)]
struct Recording {
    queue: Queue,
    span: Finished,
}

impl Span {
    /// A span that records nothing and belongs to no trace.
    pub const fn none() -> Self {
        Self { context: None, recording: None }
    }

    pub(super) fn begin(
        tracer: Option<&Tracer>,
        kind: Kind,
        parent: Option<SpanContext>,
        own: Option<SpanContext>,
        name: impl FnOnce() -> String,
    ) -> Self {
        let Some(tracer) = tracer else { return Self::none() };
        let fresh = || match parent {
            Some(parent) => parent.child(),
            None => SpanContext::fresh(tracer.sample_ratio),
        };
        let context = own.unwrap_or_else(fresh);
        if !context.sampled {
            // Spans within it must not begin a trace of their own.
            return Self { context: Some(context), recording: None };
        }
        let now = SystemTime::now();
        let span = Finished {
            context,
            parent: parent.filter(|parent| parent.trace == context.trace).map_or(0, |parent| parent.span),
            kind,
            name: name(),
            began: now,
            ended: now,
            attributes: Attributes::default(),
            events: Vec::new(),
            links: Vec::new(),
            failure: None,
        };
        let recording = Some(Box::new(Recording { queue: tracer.queue.clone(), span }));
        Self { context: Some(context), recording }
    }

    /// Whether attributes and events are recorded.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// The parent for spans within this one, or `None` if tracing is off.
    pub fn context(&self) -> Option<SpanContext> {
        self.context
    }

    /// Sets attributes. The closure is called only if they are recorded.
    pub fn set(&mut self, attributes: impl FnOnce(&mut Attributes)) {
        if let Some(recording) = &mut self.recording {
            attributes(&mut recording.span.attributes);
        }
    }

    /// Renames the span, if its final name is not known at the beginning.
    pub fn rename(&mut self, name: impl FnOnce() -> String) {
        if let Some(recording) = &mut self.recording {
            recording.span.name = name();
        }
    }

    /// Records an event at the current time.
    pub fn event(&mut self, name: &'static str) {
        if let Some(recording) = &mut self.recording
            && recording.span.events.len() < MAX_PARTS
        {
            recording.span.events.push(Event { name, at: SystemTime::now() });
        }
    }

    /// Links to a span that is not the parent.
    pub fn link(&mut self, to: impl FnOnce() -> SpanContext) {
        if let Some(recording) = &mut self.recording
            && recording.span.links.len() < MAX_PARTS
        {
            recording.span.links.push(to());
        }
    }

    /// Marks the work of the span as failed, with a stable code (`error.type`) and, if it may be shown, a message.
    pub fn fail(&mut self, code: &str, message: Option<&str>) {
        if let Some(recording) = &mut self.recording {
            recording.span.attributes.text("error.type", code);
            recording.span.failure =
                Some(message.unwrap_or_default().chars().take(MAX_TEXT_LENGTH / 4).collect());
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(recording) = self.recording.take() {
            let Recording { queue, mut span } = *recording;
            span.ended = SystemTime::now().max(span.began);
            queue.put(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> String {
        unreachable!("a span that is not recorded needs no name")
    }

    /// The cost of tracing while it is off: two options on the stack, and no call of any closure.
    #[test]
    fn span_without_a_tracer_does_nothing() {
        let mut span = Span::begin(None, Kind::Client, None, None, never);
        assert!(!span.is_recording() && span.context().is_none());
        span.set(|_| unreachable!("no attributes"));
        span.link(|| unreachable!("no links"));
        span.event("first");
        span.fail("code", None);
        assert!(size_of::<Span>() <= 64);
    }

    #[test]
    fn span_of_an_unsampled_trace_keeps_its_context() {
        let (queue, mut waiting) = Queue::with_room(8);
        let tracer = Tracer { queue, sample_ratio: 1.0, content_bytes: 0, propagate: false, accept: true };
        let parent = SpanContext { trace: 1, span: 2, sampled: false };
        let span = Span::begin(Some(&tracer), Kind::Client, Some(parent), None, never);
        assert_eq!(span.context().map(|context| (context.trace, context.sampled)), Some((1, false)));
        drop(span);
        assert!(waiting.try_recv().is_err());
    }

    #[test]
    fn dropped_span_is_queued_with_its_attributes() {
        let (queue, mut waiting) = Queue::with_room(8);
        let tracer = Tracer { queue, sample_ratio: 1.0, content_bytes: 0, propagate: false, accept: true };
        let mut outer = Span::begin(Some(&tracer), Kind::Server, None, None, || "outer".to_owned());
        let inner = Span::begin(Some(&tracer), Kind::Client, outer.context(), None, || "inner".to_owned());
        drop(inner);
        outer.set(|set| {
            set.text("a", "é".repeat(4_000)).int("b", 3).int("b", 4);
        });
        outer.fail("internal", Some("it broke"));
        let id = outer.context().unwrap();
        drop(outer);
        let (inner, outer) = (waiting.try_recv().unwrap(), waiting.try_recv().unwrap());
        assert_eq!((inner.parent, inner.context.trace), (id.span, id.trace));
        assert_eq!((outer.parent, outer.context), (0, id));
        assert_eq!(outer.failure.as_deref(), Some("it broke"));
        let expected = vec![
            ("a", Value::Text("é".repeat(2_048))),
            ("b", Value::Int(4)),
            ("error.type", Value::Text("internal".to_owned())),
        ];
        assert_eq!(outer.attributes.0, expected);
    }
}
