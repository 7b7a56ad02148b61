//! Billing of runs: usage records per model.

use std::ops::AddAssign;

use runs::Terminal;
use storage::accounting;
use storage::records::{Run, Usage, UsageRecord};
use storage::{Row, TenantId, Tx};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModelUse {
    /// Tokens used.
    pub usage: Usage,
    /// Cost of the tokens in billionths of a dollar.
    pub cost_nanos: u64,
    /// Whether some of the tokens are estimated.
    pub estimated: bool,
}

impl ModelUse {
    /// Whether there is nothing to bill.
    pub fn is_free(&self) -> bool {
        self.usage == Usage::default() && self.cost_nanos == 0
    }
}

impl AddAssign<&ModelUse> for ModelUse {
    fn add_assign(&mut self, more: &ModelUse) {
        self.usage += &more.usage;
        self.cost_nanos = self.cost_nanos.saturating_add(more.cost_nanos);
        self.estimated |= more.estimated;
    }
}

/// Books the usage of one model by an ended run.
///
/// `kind` is the purpose, such as `chat` or `workflow`; `model` is the full ID, `provider/model`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn book(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    terminal: &Terminal,
    kind: &str,
    model: &str,
    used: &ModelUse,
) -> storage::Result<()> {
    accounting::book(tx, tenant, usage_record(run, terminal, kind, model, used))
}

/// Creates the usage record of one model for an ended run.
pub(crate) fn usage_record(
    run: &Row<Run>,
    terminal: &Terminal,
    kind: &str,
    model: &str,
    used: &ModelUse,
) -> UsageRecord {
    UsageRecord {
        ts: terminal.finished_at,
        user: run.user,
        assistant_id: run.assistant_id,
        conversation_id: run.conversation_id,
        run_id: Some(run.id),
        model: model.to_owned(),
        provider: model.split('/').next().unwrap_or_default().to_owned(),
        kind: kind.to_owned(),
        usage: used.usage,
        cost_nanos: signed(used.cost_nanos),
        billable: true,
        estimated: used.estimated,
        token_id: run.token_id,
        context: run.context.clone(),
        ..UsageRecord::default()
    }
}

/// Converts a provider's token counts to the form used in records and events.
pub fn usage(used: &providers::Usage) -> Usage {
    Usage {
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
        cached_tokens: used.cached_tokens,
        reasoning_tokens: used.reasoning_tokens,
    }
}

/// Converts an amount to the form used in records.
pub(crate) fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}
