//! Type-erased closures of transactions and reads.
//!
//! All code around a closure, from the task on the blocking pool to the retry loop, is compiled once instead of once
//! for each of the several hundred callers.

pub(crate) use crate::blocking::blocking;

use crate::error::{Error, Result};
use crate::tx::Tx;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// A transaction without the type of its closure.
pub(crate) trait Transaction {
    /// Runs the closure and stores its result. Returns whether the result is a value rather than an error.
    fn run(&mut self, tx: &mut Tx) -> bool;

    /// Replaces the result of the closure by an error.
    fn refuse(&mut self, error: Error);
}

/// The last result of a closure, for its caller, which may be on another thread.
pub(crate) type Returned<T, E> = Arc<Mutex<Option<Result<T, E>>>>;

pub(crate) struct Closure<F, T, E> {
    pub f: F,
    pub returned: Returned<T, E>,
}

impl<F, T, E: From<Error>> Closure<F, T, E> {
    pub fn new(f: F) -> Self {
        Self { f, returned: Returned::default() }
    }

    pub fn returned(&self) -> Result<T, E> {
        take_result(&self.returned)
    }
}

impl<F: FnMut(&mut Tx) -> Result<T, E>, T, E: From<Error>> Transaction for Closure<F, T, E> {
    fn run(&mut self, tx: &mut Tx) -> bool {
        let value = (self.f)(tx);
        let is_ok = value.is_ok();
        *self.returned.lock() = Some(value);
        is_ok
    }

    fn refuse(&mut self, error: Error) {
        *self.returned.lock() = Some(Err(error.into()));
    }
}

/// A running transaction or read, as a future of the closure's result.
///
/// Boxed and without the type of the closure, so that the code of callers does not include the code that runs it.
#[must_use = "it runs while it is polled"]
pub struct Running<'a, T, E> {
    run: BoxFuture<'a, Result<()>>,
    returned: Returned<T, E>,
}

impl<'a, T, E> Running<'a, T, E> {
    pub(crate) fn new(run: BoxFuture<'a, Result<()>>, returned: Returned<T, E>) -> Self {
        Self { run, returned }
    }
}

impl<T, E: From<Error>> Future for Running<'_, T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(self.run.as_mut().poll(context))?;
        Poll::Ready(take_result(&self.returned))
    }
}

/// Returns the result of a closure that has run.
pub(crate) fn take_result<T, E: From<Error>>(returned: &Returned<T, E>) -> Result<T, E> {
    returned.lock().take().unwrap_or_else(|| Err(Error::Closed.into()))
}
