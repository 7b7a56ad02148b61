//! Workflow graphs: validation of any JSON terminates, and an accepted graph is accepted again after a round trip.

#![no_main]

use workflow::graph::Plan;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(graph) = serde_json::from_slice::<Value>(input) else { return };
    match Plan::read(&graph) {
        Ok(_) => {
            let again: Value = serde_json::from_str(&graph.to_string()).expect("JSON that was written is JSON");
            assert!(Plan::read(&again).is_ok());
        }
        Err(faults) => assert!(!faults.is_empty()),
    }
});
