//! Entry points of the fuzz targets: parsers of what clients and publishers of packages send.

use serde_json::Value;

use crate::api::chat::messages::{messages, tools};
use crate::catalog::{Package, files};
use crate::http::Faults;

/// Reads a package as an archive; whether it is fit to be installed.
pub fn package(archive: &[u8]) -> bool {
    files::from_archive(archive).and_then(|files| Package::read(files, "fuzzed")).is_ok()
}

/// Reads the messages and tools of a request of the OpenAI interface; how many messages were understood.
pub fn client_messages(given: &[Value]) -> usize {
    let mut faults = Faults::of("body");
    tools(given, &mut faults);
    messages(given, &mut faults).len()
}
