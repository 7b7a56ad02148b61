//! The usage of a build, computed from its journal.

use std::collections::BTreeMap;

use assist::BilledModel;
use assist::billing::{ModelUse, usage};
use providers::Models;
use runs::{Event, EventData};

/// The usage of a build, and its open parts.
#[derive(Debug, Default)]
pub struct Spending {
    /// Whether work has begun.
    pub started: bool,
    /// The usage of each model by its full id. `None` is the requested model.
    pub by_model: BTreeMap<Option<String>, ModelUse>,
    /// Full id of the fallback model that answers, until usage is reported.
    answering: Option<String>,
    /// The open text part.
    text: Option<String>,
    reasoning: Option<String>,
    /// Number of characters received since usage was last reported.
    text_chars: u64,
    reasoning_chars: u64,
    /// Estimated number of tokens of the first prompt.
    input_estimate: u64,
}

impl Spending {
    /// The types of events from which the usage is computed.
    pub const NEEDED: [&'static str; 9] = [
        "run.started",
        "model.answering",
        "text.start",
        "text.delta",
        "text.end",
        "reasoning.start",
        "reasoning.delta",
        "reasoning.end",
        "usage",
    ];

    /// Reads a journal from its beginning.
    pub fn from_history(history: &[Event]) -> Self {
        let mut spending = Self::default();
        for event in history.iter().filter(|event| Self::NEEDED.contains(&&*event.kind)) {
            if let Some(data) = EventData::read(event) {
                spending.apply(data);
            }
        }
        spending
    }

    fn apply(&mut self, data: EventData) {
        match data {
            EventData::RunStarted { input_estimate, .. } => {
                self.started = true;
                self.input_estimate = input_estimate;
            }
            EventData::TextStart { part } => self.text = Some(part),
            EventData::ReasoningStart { part } => self.reasoning = Some(part),
            EventData::TextDelta { text, .. } => self.text_chars += text.chars().count() as u64,
            EventData::ReasoningDelta { text, .. } => self.reasoning_chars += text.chars().count() as u64,
            EventData::TextEnd { .. } => self.text = None,
            EventData::ReasoningEnd { .. } => self.reasoning = None,
            EventData::Answering { model } => self.answering = Some(model),
            EventData::Usage { usage, cost_nanos, estimated, model } => {
                (self.text_chars, self.reasoning_chars, self.answering) = (0, 0, None);
                *self.by_model.entry(model).or_default() += &ModelUse { usage, cost_nanos, estimated };
            }
            _ => {}
        }
    }

    /// Returns the usage of all models together.
    pub fn total(&self) -> ModelUse {
        let mut total = ModelUse::default();
        self.by_model.values().for_each(|used| total += used);
        total
    }

    /// Returns the events that close all open parts.
    pub fn close_parts(&mut self) -> Vec<EventData> {
        let text = self.text.take().map(|part| EventData::TextEnd { part });
        let reasoning = self.reasoning.take().map(|part| EventData::ReasoningEnd { part });
        reasoning.into_iter().chain(text).collect()
    }

    /// Returns the usage event for output whose usage was not reported because of a crash, a failure or a cancellation. The usage
    /// is estimated, and billed once.
    pub fn unreported_usage(&mut self, model: &str, models: &Models) -> Option<EventData> {
        if self.text_chars + self.reasoning_chars == 0 {
            return None;
        }
        let mut usage_estimate = providers::Usage::estimate(0, self.text_chars, self.reasoning_chars);
        usage_estimate.input_tokens = self.input_estimate;
        let by = BilledModel::named(models, self.answering.as_deref().unwrap_or(model));
        let cost_nanos = by.cost_nanos(&usage_estimate);
        let event = EventData::Usage {
            usage: usage(&usage_estimate),
            cost_nanos,
            estimated: true,
            model: Some(by.model),
        };
        self.apply(event.clone());
        Some(event)
    }
}
