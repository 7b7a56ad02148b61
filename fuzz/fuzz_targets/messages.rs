//! Messages and tools of the OpenAI interface, as a client sends them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(given) = serde_json::from_slice::<Vec<Value>>(input) else { return };
    assert!(understudy::fuzzing::client_messages(&given) <= given.len());
});
