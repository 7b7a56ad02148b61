//! The end of a run as records: the message gets what was said, and the usage is booked.

use std::collections::{BTreeMap, HashMap};

use assist::billing::{Spent, usage_record};
use assist::completion::{Answered, write_answer};
use runs::{Conclusion, Event, EventData, RunOutcome, RunSummary, Terminal};
use storage::accounting;
use storage::records::{Part, Run, Usage};
use storage::{Row, TenantId, Tx};

use super::notices;
use super::usage::add;

/// What a journal adds up to.
#[derive(Default)]
struct Account {
    /// Parts of the answer, in the order in which they opened.
    parts: Vec<Part>,
    /// Where each open part stands.
    open: HashMap<String, usize>,
    title: Option<String>,
    /// By model: tokens, cost, whether some were estimated.
    spent: BTreeMap<String, (Usage, u64, bool)>,
}

/// The types of events that make an account.
pub(super) fn needs(kind: &str) -> bool {
    matches!(kind, "text.start" | "text.delta" | "text.end" | "usage" | "title" | "file" | "source")
}

impl Account {
    fn from_history(history: &[Event], model: &str) -> Self {
        let mut account = Self::default();
        for event in history {
            if let (true, Ok(data)) = (needs(&event.kind), serde_json::from_slice(&event.json)) {
                account.take(data, model);
            }
        }
        account
    }

    fn take(&mut self, data: EventData, default_model: &str) {
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
            EventData::Source { url, document_id, title, snippet, place } => {
                self.parts.push(Part::Source { url, document_id, title, snippet, place });
            }
            EventData::File { blob_id, media_type } => {
                self.parts.push(Part::File { blob_id, media_type, filename: None });
            }
            EventData::Usage { usage, cost_nanos, estimated, model } => {
                let spent = self.spent.entry(model.unwrap_or_else(|| default_model.to_owned())).or_default();
                spent.0 = add(spent.0, &usage);
                spent.1 = spent.1.saturating_add(cost_nanos);
                spent.2 |= estimated;
            }
            _ => {}
        }
    }
}

/// Shuts what is open and adds up what was used.
pub(super) fn close(run: &Row<Run>, history: &[Event], conclusion: &Conclusion) -> RunSummary {
    let account = Account::from_history(history, &run.model);
    let mut open: Vec<_> = account.open.iter().map(|(part, at)| (*at, part.clone())).collect();
    open.sort_unstable();
    let complete = matches!(conclusion.outcome, RunOutcome::Succeeded { .. });
    RunSummary {
        events: open.into_iter().map(|(_, part)| EventData::TextEnd { part }.into()).collect(),
        usage: account.spent.values().fold(Usage::default(), |sum, (usage, ..)| add(sum, usage)),
        cost_nanos: account.spent.values().map(|(_, cost, _)| *cost).sum(),
        partial: !complete && !account.parts.is_empty(),
        body: Box::new(account),
    }
}

/// Writes the message, the conversation's title, and a usage record a model.
pub(super) fn conclude(
    tx: &mut Tx,
    tenant: TenantId,
    run: &Row<Run>,
    closing: &RunSummary,
    terminal: &Terminal,
) -> storage::Result<()> {
    notices::over(tx, tenant, run, &run.told)?;
    let Some(account) = closing.body.downcast_ref::<Account>() else {
        return Err(storage::Error::Invalid("a workflow's closing holds its account".into()));
    };
    let answered =
        Answered { parts: &account.parts, calls: &[], title: account.title.as_deref(), model: None };
    // Everyone who reads the conversation sees the message; only editors of the workflow see the whole error, in the run.
    write_answer(tx, tenant, run, &answered, &terminal.clone().outline())?;
    for (model, (usage, cost_nanos, estimated)) in &account.spent {
        let spent =
            Spent { kind: "workflow", model, usage: *usage, cost_nanos: *cost_nanos, estimated: *estimated };
        accounting::book(tx, tenant, usage_record(run, terminal, &spent))?;
    }
    Ok(())
}
