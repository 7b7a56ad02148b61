//! Limits and checks shared by the configurations of several node types.

use super::faults::{Faults, Fields, Loc, is_port};

/// Maximum number of classes, cases, steps or tools.
const MAX_ENTRIES: usize = 64;
/// Maximum time to wait for a form or an event, in milliseconds: one year.
pub(super) const YEAR: u64 = 365 * 86_400_000;

/// Checks that a list in a configuration has at most [`MAX_ENTRIES`] entries.
pub(super) fn at_most(fields: &mut Fields<'_, '_>, name: &str, count: usize) {
    if count > MAX_ENTRIES {
        fields.fault(name, "too_many", format!("there are at most {MAX_ENTRIES}"));
    }
}

/// Checks that ports named in a configuration are valid, not reserved, and unique.
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
                "is not a valid port name: letters, digits, `_`, `-`, `.`, at most 64",
            );
        } else if taken.contains(&port) {
            faults.add(&loc, "reserved", format!("{port:?} {}", meaning(port)));
        } else if seen.contains(&port) {
            faults.add(&loc, "duplicate", format!("there is another {port:?}"));
        }
        seen.push(port);
    }
}

/// Explains why a port name is reserved.
fn meaning(port: &str) -> &'static str {
    match port {
        "expired" => "is reserved for forms that are not answered in time",
        "error" => "is the port for failures",
        "default" => "is the port for values without a matching case",
        _ => "is what goes on from a pause",
    }
}
