//! How far a journal is durable, and the readers that wait for more.
//!
//! The mark is one atomic number, and a reader that waits stores its waker in a slot of its own: with one or two readers for
//! each of many thousand chunks per second, this takes less time than a general channel.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use super::Mark;

const ENDED: u64 = 1;
const UNLOADED: u64 = 2;
/// The sequence number is above the two flags.
const SEQ_SHIFT: u32 = 2;

/// The mark of a journal. Listeners are woken at each change.
pub(super) struct MarkSignal {
    mark: AtomicU64,
    waiting: Mutex<Waiting>,
}

/// The wakers of the listeners. Listeners that do not wait have an empty slot.
#[derive(Default)]
struct Waiting {
    slots: Vec<Option<Waker>>,
    /// Slots without a listener.
    free: Vec<usize>,
}

impl MarkSignal {
    pub fn new(mark: Mark) -> Arc<Self> {
        Arc::new(Self { mark: AtomicU64::new(packed(mark)), waiting: Mutex::default() })
    }

    pub fn mark(&self) -> Mark {
        let mark = self.mark.load(Ordering::Acquire);
        Mark { seq: mark >> SEQ_SHIFT, ended: mark & ENDED != 0, unloaded: mark & UNLOADED != 0 }
    }

    /// Replaces the mark.
    pub fn set(&self, mark: Mark) {
        self.mark.store(packed(mark), Ordering::Release);
        self.wake();
    }

    /// Changes only whether the run is unloaded.
    pub fn set_unloaded(&self, unloaded: bool) {
        match unloaded {
            true => self.mark.fetch_or(UNLOADED, Ordering::AcqRel),
            false => self.mark.fetch_and(!UNLOADED, Ordering::AcqRel),
        };
        self.wake();
    }

    /// Creates a listener.
    pub fn listen(self: &Arc<Self>) -> Listener {
        let mut waiting = self.waiting.lock();
        let slot = waiting.free.pop().unwrap_or(waiting.slots.len());
        if slot == waiting.slots.len() {
            waiting.slots.push(None);
        }
        Listener { signal: self.clone(), slot }
    }

    /// Wakes the listeners that wait. Called after the change they wait for: a listener whose waker is not found here stored it
    /// after this lock was released, and sees the change when it checks again.
    fn wake(&self) {
        // Most runs have one reader, for which nothing is allocated.
        let (mut first, mut others) = (None, Vec::new());
        let mut waiting = self.waiting.lock();
        for waker in waiting.slots.iter_mut().filter_map(Option::take) {
            match first {
                None => first = Some(waker),
                Some(_) => others.push(waker),
            }
        }
        drop(waiting);
        first.into_iter().chain(others).for_each(Waker::wake);
    }
}

fn packed(mark: Mark) -> u64 {
    let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
    (mark.seq << SEQ_SHIFT) | flag(mark.ended, ENDED) | flag(mark.unloaded, UNLOADED)
}

/// One waiter for changes of a mark.
pub(super) struct Listener {
    signal: Arc<MarkSignal>,
    slot: usize,
}

impl Listener {
    pub fn mark(&self) -> Mark {
        self.signal.mark()
    }

    /// Becomes ready once `is` holds for the mark. `is` is evaluated again after each change of the mark. If the caller stops
    /// waiting, its waker remains stored until the next change, and is then woken once in vain.
    pub fn poll_until(&mut self, cx: &mut Context<'_>, is: impl Fn(Mark) -> bool) -> Poll<Mark> {
        let mark = self.mark();
        if is(mark) {
            return Poll::Ready(mark);
        }
        self.store(cx.waker());
        // Once more: the mark may have changed before the waker was stored.
        let mark = self.mark();
        if is(mark) { Poll::Ready(mark) } else { Poll::Pending }
    }

    /// Waits until `is` holds for the mark.
    pub async fn until(&mut self, is: impl Fn(Mark) -> bool) -> Mark {
        poll_fn(|cx| self.poll_until(cx, &is)).await
    }

    fn store(&self, waker: &Waker) {
        let mut waiting = self.signal.waiting.lock();
        let Some(slot) = waiting.slots.get_mut(self.slot) else { return };
        if !slot.as_ref().is_some_and(|stored| stored.will_wake(waker)) {
            *slot = Some(waker.clone());
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut waiting = self.signal.waiting.lock();
        let waker = waiting.slots.get_mut(self.slot).and_then(Option::take);
        waiting.free.push(self.slot);
        // The waker may own the last reference to a task that holds other listeners of this signal.
        drop(waiting);
        drop(waker);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn mark(seq: u64) -> Mark {
        Mark { seq, ended: false, unloaded: false }
    }

    #[test]
    fn mark_keeps_all_fields() {
        let signal = MarkSignal::new(mark(7));
        for (ended, unloaded) in [(false, false), (true, false), (false, true), (true, true)] {
            let mark = Mark { seq: 1 << 40, ended, unloaded };
            signal.set(mark);
            assert_eq!(signal.mark(), mark);
        }
        signal.set_unloaded(false);
        assert_eq!(signal.mark(), Mark { ended: true, ..mark(1 << 40) });
        signal.set_unloaded(true);
        assert!(signal.mark().unloaded);
    }

    #[test]
    fn drop_releases_the_slot_for_the_next_listener() {
        let signal = MarkSignal::new(mark(0));
        let mut kept = signal.listen();
        for _ in 0..10 {
            let mut listener = signal.listen();
            assert!(listener.until(|mark| mark.seq > 0).now_or_never().is_none());
        }
        assert_eq!(signal.waiting.lock().slots.len(), 2);
        assert!(kept.until(|mark| mark.seq > 0).now_or_never().is_none());
        signal.set(mark(1));
        assert_eq!(kept.until(|mark| mark.seq > 0).now_or_never(), Some(mark(1)));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn until_misses_no_change() {
        const LAST: u64 = 20_000;
        let signal = MarkSignal::new(mark(0));
        let listeners: Vec<_> = (0..3)
            .map(|_| {
                let mut listener = signal.listen();
                tokio::spawn(async move {
                    let mut seen = 0;
                    while seen < LAST {
                        seen = listener.until(|mark| mark.seq > seen).await.seq;
                    }
                })
            })
            .collect();
        for seq in 1..=LAST {
            signal.set(mark(seq));
            if seq % 16 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let all = futures::future::join_all(listeners);
        tokio::time::timeout(std::time::Duration::from_secs(30), all).await.expect("every listener is woken");
    }
}
