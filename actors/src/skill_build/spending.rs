//! What a build has used, as its journal tells it.

use providers::Models;
use storage::records::Usage;

use crate::completion::turn::usage;
use crate::event::EventData;
use crate::journal::Event;

/// What a build has used, and what it has open.
#[derive(Debug, Default)]
pub(super) struct Spending {
    /// Whether work had begun.
    pub started: bool,
    /// Tokens of all calls that told it.
    pub usage: Usage,
    /// What they cost, in thousand-millionths of a dollar.
    pub cost_nanos: u64,
    /// Whether some were estimated.
    pub estimated: bool,
    /// The text that is open,
    text: Option<String>,
    /// and the reasoning.
    reasoning: Option<String>,
    /// Characters that came since usage was last told.
    text_chars: u64,
    reasoning_chars: u64,
    /// Estimated tokens of the first question.
    input_estimate: u64,
}

impl Spending {
    /// The events that it is read from.
    pub const NEEDED: [&'static str; 8] = [
        "run.started",
        "text.start",
        "text.delta",
        "text.end",
        "reasoning.start",
        "reasoning.delta",
        "reasoning.end",
        "usage",
    ];

    /// Reads a journal from its beginning.
    pub fn of(history: &[Event]) -> Self {
        let mut spending = Self::default();
        for event in history.iter().filter(|event| Self::NEEDED.contains(&&*event.kind)) {
            if let Ok(data) = serde_json::from_slice::<EventData>(&event.json) {
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
            EventData::Usage { usage, cost_nanos, estimated, .. } => {
                (self.text_chars, self.reasoning_chars) = (0, 0);
                self.add(&usage, cost_nanos, estimated);
            }
            _ => {}
        }
    }

    fn add(&mut self, more: &Usage, cost_nanos: u64, estimated: bool) {
        self.usage.input_tokens += more.input_tokens;
        self.usage.output_tokens += more.output_tokens;
        self.usage.cached_tokens += more.cached_tokens;
        self.usage.reasoning_tokens += more.reasoning_tokens;
        self.cost_nanos = self.cost_nanos.saturating_add(cost_nanos);
        self.estimated |= estimated;
    }

    /// Shuts what is open: the events that tell so.
    pub fn shut(&mut self) -> Vec<EventData> {
        let text = self.text.take().map(|part| EventData::TextEnd { part });
        let reasoning = self.reasoning.take().map(|part| EventData::ReasoningEnd { part });
        reasoning.into_iter().chain(text).collect()
    }

    /// What a model gave and nobody has told the usage of, because a crash, a failure or a cancel
    /// came first: billed by estimate, once.
    pub fn owed(&mut self, model: &str, models: &Models) -> Option<EventData> {
        if self.text_chars + self.reasoning_chars == 0 {
            return None;
        }
        let mut owed = providers::Usage::estimate(0, self.text_chars, self.reasoning_chars);
        owed.input_tokens = self.input_estimate;
        let cost_nanos = models.find(model).map_or(0, |model| model.info.prices.cost_nanos(&owed));
        let told = EventData::Usage { usage: usage(&owed), cost_nanos, estimated: true, model: None };
        self.apply(told.clone());
        Some(told)
    }
}
