//! Blocks the calling thread on a future.

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
    /// How many nested calls of [`wait_here`] this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether the calling thread is blocked in [`wait_here`], so that tasks that it schedules on its own runtime do not
/// run.
pub(crate) fn is_waiting_here() -> bool {
    DEPTH.get() > 0
}

/// Counts a call of [`wait_here`] until it is dropped, including by a panic.
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

/// Blocks the calling thread until the future completes. Works on any thread, inside or outside a runtime, and can be
/// nested, which the usual executors do not allow.
///
/// Inside a tokio task, tokio's channels return `Pending` once the task has used up its budget, until the task yields,
/// which it cannot do here. `unconstrained` disables that.
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

/// Waits for futures that need a runtime: uses the current runtime, otherwise creates one.
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
    async fn wait_here_can_be_nested_and_repeated_in_a_task() {
        for _ in 0..1_000 {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || sender.send(1));
            assert_eq!(wait_here(async { wait_here(receiver) }).unwrap(), 1);
        }
    }
}
