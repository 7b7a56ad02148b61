//! What a question took, and its record.

use std::sync::Arc;

use providers::Model;
use storage::records::{Usage, UsageRecord, usage as bills};
use storage::{Store, Timestamp};

use super::{Answer, Ask, Asker};
use crate::completion::turn::usage;

/// What a question has taken so far.
pub(super) struct Bill {
    asker: Asker,
    kind: &'static str,
    model: Arc<Model>,
    /// What providers told.
    total: Option<providers::Usage>,
    /// Characters of the question and of what was given, since usage was last told.
    input_chars: u64,
    output_chars: u64,
    reasoning_chars: u64,
}

impl Bill {
    pub fn of(ask: &Ask) -> Self {
        let (asker, kind, model) = (ask.asker, ask.kind, ask.model.clone());
        Self { asker, kind, model, total: None, input_chars: 0, output_chars: 0, reasoning_chars: 0 }
    }

    /// A call begins, with so many characters.
    pub fn asked(&mut self, chars: u64) {
        self.owed();
        self.input_chars = chars;
    }

    /// The model gave so many characters.
    pub fn gave(&mut self, text: u64, reasoning: u64) {
        self.output_chars += text;
        self.reasoning_chars += reasoning;
    }

    /// The provider told what a call took.
    pub fn told(&mut self, used: providers::Usage) {
        (self.output_chars, self.reasoning_chars) = (0, 0);
        self.total = Some(self.total.map_or(used, |total| total.plus(used)));
    }

    /// What a model gave and nobody has told the usage of is billed by estimate.
    fn owed(&mut self) {
        if self.output_chars + self.reasoning_chars > 0 {
            let chars = (self.input_chars, self.output_chars, self.reasoning_chars);
            self.told(providers::Usage::estimate(chars.0, chars.1, chars.2));
        }
    }

    /// Records it, if there is anything to be recorded.
    pub async fn settle(mut self, store: &Store) -> storage::Result<Answer> {
        self.owed();
        let Some(used) = self.total else { return Ok(Answer::default()) };
        let answer = Answer {
            usage: usage(&used),
            cost_nanos: self.model.info.prices.cost_nanos(&used),
            estimated: used.estimated,
            ..Answer::default()
        };
        if answer.usage != Usage::default() {
            let (record, tenant) = (self.record(&answer), self.asker.tenant);
            store.run(move |tx| bills::book(tx, tenant, record.clone())).await?;
        }
        Ok(answer)
    }

    fn record(&self, answer: &Answer) -> UsageRecord {
        let info = &self.model.info;
        UsageRecord {
            ts: Timestamp::now(),
            user: self.asker.user,
            model: info.id.clone(),
            provider: info.provider.clone(),
            kind: self.kind.to_owned(),
            usage: answer.usage,
            cost_nanos: i64::try_from(answer.cost_nanos).unwrap_or(i64::MAX),
            billable: true,
            estimated: answer.estimated,
            token_id: self.asker.token_id,
            ..UsageRecord::default()
        }
    }
}
