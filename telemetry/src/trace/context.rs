//! The identity of the current span, in this process and between processes.

use std::fmt;
use std::future::Future;

use rand::Rng;
use tokio::task::JoinHandle;

tokio::task_local! {
    static CURRENT: SpanContext;
}

/// The identity of a span: the trace parent of W3C Trace Context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanContext {
    /// The trace ID, never 0.
    pub trace: u128,
    /// The span ID, never 0.
    pub span: u64,
    /// Whether the trace is recorded.
    pub sampled: bool,
}

impl SpanContext {
    /// Begins a new trace, which is sampled with this probability.
    pub(crate) fn fresh(sample_ratio: f64) -> Self {
        let trace = rand::rng().random_range(1..=u128::MAX);
        Self { trace, span: fresh_span(), sampled: is_sampled(trace, sample_ratio) }
    }

    /// Creates a new span of the same trace.
    pub(crate) fn child(self) -> Self {
        Self { span: fresh_span(), ..self }
    }

    /// The span of one epoch of a run. It is derived from the run and the epoch, so that a later process can refer to
    /// the span of an earlier one, which may have been killed before it could export the span.
    ///
    /// `parent` is the span that started the run. Without it, the run's ID is the trace ID, and `sample_ratio` decides
    /// whether the trace is recorded.
    pub(crate) fn of_run(run: u128, epoch: u32, parent: Option<Self>, sample_ratio: f64) -> Self {
        // The finalizer of SplitMix64 over both halves and the epoch. IDs have to be distinct, not unpredictable.
        let mix = |mut z: u64| {
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let span = mix(mix((run >> 64) as u64).wrapping_add(run as u64)).wrapping_add(u64::from(epoch));
        let own = || (run.max(1), is_sampled(run, sample_ratio));
        let (trace, sampled) = parent.map_or_else(own, |parent| (parent.trace, parent.sampled));
        Self { trace, span: mix(span).max(1), sampled }
    }

    /// Parses a `traceparent`. Returns `None` if it is malformed or has an unsupported version; such a header has to be
    /// ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let hex = |text: &str, len: usize| {
            text.len() == len && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        if !hex(version, 2) || version == "ff" || !hex(trace, 32) || !hex(span, 16) || !hex(flags, 2) {
            return None;
        }
        // Later versions may append parts; the first version has no further ones.
        if version == "00" && parts.next().is_some() {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|trace| *trace != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|span| *span != 0)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self { trace, span, sampled: flags & 1 == 1 })
    }
}

/// Formats the context as a `traceparent`.
impl fmt::Display for SpanContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, u8::from(self.sampled))
    }
}

fn fresh_span() -> u64 {
    rand::rng().random_range(1..=u64::MAX)
}

/// Decides by the lowest 62 bits of the ID, which are random in generated IDs as well as in run IDs (UUID v7).
fn is_sampled(trace: u128, ratio: f64) -> bool {
    let random = (trace as u64) & ((1 << 62) - 1);
    ratio >= 1.0 || random < (ratio.max(0.0) * (1_u64 << 62) as f64) as u64
}

/// The span that the current task works for.
pub fn current() -> Option<SpanContext> {
    CURRENT.try_with(|context| *context).ok()
}

/// Executes work for a span. Must not be called if tracing is off: callers decide before they create the future.
pub async fn within<F: Future>(context: SpanContext, work: F) -> F::Output {
    CURRENT.scope(context, work).await
}

/// Spawns work for a span, if there is one, on the current runtime.
pub fn spawn<F>(context: Option<SpanContext>, work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    match context {
        Some(context) => tasks::spawn(within(context, work)),
        None => tasks::spawn(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn span_context_round_trips_a_trace_parent() {
        let context = SpanContext::parse(EXAMPLE).unwrap();
        assert_eq!(context.to_string(), EXAMPLE);
        assert!(context.sampled);
        let unsampled = SpanContext::parse(&EXAMPLE.replace("-01", "-00")).unwrap();
        assert!(!unsampled.sampled);
        let later = SpanContext::parse(&format!("cc{}-what-ever", &EXAMPLE[2..])).unwrap();
        assert_eq!(later, context);
    }

    #[test]
    fn parse_rejects_a_malformed_trace_parent() {
        let zero_trace = EXAMPLE.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32));
        let zero_span = EXAMPLE.replace("00f067aa0ba902b7", &"0".repeat(16));
        let (upper, longer) = (EXAMPLE.to_uppercase(), format!("{EXAMPLE}-00"));
        let (version, short) = (format!("ff{}", &EXAMPLE[2..]), &EXAMPLE[..54]);
        let bad = ["", "00", &zero_trace, &zero_span, &upper, &longer, &version, short, "é-é-é-é"];
        for text in bad {
            assert_eq!(SpanContext::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn of_run_derives_the_span_from_run_and_epoch() {
        let parent = SpanContext::parse(EXAMPLE);
        let first = SpanContext::of_run(7, 1, parent, 1.0);
        assert_eq!(first, SpanContext::of_run(7, 1, parent, 1.0));
        assert_eq!(first.trace, parent.unwrap().trace);
        let others = [SpanContext::of_run(7, 2, parent, 1.0), SpanContext::of_run(8, 1, parent, 1.0)];
        assert!(others.iter().all(|other| other.span != first.span));
        assert_eq!(SpanContext::of_run(7, 1, None, 1.0).trace, 7);
    }

    #[test]
    fn is_sampled_follows_the_ratio() {
        let sampled = |ratio| (0..10_000).filter(|_| SpanContext::fresh(ratio).sampled).count();
        assert_eq!(sampled(1.0), 10_000);
        assert_eq!(sampled(0.0), 0);
        assert!((2_000..3_000).contains(&sampled(0.25)));
    }
}
