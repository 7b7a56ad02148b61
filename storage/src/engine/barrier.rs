//! A barrier for panics of the database library, which panics instead of returning an error for some damage to its
//! files.

use crate::error::{Error, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does work on a database whose files may be damaged. A panic becomes `Err(Corrupt)` with `what` in its message, and
/// is not printed.
pub(super) fn without_panic<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let was_quiet = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(was_quiet);
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason");
        let line = text.lines().next().unwrap_or_default();
        Err(Error::Corrupt(format!("{what} cannot be read ({line})")))
    })
}

/// Does the work of a thread that must report a panic as a failure.
pub(super) fn catch_panic(work: impl FnOnce() -> Result<()>) -> Result<()> {
    let panicked = |_| Err(Error::Engine("the engine panicked".into()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}
