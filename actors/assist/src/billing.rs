//! What runs are billed.

use runs::Terminal;
use storage::Row;
use storage::records::{Run, Usage, UsageRecord};

/// What was spent on one model.
pub struct Spent<'a> {
    /// For what: `chat`, `workflow`.
    pub kind: &'a str,
    /// Its full id, `provider/model`.
    pub model: &'a str,
    /// Tokens.
    pub usage: Usage,
    /// Their cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Whether the tokens are estimated.
    pub estimated: bool,
}

/// The usage record of a run for one model.
pub fn usage_record(run: &Row<Run>, terminal: &Terminal, spent: &Spent<'_>) -> UsageRecord {
    UsageRecord {
        ts: terminal.finished_at,
        user: run.user,
        assistant_id: run.assistant_id,
        conversation_id: run.conversation_id,
        run_id: Some(run.id),
        model: spent.model.to_owned(),
        provider: spent.model.split('/').next().unwrap_or_default().to_owned(),
        kind: spent.kind.to_owned(),
        usage: spent.usage,
        cost_nanos: signed(spent.cost_nanos),
        billable: true,
        estimated: spent.estimated,
        token_id: run.token_id,
        context: run.context.clone(),
        ..UsageRecord::default()
    }
}

/// A provider's count of tokens, as records and events hold it.
pub fn usage(used: &providers::Usage) -> Usage {
    Usage {
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
        cached_tokens: used.cached_tokens,
        reasoning_tokens: used.reasoning_tokens,
    }
}

/// An amount as records hold it.
pub(crate) fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
