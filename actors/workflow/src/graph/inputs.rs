//! Checks the inputs of a run against the inputs that the graph declares.

use runs::GraphFault;
use serde_json::{Map, Value};

use super::faults::{Faults, Loc};
use super::plan::Plan;

impl Plan {
    /// Checks the inputs of a run against the graph and fills in defaults. Faults are located relative to the inputs:
    /// `["topic"]`.
    pub fn take_inputs(&self, values: &Map<String, Value>) -> Result<Map<String, Value>, Vec<GraphFault>> {
        let mut faults = Faults::default();
        let mut taken = Map::new();
        for name in values.keys().filter(|name| !self.inputs.contains_key(*name)) {
            faults.add(&Loc::new([name]), "unknown_field", "the workflow has no such input");
        }
        for (name, spec) in &self.inputs {
            let loc = Loc::new([name]);
            match values.get(name).filter(|value| !value.is_null()).or(spec.default.as_ref()) {
                None if spec.required => faults.add(&loc, "missing", "is missing"),
                None => {}
                Some(value) if !spec.kind.admits(value) => {
                    faults.add(&loc, "type_mismatch", format!("must be of type {}", spec.kind.name()));
                }
                Some(value) => drop(taken.insert(name.clone(), value.clone())),
            }
        }
        if faults.is_empty() { Ok(taken) } else { Err(faults.into_vec()) }
    }
}
