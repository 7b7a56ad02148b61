//! Waiting for a future on the calling thread.

use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{Thread, park};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    /// How many calls of [`wait_here`] this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether the calling thread waits in [`wait_here`], so that tasks that it schedules on its own runtime do not run.
pub(crate) fn is_waiting_here() -> bool {
    DEPTH.get() > 0
}

/// Counts a call of [`wait_here`] until it is dropped, also by a panic.
struct Waiting;

impl Waiting {
    fn begin() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Waits here for the future. Works on any thread, inside a runtime or not, and also within
/// itself, which the usual executors do not allow.
///
/// Inside a tokio task, tokio's channels stop answering after a while until the task yields,
/// which it cannot do here; hence `unconstrained`.
pub(crate) fn wait_here<F: Future>(future: F) -> F::Output {
    let _waiting = Waiting::begin();
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => park(),
        }
    }
}

/// Waits for futures that need a runtime: the current one, or else one of its own.
pub(crate) struct LocalRuntime(Option<tokio::runtime::Runtime>);

impl LocalRuntime {
    pub fn new() -> std::io::Result<Self> {
        if tokio::runtime::Handle::try_current().is_ok() {
            return Ok(Self(None));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    pub fn wait<F: Future>(&self, future: F) -> F::Output {
        match &self.0 {
            Some(runtime) => runtime.block_on(future),
            None => wait_here(future),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wait_here;

    #[tokio::test]
    async fn a_task_may_wait_often() {
        for _ in 0..1_000 {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || sender.send(1));
            assert_eq!(wait_here(async { wait_here(receiver) }).unwrap(), 1);
        }
    }
}
