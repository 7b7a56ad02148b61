//! Tasks on the current runtime.
//!
//! tokio compiles a task again for each type of future, and for each kind of scheduler: about 3,000 lines of intermediate code.
//! Here futures and closures are boxed first, so that there is one task for all of them.

#![forbid(unsafe_code)]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::task::{JoinError, JoinHandle};

/// Spawns a future on the current runtime.
///
/// # Panics
/// There is no current runtime.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let future: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(future);
    tokio::spawn(future)
}

/// Runs a closure on the threads that may wait. It runs to its end also if what is returned is dropped.
///
/// # Panics
/// There is no current runtime.
pub fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Blocking<T> {
    let returned = Arc::new(Mutex::new(None));
    let slot = returned.clone();
    let work = move || *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(work());
    Blocking { task: blocking_boxed(Box::new(work)), returned }
}

fn blocking_boxed(work: Box<dyn FnOnce() + Send>) -> JoinHandle<()> {
    tokio::task::spawn_blocking(work)
}

/// A closure on the threads that may wait, as a future of what it returns.
///
/// # Errors
/// It panicked, or the runtime was shut down before it began.
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
    async fn what_was_computed_is_returned() {
        assert_eq!(super::spawn(async { 1 }).await.unwrap(), 1);
        assert_eq!(super::blocking(|| "text".to_owned()).await.unwrap(), "text");
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let panic = super::blocking(|| -> u8 { panic!("of purpose") }).await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"of purpose"));
        assert!(super::spawn(async { panic!("of purpose") }).await.unwrap_err().is_panic());
    }
}
