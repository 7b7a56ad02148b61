//! What is known of the request that is being served, without handing it through every call.

use std::sync::Arc;

/// A request being served.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its id: the caller's `X-Request-Id`, or one of ours.
    pub request_id: Arc<str>,
    /// Whether errors take the shape of the OpenAI-compatible paths.
    pub partner: bool,
}

tokio::task_local! {
    /// Set by the entrance around everything a request does on its worker.
    pub(super) static CURRENT: Context;
}

/// Looks at the context of the request being served; outside of one, at an empty one.
pub(super) fn current<T>(look: impl Fn(&Context) -> T) -> T {
    CURRENT.try_with(&look).unwrap_or_else(|_| look(&Context { request_id: Arc::from(""), partner: false }))
}

/// The id of the request being served, to pass on to work that outlives it.
pub fn request_id() -> Arc<str> {
    current(|context| context.request_id.clone())
}
