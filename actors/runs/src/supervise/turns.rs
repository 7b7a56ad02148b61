//! Recovery turns: they limit how many recovered runs read their journals, and how many wait for the first response of
//! one provider.

use std::collections::HashMap;

use storage::Row;
use storage::records::Run;
use uuid::Uuid;

/// How many runs are recovered at once.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryLimits {
    /// Maximum number of recovered runs that read their journals.
    pub concurrency: usize,
    /// Maximum number of recovered runs that wait for a first response from one provider.
    pub per_provider: usize,
}

impl Default for RecoveryLimits {
    fn default() -> Self {
        Self { concurrency: 64, per_provider: 16 }
    }
}

/// Why a recovered run has no turn, with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnShortage {
    /// Too many runs read their journals.
    Reading(usize),
    /// Too many runs wait for a first response of the provider.
    Provider(usize),
}

/// The runs that hold a turn.
pub(super) struct RecoveryTurns {
    limits: RecoveryLimits,
    turns: HashMap<Uuid, Turn>,
    /// Number of runs that are reading their journals.
    reading: usize,
    of_provider: HashMap<String, usize>,
}

struct Turn {
    is_reading: bool,
    /// The provider whose response the run waits for.
    provider: Option<String>,
}

impl RecoveryTurns {
    pub fn new(limits: RecoveryLimits) -> Self {
        Self { limits, turns: HashMap::new(), reading: 0, of_provider: HashMap::new() }
    }

    /// Whether a run may start: a new run always may, a recovered run only if a turn is available.
    pub fn has_room(&self, row: &Row<Run>) -> bool {
        self.shortage(row).is_none()
    }

    /// The limit because of which a run may not start.
    pub fn shortage(&self, row: &Row<Run>) -> Option<TurnShortage> {
        let RecoveryLimits { concurrency, per_provider } = self.limits;
        if row.epoch == 1 {
            return None;
        }
        if self.reading >= concurrency {
            return Some(TurnShortage::Reading(concurrency));
        }
        let taken = provider_of(&row.model).and_then(|provider| self.of_provider.get(provider));
        taken.is_some_and(|taken| *taken >= per_provider).then_some(TurnShortage::Provider(per_provider))
    }

    /// Gives a recovered run its turn. Exceeds the limits if the run does not have to wait for a turn.
    pub fn take(&mut self, row: &Row<Run>) {
        if row.epoch == 1 {
            return;
        }
        self.end(row.id);
        let provider = provider_of(&row.model).map(str::to_owned);
        if let Some(provider) = &provider {
            *self.of_provider.entry(provider.clone()).or_default() += 1;
        }
        self.reading += 1;
        self.turns.insert(row.id, Turn { is_reading: true, provider });
    }

    /// Records that a run has read its journal. Returns whether another run may take a turn as a result.
    pub fn end_reading(&mut self, run: Uuid) -> bool {
        let Some(turn) = self.turns.get_mut(&run).filter(|turn| turn.is_reading) else { return false };
        turn.is_reading = false;
        self.reading -= 1;
        true
    }

    /// Records that a run has a response from its provider, waits, or has ended. Returns whether another run may take a
    /// turn as a result.
    pub fn end(&mut self, run: Uuid) -> bool {
        let was_reading = self.end_reading(run);
        let Some(Turn { provider, .. }) = self.turns.remove(&run) else { return was_reading };
        if let Some(provider) = provider
            && let Some(taken) = self.of_provider.get_mut(&provider)
        {
            *taken -= 1;
            if *taken == 0 {
                self.of_provider.remove(&provider);
            }
        }
        true
    }

    /// Whether a run has a turn.
    pub fn has(&self, run: Uuid) -> bool {
        self.turns.contains_key(&run)
    }
}

/// The provider of a model: the prefix of the model's ID.
fn provider_of(model: &str) -> Option<&str> {
    model.split_once('/').map(|(provider, _)| provider)
}

#[cfg(test)]
mod tests {
    use storage::Timestamp;

    use super::*;

    fn row(epoch: u32, model: &str) -> Row<Run> {
        let (id, at) = (Uuid::now_v7(), Timestamp::now());
        let body = Run { epoch, model: model.to_owned(), ..Run::default() };
        Row { id, version: 1, created_at: at, updated_at: at, body }
    }

    #[test]
    fn recovery_turns_are_limited_by_provider_and_in_total() {
        let mut turns = RecoveryTurns::new(RecoveryLimits { concurrency: 3, per_provider: 2 });
        let (first, second) = (row(2, "one/model"), row(2, "one/other"));
        turns.take(&first);
        turns.take(&second);
        assert_eq!(
            turns.shortage(&row(2, "one/model")),
            Some(TurnShortage::Provider(2)),
            "the provider has two"
        );
        assert!(turns.has_room(&row(1, "one/model")), "a new run needs no turn");
        let third = row(2, "two/model");
        assert!(turns.has_room(&third));
        turns.take(&third);
        assert_eq!(turns.shortage(&row(2, "three/model")), Some(TurnShortage::Reading(3)), "three read");
        assert!(turns.end_reading(first.id) && !turns.end_reading(first.id));
        assert!(turns.has_room(&row(2, "three/model")));
        assert!(!turns.has_room(&row(2, "one/model")), "it has read, and has no answer yet");
        assert!(turns.end(first.id) && !turns.end(first.id));
        assert!(turns.has_room(&row(2, "one/model")));
    }
}
