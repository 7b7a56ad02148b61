//! A call of a tool as metrics see it.

use serde_json::Value;
use telemetry::metrics::table;

use super::ToolError;

/// A call that is under way. Counts itself when it is dropped, as cancelled unless it has ended.
pub(super) struct Observed {
    kind: &'static str,
    outcome: &'static str,
}

impl Observed {
    pub fn begin(kind: &'static str) -> Self {
        Self { kind, outcome: "cancelled" }
    }

    pub fn ended(&mut self, result: &Result<Value, ToolError>) {
        self.outcome = match result {
            Ok(_) => "ok",
            Err(why) if why.code == "cancelled" => "cancelled",
            Err(_) => "error",
        };
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        table::TOOL_CALLS.add([self.kind, self.outcome], 1);
    }
}
