//! The states that an engine went through, and which of them it may show.

use super::Mode;
use super::life::End;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;

/// Everything that an engine stores.
pub(super) type Contents = BTreeMap<Bytes, Bytes>;

/// A violation of the properties, and the steps that led to it.
#[derive(Debug)]
pub(in crate::tests) struct Violation(String);

impl Violation {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }

    /// Prepends the events that happened before.
    pub(super) fn after(self, before: &str) -> Self {
        Self(format!("after {before}:\n  {}", self.0.replace('\n', "\n  ")))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The states before and after groups of batches, in order.
#[derive(Clone, Debug)]
pub(super) struct History {
    states: Vec<Contents>,
    /// The last acknowledged state. Later ones were submitted.
    acknowledged: usize,
    /// The first state that may be shown after a power loss with [`Mode::Process`].
    durable: usize,
    /// Whether there was a power loss since the last complete opening.
    is_cut: bool,
    /// Changes with each power loss.
    boot: u64,
}

impl History {
    /// A history in which nothing is stored.
    pub(super) fn new() -> Self {
        Self { states: vec![Contents::new()], acknowledged: 0, durable: 0, is_cut: false, boot: 0 }
    }

    /// Records a group before it is committed.
    pub(super) fn submit(&mut self, state: Contents) {
        self.states.push(state);
    }

    /// Records that the engine has committed the last submitted group.
    pub(super) fn acknowledge(&mut self) {
        self.acknowledged = self.states.len() - 1;
    }

    /// Records that the engine has refused the last submitted group without effect.
    pub(super) fn withdraw(&mut self) {
        self.states.pop();
    }

    pub(super) fn acknowledged(&self) -> &Contents {
        &self.states[self.acknowledged]
    }

    /// Records how a life ended. `boot` is used if the power was lost.
    pub(super) fn end(&mut self, end: End, boot: u64) {
        if end == End::PowerLoss {
            (self.is_cut, self.boot) = (true, boot);
        }
    }

    pub(super) fn boot(&self) -> u64 {
        self.boot
    }

    /// The states that the next opening may show.
    fn allowed(&self, mode: Mode) -> std::ops::RangeInclusive<usize> {
        let first = if mode == Mode::Process && self.is_cut { self.durable } else { self.acknowledged };
        first..=self.states.len() - 1
    }

    /// Records the state that an opening shows. `loss` is the loss that the engine reports.
    pub(super) fn opened(
        &mut self,
        shown: Contents,
        mode: Mode,
        loss: Option<&str>,
    ) -> Result<(), Violation> {
        let allowed = self.allowed(mode);
        let matching = |at: &usize| self.states[*at] == shown;
        let Some(last) = allowed.clone().rev().find(matching) else { return Err(self.refusal(&shown, mode)) };
        if last < self.acknowledged && loss.is_none() {
            let (shown, acknowledged) = (last, self.acknowledged);
            return Err(Violation::new(format!(
                "shows state {shown} and reports no loss; {acknowledged} was acknowledged"
            )));
        }
        if mode == Mode::Power || self.is_cut {
            // No power loss may undo this state.
            *self = Self { states: vec![shown], boot: self.boot, ..Self::new() };
        } else {
            self.states.truncate(last + 1);
            self.acknowledged = last;
        }
        Ok(())
    }

    fn refusal(&self, shown: &Contents, mode: Mode) -> Violation {
        let allowed = self.allowed(mode);
        let what = match self.states.iter().rposition(|state| state == shown) {
            Some(state) => format!("shows state {state}"),
            None => {
                let from = |state: usize| differences(&self.states[state], shown);
                let near = allowed.clone().min_by_key(|state| from(*state).len()).unwrap_or_default();
                let mut differences = from(near);
                let more = differences.len().saturating_sub(6);
                differences.truncate(6);
                format!(
                    "shows no state; from state {near} it differs by {}, and {more} more",
                    differences.join(", ")
                )
            }
        };
        let (acknowledged, submitted) = (self.acknowledged, self.states.len() - 1);
        Violation::new(format!(
            "{what}; allowed are {allowed:?}, of which {acknowledged} was acknowledged and {submitted} submitted"
        ))
    }
}

/// The differences between two states, one line per key.
pub(super) fn differences(from: &Contents, to: &Contents) -> Vec<String> {
    let gone = from.keys().filter(|key| !to.contains_key(*key)).map(|key| format!("-{key:?}"));
    let other = to.iter().filter_map(|(key, value)| match from.get(key) {
        None => Some(format!("+{key:?}")),
        Some(before) if before != value => Some(format!("{key:?}: {} to {}", brief(before), brief(value))),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

fn brief(value: &Bytes) -> String {
    format!("{:?} ({} bytes)", value.slice(..value.len().min(9)), value.len())
}
