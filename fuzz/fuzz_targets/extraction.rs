//! Text extraction from a file, shared by the targets for document formats.

use std::panic::{PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use knowledge::Hint;
use knowledge::extract::{Extracted, Limits, read};

/// Extracts the text of a file as the server's child process does, and checks the limits. Returns
/// `None` if the file cannot be read.
pub fn extract(bytes: &[u8], filename: &str, unpacked_bytes: u64) -> Option<Extracted> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // The panic hook of the fuzzer, which aborts.
        let abort = take_hook();
        set_hook(Box::new(move |panic| {
            if !is_overflow_of_library(panic) {
                abort(panic);
            }
        }));
    });
    let hint = Hint { filename: filename.to_owned(), media_type: String::new() };
    let limits = Limits { text_bytes: 1 << 20, pages: 100, unpacked_bytes };
    let read = catch_unwind(|| read(bytes, &hint, limits)).ok()?.ok()?;
    let text: usize = read.pages.iter().map(|page| page.text.len()).sum();
    assert!(text as u64 <= limits.text_bytes && read.pages.len() <= limits.pages as usize);
    assert!((1..).zip(&read.pages).all(|(number, page)| page.number == number));
    Some(read)
}

/// Whether a panic is an integer overflow in a library. Fuzz targets are built with overflow checks,
/// which the server's release build does not have.
fn is_overflow_of_library(panic: &PanicHookInfo<'_>) -> bool {
    let is_library = panic.location().is_some_and(|place| place.file().contains("/registry/src/"));
    let message = panic.payload().downcast_ref::<&str>().copied().unwrap_or_default();
    is_library && message.starts_with("attempt to ") && message.ends_with(" with overflow")
}
