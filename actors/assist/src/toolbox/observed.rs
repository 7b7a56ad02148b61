//! Metrics and tracing of tool calls.

use std::future::Future;

use serde_json::Value;
use telemetry::metrics::table;
use telemetry::trace::{self, Kind, Span};

use super::ToolError;

/// A call in progress. Counted when it is dropped, as cancelled unless it has ended.
pub(super) struct CallMetrics {
    kind: &'static str,
    outcome: &'static str,
    span: Span,
}

impl CallMetrics {
    /// Begins a call of the tool with this name, of the kind `builtin`, `function` or `server`.
    pub fn begin(kind: &'static str, name: &str, arguments: &Value) -> Self {
        let mut span = Span::none();
        if trace::enabled() {
            span = trace::span(Kind::Internal, trace::current(), || format!("execute_tool {name}"));
            span.set(|set| {
                set.text("gen_ai.operation.name", "execute_tool");
                set.text("gen_ai.tool.name", name);
                set.text("gen_ai.tool.type", if kind == "server" { "extension" } else { "function" });
                if let Some(limit) = trace::content_limit() {
                    set.content("gen_ai.tool.call.arguments", &arguments.to_string(), limit);
                }
            });
        }
        Self { kind, outcome: "cancelled", span }
    }

    /// Executes the call within its span.
    pub async fn around(
        mut self,
        call: impl Future<Output = Result<Value, ToolError>>,
    ) -> Result<Value, ToolError> {
        let result = match self.span.context() {
            // Boxed, so that the future does not grow if nothing is traced.
            Some(context) => Box::pin(trace::within(context, call)).await,
            None => call.await,
        };
        match &result {
            Ok(output) => {
                self.outcome = "ok";
                self.span.set(|set| {
                    if let Some(limit) = trace::content_limit() {
                        set.content("gen_ai.tool.call.result", &output.to_string(), limit);
                    }
                });
            }
            Err(why) if why.code == "cancelled" => {}
            Err(why) => {
                self.outcome = "error";
                self.span.fail(why.code, None);
            }
        }
        result
    }
}

impl Drop for CallMetrics {
    fn drop(&mut self) {
        table::TOOL_CALLS.add([self.kind, self.outcome], 1);
        if self.outcome == "cancelled" {
            self.span.fail("cancelled", None);
        }
    }
}
