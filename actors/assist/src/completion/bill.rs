//! The usage of a completion's model calls, computed from its events: whom to pay, and what is owed for a call that was
//! cut off before the provider reported its usage.

use std::collections::{BTreeMap, HashMap};

use crate::billing::{ModelUse, usage};
use providers::{Models, Usage as Billed};
use runs::EventData;

/// Reported usage, and usage that is owed.
#[derive(Clone, Debug, Default)]
pub(super) struct Bill {
    /// Reported usage of model calls, by the full ID of the model that answered; `None` is the run's own model.
    reported: BTreeMap<Option<String>, ModelUse>,
    /// Usage of embedding models, by their full IDs.
    aside: BTreeMap<String, ModelUse>,
    /// Calls that have generated output and not reported usage, by the index of their answer.
    open: BTreeMap<u32, Open>,
    /// Names of parts and calls of additional answers.
    names: HashMap<String, u32>,
    /// Index of the answer that the next usage event belongs to.
    next_of: u32,
    /// Estimated number of prompt tokens.
    input_estimate: u64,
    /// The last model that answered in place of the run's own.
    pub answered_by: Option<String>,
}

/// A model call that has not reported its usage.
#[derive(Clone, Debug, Default)]
struct Open {
    chars: u64,
    /// The model that answers in place of the run's own.
    by: Option<String>,
}

impl Bill {
    /// Applies the next event.
    pub fn apply(&mut self, data: &EventData) {
        match data {
            EventData::RunStarted { input_estimate, .. } => self.input_estimate = *input_estimate,
            EventData::Choice { choice, part, call_id } => match part.as_ref().or(call_id.as_ref()) {
                Some(name) => drop(self.names.insert(name.clone(), *choice)),
                None => self.next_of = *choice,
            },
            EventData::Answering { model } => {
                let choice = std::mem::take(&mut self.next_of);
                self.open.entry(choice).or_default().by = Some(model.clone());
                self.answered_by = Some(model.clone());
            }
            EventData::TextDelta { part, text } | EventData::ReasoningDelta { part, text } => {
                self.count(part, text);
            }
            EventData::ToolCallDelta { call_id, arguments } => self.count(call_id, arguments),
            &EventData::Usage { usage, cost_nanos, estimated, ref model } => {
                let used = ModelUse { usage, cost_nanos, estimated };
                if let Some(model) = model {
                    *self.aside.entry(model.clone()).or_default() += &used;
                } else {
                    let choice = std::mem::take(&mut self.next_of);
                    let by = self.open.remove(&choice).and_then(|open| open.by);
                    *self.reported.entry(by).or_default() += &used;
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, name: &str, text: &str) {
        let choice = self.names.get(name).copied().unwrap_or_default();
        self.open.entry(choice).or_default().chars += text.chars().count() as u64;
    }

    /// Bills calls whose usage no provider reported: a model was called and generated output, and a crash, failure or
    /// cancel came before the report. The usage is estimated, priced for the model that answered, and billed once.
    /// Returns the events to write.
    pub fn owed(&mut self, own: &str, models: &Models) -> Vec<EventData> {
        let open = std::mem::take(&mut self.open);
        let mut events = Vec::new();
        for (choice, open) in open.into_iter().filter(|(_, open)| open.chars > 0) {
            let owed = Billed {
                input_tokens: self.input_estimate,
                output_tokens: open.chars.div_ceil(4),
                estimated: true,
                ..Billed::default()
            };
            let by = open.by.as_deref().unwrap_or(own);
            let cost_nanos = models.find(by).map_or(0, |model| model.info.prices.cost_nanos(&owed));
            let (usage, estimated) = (usage(&owed), true);
            *self.reported.entry(open.by).or_default() += &ModelUse { usage, cost_nanos, estimated };
            events.extend(of_choice(choice));
            events.push(EventData::Usage { usage, cost_nanos, estimated, model: None });
        }
        events
    }

    /// The usage of each model that answered, followed by the embedding models.
    pub fn by_model<'a>(
        &'a self,
        own: &'a str,
    ) -> impl Iterator<Item = (&'static str, &'a str, &'a ModelUse)> {
        let reported = self.reported.iter().map(|(by, sum)| ("chat", by.as_deref().unwrap_or(own), sum));
        reported.chain(self.aside.iter().map(|(model, sum)| ("embedding", model.as_str(), sum)))
    }

    /// Total usage of all models.
    pub fn total(&self) -> ModelUse {
        let mut total = ModelUse::default();
        self.reported.values().chain(self.aside.values()).for_each(|used| total += used);
        total
    }
}

/// Returns the event that assigns the next event to an answer, or `None` for the first answer.
pub(super) fn of_choice(choice: u32) -> Option<EventData> {
    (choice > 0).then_some(EventData::Choice { choice, part: None, call_id: None })
}
