//! The child process: reads one file, writes its text, and ends.

use super::pages::Limits;
use super::read::read;
use super::wire::{END, FAULT, Fault, HEAD, Head, ORDER, Order, PAGE, frame};
use super::{ExtractError, ExtractErrorKind as Kind, Extracted};
use rlimit::Resource;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The stack size of the reading thread. This crate does not recurse on file content, but its libraries may.
const STACK: usize = 64 << 20;
/// The address space in addition to the memory allowed for reading.
const SPACE: u64 = 64 << 20;
/// The maximum length of a message in characters.
const MAX_MESSAGE_LENGTH: usize = 500;

/// The body of the child process: reads the file on its standard input as ordered in its environment, and writes its
/// text to the standard output.
///
/// # Errors
/// There is no order, or the parent has closed the pipe.
pub fn serve() -> io::Result<()> {
    let order =
        std::env::var(ORDER).map_err(|_| io::Error::other("this command is internal to the server"))?;
    let order: Order = serde_json::from_str(&order)?;
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mapped = mapped_bytes();
    let _ = confinement::hide_memory();
    // Open files stay open; no others can be opened, written to or left behind.
    limit(Resource::CORE, 0);
    limit(Resource::FSIZE, 0);
    limit(Resource::NOFILE, 0);
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        limit(Resource::NPROC, 0);
        // The parent enforces a stricter time limit. This one applies to a child that has lost its parent.
        limit(Resource::CPU, order.seconds.saturating_add(5));
        if let Some(mapped) = mapped {
            limit(Resource::AS, (mapped + STACK as u64 + SPACE).saturating_add(order.memory_bytes));
        }
        // If the system does not support this, the limits alone apply.
        let _ = confinement::only_compute();
        write_outcome(work(&file, &order))
    })?;
    reader.join().unwrap_or_else(|_| Err(io::Error::other("the reader crashed")))
}

/// Sets a limit. A limit that the system does not know, or that is already lower, does not prevent reading.
fn limit(resource: Resource, most: u64) {
    let _ = resource.set(most, most);
}

/// The address space of the program itself, if the system reports it.
fn mapped_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

fn work(file: &File, order: &Order) -> Result<Extracted, ExtractError> {
    let bytes = contents(file, order)?;
    // A panic of a library is caused by the file. Its message is discarded.
    std::panic::set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(|| read(&bytes, &order.hint, order.limits)));
    done.unwrap_or_else(|_| Err(ExtractError::damaged("the file is damaged")))
}

fn contents(file: &File, order: &Order) -> Result<Vec<u8>, ExtractError> {
    let most = order.file_bytes.min(order.memory_bytes);
    let too_large = || ExtractError::new(Kind::TooLarge, format!("the file has more than {most} bytes"));
    let known = file.metadata().map_or(0, |metadata| metadata.len());
    if known > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let unread = |why: &dyn std::fmt::Display| {
        ExtractError::new(Kind::Unavailable, format!("the file could not be read: {why}"))
    };
    bytes.try_reserve_exact(usize::try_from(known).unwrap_or(0)).map_err(|why| unread(&why))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|why| unread(&why))?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

fn write_outcome(outcome: Result<Extracted, ExtractError>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match outcome {
        Ok(Extracted { media_type, title, pages }) => {
            out.write_all(&frame(HEAD, &Head { media_type, title })?)?;
            for page in &pages {
                out.write_all(&frame(PAGE, page)?)?;
            }
            out.write_all(&frame(END, &())?)?;
        }
        Err(ExtractError { kind, message }) => {
            let message = message.chars().take(MAX_MESSAGE_LENGTH).collect();
            out.write_all(&frame(FAULT, &Fault { kind, message })?)?;
        }
    }
    out.flush()
}

impl Limits {
    /// The limits for a process with this amount of memory.
    pub(super) fn within(memory_bytes: u64, text_bytes: u64, pages: u32) -> Self {
        // Unpacked data is held in memory together with its text and its parsed structure.
        Self { text_bytes, pages, unpacked_bytes: (memory_bytes / 3).max(text_bytes) }
    }
}
