//! The records written at the end of a run: the message receives the output, and usage is booked.

use std::collections::{BTreeMap, HashMap};

use assist::billing::{self, ModelUse};
use assist::completion::{AnswerContent, write_answer};
use runs::{Event, EventData, RunOutcome, RunSummary, Terminal};
use storage::records::{Part, Run};
use storage::{Row, TenantId, Tx};

use super::notices;

/// The output and usage recorded in a journal.
#[derive(Default)]
pub struct JournalSummary {
    /// Parts of the answer, in the order in which they opened.
    parts: Vec<Part>,
    /// The index in `parts` of each open part.
    open: HashMap<String, usize>,
    title: Option<String>,
    /// Usage by the full id of the model.
    used: BTreeMap<String, ModelUse>,
}

/// Whether events of this type contribute to the summary.
pub(super) fn needs(kind: &str) -> bool {
    matches!(kind, "text.start" | "text.delta" | "text.end" | "usage" | "title" | "file" | "source")
}

impl JournalSummary {
    fn from_history(history: &[Event], model: &str) -> Self {
        let mut account = Self::default();
        for event in history {
            if let (true, Ok(data)) = (needs(&event.kind), serde_json::from_slice(&event.json)) {
                account.apply(data, model);
            }
        }
        account
    }

    fn apply(&mut self, data: EventData, default_model: &str) {
        match data {
            EventData::TextStart { part } => {
                self.open.insert(part, self.parts.len());
                self.parts.push(Part::Text { text: String::new() });
            }
            EventData::TextDelta { part, text } => {
                if let Some(Part::Text { text: so_far }) =
                    self.open.get(&part).and_then(|at| self.parts.get_mut(*at))
                {
                    so_far.push_str(&text);
                }
            }
            EventData::TextEnd { part } => drop(self.open.remove(&part)),
            EventData::Title { title } => self.title = Some(title),
            EventData::Source(source) => self.parts.push(Part::Source(source)),
            EventData::File { blob_id, media_type } => {
                self.parts.push(Part::File { blob_id, media_type, filename: None });
            }
            EventData::Usage { usage, cost_nanos, estimated, model } => {
                let model = model.unwrap_or_else(|| default_model.to_owned());
                *self.used.entry(model).or_default() += &ModelUse { usage, cost_nanos, estimated };
            }
            _ => {}
        }
    }
}

/// Closes the parts that are still open, and adds up usage and cost.
pub(super) fn close(run: &Row<Run>, history: &[Event], outcome: &RunOutcome) -> RunSummary<JournalSummary> {
    let account = JournalSummary::from_history(history, &run.model);
    let mut open: Vec<_> = account.open.iter().map(|(part, at)| (*at, part.clone())).collect();
    open.sort_unstable();
    let complete = matches!(outcome, RunOutcome::Succeeded { .. });
    let mut total = ModelUse::default();
    account.used.values().for_each(|used| total += used);
    RunSummary {
        events: open.into_iter().map(|(_, part)| EventData::TextEnd { part }.into()).collect(),
        usage: total.usage,
        cost_nanos: total.cost_nanos,
        partial: !complete && !account.parts.is_empty(),
        details: account,
    }
}

/// Writes the message, the title of the conversation, and one usage record per model.
pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    account: &JournalSummary,
    terminal: &Terminal,
) -> storage::Result<()> {
    notices::mark_done(tx, tenant, run, &run.told)?;
    let answered = AnswerContent {
        parts: &account.parts,
        calls: &[],
        memories: &[],
        title: account.title.as_deref(),
        model: None,
    };
    // Everyone who reads the conversation sees the message. Only editors of the workflow see the full error, in the run.
    write_answer(tx, tenant, run, &answered, &terminal.clone().outline())?;
    for (model, used) in &account.used {
        billing::book(tx, tenant, run, terminal, "workflow", model, used)?;
    }
    Ok(())
}
