use providers::{MediaInfo, Usage};
use storage::accounting;
use storage::records::UsageRecord;
use storage::{Store, Timestamp};

use crate::ask::Requester;

/// The bill for one use of a model.
pub(super) struct Bill {
    pub requester: Requester,
    pub model: MediaInfo,
    /// Number of characters spoken, milliseconds transcribed, or images generated.
    pub quantity: u64,
    /// Whether the quantity is estimated.
    pub estimated: bool,
    /// Tokens, if the provider reports them.
    pub tokens: Option<Usage>,
}

impl Bill {
    /// Writes the usage record. Returns the price in billionths of a dollar.
    pub async fn book(self, store: &Store) -> storage::Result<u64> {
        let cost = self.model.cost_nanos(self.quantity);
        let record = UsageRecord {
            ts: Timestamp::now(),
            user: self.requester.user,
            kind: self.model.kind.tag().to_owned(),
            model: self.model.id,
            provider: self.model.provider,
            usage: self.tokens.as_ref().map(crate::billing::usage).unwrap_or_default(),
            quantity: self.quantity,
            cost_nanos: i64::try_from(cost).unwrap_or(i64::MAX),
            billable: true,
            estimated: self.estimated,
            token_id: self.requester.token_id,
            ..UsageRecord::default()
        };
        let tenant = self.requester.tenant;
        store.run(move |tx| accounting::book(tx, tenant, record.clone())).await?;
        Ok(cost)
    }
}
