//! Tasks on the current runtime.
//!
//! Tokio compiles a task separately for each type of future and each kind of scheduler, about 3,000 lines of intermediate
//! code each time. This crate boxes futures and closures first, so that all of them share one task type.

#![forbid(unsafe_code)]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::task::{JoinError, JoinHandle};

/// Spawns a future on the current runtime.
///
/// # Panics
/// Panics if there is no current runtime.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let future: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(future);
    tokio::spawn(future)
}

/// Runs a closure on the threads for blocking work. It runs to completion even if the returned value is dropped.
///
/// # Panics
/// Panics if there is no current runtime.
pub fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Blocking<T> {
    let returned = Arc::new(Mutex::new(None));
    let slot = returned.clone();
    let work = move || *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(work());
    Blocking { task: blocking_boxed(Box::new(work)), returned }
}

fn blocking_boxed(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    tokio::task::spawn_blocking(work)
}

/// A closure on the threads for blocking work, as a future of its result.
///
/// # Errors
/// Returns an error if the closure panicked or the runtime was shut down before it started.
#[must_use = "whether it panicked is told by awaiting it"]
#[derive(Debug)]
pub struct Blocking<T> {
    task: JoinHandle<()>,
    returned: Arc<Mutex<Option<T>>>,
}

impl<T> Future for Blocking<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        ready!(Pin::new(&mut self.task).poll(context))?;
        match self.returned.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(returned) => Poll::Ready(Ok(returned)),
            None => unreachable!("a closure that ended returned something, once"),
        }
    }
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn spawn_and_blocking_return_the_result() {
        assert_eq!(super::spawn(async { 1 }).await.unwrap(), 1);
        assert_eq!(super::blocking(|| "text".to_owned()).await.unwrap(), "text");
    }

    #[tokio::test]
    async fn spawn_and_blocking_report_a_panic() {
        let panic = super::blocking(|| -> u8 { panic!("of purpose") }).await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"of purpose"));
        assert!(super::spawn(async { panic!("of purpose") }).await.unwrap_err().is_panic());
    }
}
