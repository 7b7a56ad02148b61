//! The context of the current request, available without passing it through every call.

use std::sync::Arc;

/// The context of a request.
#[derive(Clone, Debug)]
pub struct Context {
    /// The request id: the caller's `X-Request-Id`, or a generated one.
    pub request_id: Arc<str>,
    /// Whether errors have the format of the OpenAI-compatible paths.
    pub partner: bool,
}

tokio::task_local! {
    /// Set by the middleware around everything that a request does on its worker.
    pub static CURRENT: Context;
}

/// Applies `look` to the context of the current request, or to an empty context outside of a request.
pub(super) fn current<T>(look: impl Fn(&Context) -> T) -> T {
    CURRENT.try_with(&look).unwrap_or_else(|_| look(&Context { request_id: Arc::from(""), partner: false }))
}

/// The id of the current request, to pass on to work that outlives it.
pub fn request_id() -> Arc<str> {
    current(|context| context.request_id.clone())
}
