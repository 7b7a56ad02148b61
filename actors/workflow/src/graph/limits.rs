//! Limits and names that configurations of several nodes share.

use super::faults::{Faults, Fields, Loc, is_port};

/// Most classes, cases, steps and tools.
const MANY: usize = 64;
/// The longest that a form or an event is waited for, in milliseconds: a year.
pub(super) const YEAR: u64 = 365 * 86_400_000;

/// A list of a configuration has at most [`MANY`] entries.
pub(super) fn at_most(fields: &mut Fields<'_, '_>, name: &str, count: usize) {
    if count > MANY {
        fields.fault(name, "too_many", format!("there are at most {MANY}"));
    }
}

/// Ports that come from a configuration are names that can be used, each once.
pub(super) fn check_ports<'a>(
    loc: &Loc,
    field: &str,
    ports: impl Iterator<Item = &'a str>,
    taken: &[&str],
    faults: &mut Faults,
) {
    let mut seen = Vec::new();
    for (at, port) in ports.enumerate().filter(|(_, port)| !port.is_empty()) {
        let loc = loc.at(at).at(field);
        if !is_port(port) {
            faults.add(
                &loc,
                "malformed",
                "is no name for a port: letters, digits, `_`, `-`, `.`, at most 64",
            );
        } else if taken.contains(&port) {
            faults.add(&loc, "reserved", format!("{port:?} {}", meaning(port)));
        } else if seen.contains(&port) {
            faults.add(&loc, "duplicate", format!("there is another {port:?}"));
        }
        seen.push(port);
    }
}

/// What a name means that cannot be given to a port.
fn meaning(port: &str) -> &'static str {
    match port {
        "expired" => "is reserved for forms that are not answered in time",
        "error" => "is the way out of a failure",
        "default" => "is the way out where no case fits",
        _ => "is what goes on from a pause",
    }
}
