//! What a completion's model calls took, by its events: who is to be paid, and what is owed where a call was
//! cut off before the provider told.

use std::collections::{BTreeMap, HashMap};

use crate::billing::{ModelUse, usage};
use providers::{Models, Usage as Billed};
use runs::EventData;

/// What was told, and what is owed.
#[derive(Clone, Debug, Default)]
pub(super) struct Bill {
    /// What model calls took that told it, by the full id of the model that answered; `None` is the run's own.
    reported: BTreeMap<Option<String>, ModelUse>,
    /// What other models took, those that embed, by their full ids.
    aside: BTreeMap<String, ModelUse>,
    /// Calls that have given something and not told their usage, by the answer that they are for.
    open: BTreeMap<u32, Open>,
    /// Names of parts and calls of further answers.
    names: HashMap<String, u32>,
    /// The answer that the next usage is of.
    next_of: u32,
    /// Estimated tokens of the prompt.
    input_estimate: u64,
    /// The model that answered last in place of the run's own.
    pub answered_by: Option<String>,
}

/// A model call that has not told its usage.
#[derive(Clone, Debug, Default)]
struct Open {
    chars: u64,
    /// The model that answers in place of the run's own.
    by: Option<String>,
}

impl Bill {
    /// Takes the next event.
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

    /// What has to be billed although no provider told it: a model was asked, gave something, and the crash,
    /// the failure or the cancel came before the count. By estimate, at the price of who answered, once.
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

    /// What each model that answered took, and then those that embed.
    pub fn by_model<'a>(
        &'a self,
        own: &'a str,
    ) -> impl Iterator<Item = (&'static str, &'a str, &'a ModelUse)> {
        let reported = self.reported.iter().map(|(by, sum)| ("chat", by.as_deref().unwrap_or(own), sum));
        reported.chain(self.aside.iter().map(|(model, sum)| ("embedding", model.as_str(), sum)))
    }

    /// What all models took together.
    pub fn total(&self) -> ModelUse {
        let mut total = ModelUse::default();
        self.reported.values().chain(self.aside.values()).for_each(|used| total += used);
        total
    }
}

/// Says of which answer the event is that follows; nothing for the first.
pub(super) fn of_choice(choice: u32) -> Option<EventData> {
    (choice > 0).then_some(EventData::Choice { choice, part: None, call_id: None })
}
