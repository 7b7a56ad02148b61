//! The usage of a question, and its usage record.

use crate::billing::usage;
use std::sync::Arc;

use providers::{Model, Models};
use storage::accounting;
use storage::records::{Usage, UsageRecord};
use storage::{Store, Timestamp, Tx};

use super::{Answer, Ask, Requester};
use crate::billed_model::BilledModel;

/// The usage of a question so far.
pub(super) struct Bill {
    requester: Requester,
    kind: &'static str,
    models: Arc<Models>,
    /// The model that was requested.
    model: Arc<Model>,
    /// The model that answers the current call.
    by: BilledModel,
    /// Usage per model that answered.
    taken: Vec<ModelUse>,
    /// Characters of the question and of the answer since usage was last reported.
    input_chars: u64,
    output_chars: u64,
    reasoning_chars: u64,
}

/// The usage of one model.
struct ModelUse {
    by: BilledModel,
    used: providers::Usage,
    cost_nanos: u64,
}

impl Bill {
    pub fn new(ask: &Ask) -> Self {
        Self {
            requester: ask.requester,
            kind: ask.kind,
            models: ask.models.clone(),
            model: ask.model.clone(),
            by: BilledModel::new(&ask.model),
            taken: Vec::new(),
            input_chars: 0,
            output_chars: 0,
            reasoning_chars: 0,
        }
    }

    /// Begins a call whose input has `chars` characters.
    pub fn begin_call(&mut self, chars: u64) {
        self.add_unreported();
        self.by = BilledModel::new(&self.model);
        self.input_chars = chars;
    }

    /// Records that a different model than the requested one answers the call.
    pub fn answering(&mut self, id: &str) {
        self.by = BilledModel::named(&self.models, id);
    }

    /// Records that the model generated `text` and `reasoning` characters.
    pub fn add_output(&mut self, text: u64, reasoning: u64) {
        self.output_chars += text;
        self.reasoning_chars += reasoning;
    }

    /// Adds the usage of a call that the provider has reported.
    pub fn add_usage(&mut self, used: providers::Usage) {
        (self.output_chars, self.reasoning_chars) = (0, 0);
        let cost_nanos = self.by.cost_nanos(&used);
        match self.taken.iter_mut().find(|taken| taken.by.model == self.by.model) {
            Some(taken) => {
                taken.used = taken.used.plus(used);
                taken.cost_nanos = taken.cost_nanos.saturating_add(cost_nanos);
            }
            None => self.taken.push(ModelUse { by: self.by.clone(), used, cost_nanos }),
        }
    }

    /// Adds estimated usage for output without reported usage.
    fn add_unreported(&mut self) {
        if self.output_chars + self.reasoning_chars > 0 {
            let chars = (self.input_chars, self.output_chars, self.reasoning_chars);
            self.add_usage(providers::Usage::estimate(chars.0, chars.1, chars.2));
        }
    }

    /// Writes the usage records, if there was any usage.
    pub async fn settle(mut self, store: &Store) -> storage::Result<Answer> {
        self.add_unreported();
        let Some(used) = self.taken.iter().map(|taken| taken.used).reduce(providers::Usage::plus) else {
            return Ok(Answer::default());
        };
        let cost_nanos = self.taken.iter().fold(0, |sum: u64, taken| sum.saturating_add(taken.cost_nanos));
        let answer =
            Answer { usage: usage(&used), cost_nanos, estimated: used.estimated, ..Answer::default() };
        let records: Vec<_> = self.taken.iter().filter_map(|taken| self.record(taken)).collect();
        if !records.is_empty() {
            let tenant = self.requester.tenant;
            let write = move |tx: &mut Tx| {
                records.iter().try_for_each(|record| accounting::book(tx, tenant, record.clone()))
            };
            store.run(write).await?;
        }
        Ok(answer)
    }

    fn record(&self, taken: &ModelUse) -> Option<UsageRecord> {
        let used = Some(usage(&taken.used)).filter(|used| *used != Usage::default())?;
        Some(UsageRecord {
            ts: Timestamp::now(),
            user: self.requester.user,
            model: taken.by.model.clone(),
            provider: taken.by.provider.clone(),
            kind: self.kind.to_owned(),
            usage: used,
            cost_nanos: i64::try_from(taken.cost_nanos).unwrap_or(i64::MAX),
            billable: true,
            estimated: taken.used.estimated,
            token_id: self.requester.token_id,
            ..UsageRecord::default()
        })
    }
}
