//! Locates faults of a package's resources below the key of the resource, because the package is at fault and not the body of the request.

use crate::http::{Fault, Refusal, Step};

/// Moves the faults of an error below `resources` and the key of the resource.
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

/// Returns an error with one fault, located at a resource.
pub fn of_resource(key: &str, why: &str) -> Refusal {
    Refusal::invalid("body", ["resources", key], why, "malformed")
}
