//! How faults of what a package would make are told: below the key of the resource, which is at fault, and not the
//! caller's body.

use crate::http::{Fault, Refusal, Step};

/// A refusal of a resource, its faults placed below `resources` and the resource's key.
pub fn placed(key: &str, error: Refusal) -> Refusal {
    if error.faults().is_empty() {
        return error;
    }
    let place = |fault: &Fault| {
        let head = ["body", "resources", key].map(|step| Step::Name(step.to_owned()));
        let loc = head.into_iter().chain(fault.loc.iter().skip(1).cloned()).collect();
        Fault { loc, msg: fault.msg.clone(), kind: fault.kind.clone() }
    };
    Refusal::faulty(error.faults().iter().map(place).collect())
}

/// A fault of one resource.
pub fn of_resource(key: &str, why: &str) -> Refusal {
    Refusal::invalid("body", ["resources", key], why, "malformed")
}
