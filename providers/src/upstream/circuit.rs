//! When a provider is left alone.
//!
//! Failures are counted in two places. A failed *connection* counts against the provider, whatever
//! model was asked. A time-out or a 5xx counts against the *model* that was asked: one that is
//! overloaded, or too large to load, says nothing of its neighbours. Where as many fail one after the other as
//! the configuration says, the circuit opens: who asks is told at once, for a pause that grows each time.
//! After it one request is let through; if that succeeds, all are.
//!
//! An answer that says no (400, 401, 404, 429, ...) is an answer: the server is there. What happens after the
//! first byte is not counted either, since it came.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::chat::{ProviderError, ProviderErrorKind};
use crate::config::CircuitConfig;

/// Models whose failures are counted at one time; more than any provider has that fail at once.
const MODELS: usize = 256;

/// How a provider is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProviderHealth {
    /// Its name.
    pub provider: String,
    /// How it is, in a word.
    pub state: HealthState,
    /// Failures since the last answer, of the model that has most of them or of reaching the provider.
    pub consecutive_failures: u32,
    /// What the last failure was, without keys. A refusal is none, as it may repeat what was asked.
    pub last_error: Option<String>,
    /// When it last answered.
    #[serde(serialize_with = "in_millis")]
    pub last_success: Option<DateTime<Utc>>,
    /// Until when it, or one of its models, is left alone.
    #[serde(serialize_with = "in_millis")]
    pub open_until: Option<DateTime<Utc>>,
    /// The models that are left alone, by the provider's own ids; empty where all of them are or none is.
    pub models_left_alone: Vec<String>,
}

/// With three digits behind the second, as all moments are told.
fn in_millis<S: Serializer>(moment: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    moment.map(|moment| moment.to_rfc3339_opts(SecondsFormat::Millis, true)).serialize(serializer)
}

/// How a provider is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// It answers.
    Up,
    /// Some of what it was asked for lately failed, or it does not take the configured key.
    Degraded,
    /// It is left alone.
    Down,
    /// It has not been asked yet.
    Unknown,
}

/// The circuit of one host.
pub(crate) struct Circuit {
    settings: CircuitConfig,
    state: Mutex<State>,
    /// What time it is; a test tells its own.
    clock: Box<dyn Fn() -> Instant + Send + Sync>,
}

#[derive(Default)]
struct State {
    reach: Track,
    /// Only those that fail; by the provider's own id.
    models: HashMap<String, Track>,
    last_error: Option<String>,
    last_success: Option<DateTime<Utc>>,
    /// The configured key was the last thing that it would not have.
    keeps_us_out: bool,
}

/// Consecutive failures of a model or a host.
#[derive(Default)]
struct Track {
    failures: u32,
    /// Consecutive pauses, which determine the length of the next.
    pauses: u32,
    /// Set while it is left alone, and until one that was let through after that has succeeded.
    until: Option<Instant>,
    /// One is let through right now.
    trying: bool,
}

/// The result of a request.
pub(super) enum Verdict<'a> {
    /// The first byte of a good answer came.
    Answered,
    Failed {
        /// The error, without keys.
        error: &'a ProviderError,
        /// Whether it was asked with the caller's own key.
        own: bool,
    },
}

/// Leave to send one request. Dropped without a word, as when the caller gives up, it counts for nothing.
pub(super) struct Permit {
    circuit: Arc<Circuit>,
    model: String,
    /// Whether this is the one that is let through.
    tries_reach: bool,
    tries_model: bool,
}

impl Circuit {
    pub(crate) fn new(settings: CircuitConfig) -> Self {
        Self { settings, state: Mutex::default(), clock: Box::new(Instant::now) }
    }

    /// A permit to ask for a model; otherwise how long the circuit stays open. `guarded` is false for read-only calls.
    pub(super) fn enter(self: &Arc<Self>, model: &str, guarded: bool) -> Result<Permit, Duration> {
        let mut permit = Permit {
            circuit: Arc::clone(self),
            model: model.to_owned(),
            tries_reach: false,
            tries_model: false,
        };
        if guarded && self.settings.failures > 0 {
            let (now, mut state) = ((self.clock)(), self.state.lock());
            let reach = state.reach.check(now)?;
            let of_model = state.models.get(model).map_or(Ok(false), |track| track.check(now))?;
            state.reach.trying |= reach;
            if let Some(track) = state.models.get_mut(model) {
                track.trying |= of_model;
            }
            (permit.tries_reach, permit.tries_model) = (reach, of_model);
        }
        Ok(permit)
    }

    /// The state of the host and its models, as shown to administrators.
    pub(crate) fn health(&self, provider: &str) -> ProviderHealth {
        let state = self.state.lock();
        let left_alone = |track: &Track| track.until.is_some();
        let failing = state.models.values().chain([&state.reach]);
        let until = failing.clone().filter_map(|track| track.until).max();
        let mut models: Vec<String> =
            state.models.iter().filter(|(_, track)| left_alone(track)).map(|(id, _)| id.clone()).collect();
        models.sort();
        let failures = failing.map(|track| track.failures).max().unwrap_or(0);
        ProviderHealth {
            provider: provider.to_owned(),
            state: match (left_alone(&state.reach), failures, state.last_success) {
                (true, ..) => HealthState::Down,
                (false, 0, _) if state.keeps_us_out => HealthState::Degraded,
                (false, 0, None) => HealthState::Unknown,
                (false, 0, Some(_)) => HealthState::Up,
                (false, ..) => HealthState::Degraded,
            },
            consecutive_failures: failures,
            last_error: state.last_error.clone(),
            last_success: state.last_success,
            open_until: until.map(|until| Utc::now() + until.saturating_duration_since((self.clock)())),
            models_left_alone: models,
        }
    }

    /// The end of a pause that begins now and follows `pauses` others.
    fn pause(&self, pauses: u32) -> Instant {
        let longest = self.settings.longest_pause();
        (self.clock)() + self.settings.first_pause().saturating_mul(1 << pauses.min(16)).min(longest)
    }
}

impl Track {
    /// Whether this would be the one that is let through, or how long to wait.
    fn check(&self, now: Instant) -> Result<bool, Duration> {
        // While one is tried, the others come again soon.
        const SOON: Duration = Duration::from_secs(1);
        match self.until {
            None => Ok(false),
            Some(until) if now < until => Err(until - now),
            Some(_) if self.trying => Err(SOON),
            Some(_) => Ok(true),
        }
    }

    /// One more failure. What was sent before the pause began does not make it longer.
    fn fail(&mut self, tried: bool, most: u32, pause: impl Fn(u32) -> Instant) {
        self.failures = self.failures.saturating_add(1);
        let opens = if self.until.is_some() { tried } else { self.failures >= most };
        if opens && most > 0 {
            self.until = Some(pause(self.pauses));
            self.pauses = self.pauses.saturating_add(1);
        }
    }
}

impl Permit {
    /// Reports the result and releases the permit.
    pub(super) fn record(self, verdict: Verdict<'_>) {
        let circuit = Arc::clone(&self.circuit);
        let mut state = circuit.state.lock();
        let (most, pause) = (circuit.settings.failures, |pauses| circuit.pause(pauses));
        match verdict {
            Verdict::Answered => {
                state.last_success = Some(Utc::now());
                state.keeps_us_out = false;
                state.alive(&self.model);
            }
            Verdict::Failed { error, own } => {
                state.remember(error, own);
                match error.kind {
                    ProviderErrorKind::Connect => state.reach.fail(self.tries_reach, most, pause),
                    ProviderErrorKind::Timeout => state.model(&self.model, self.tries_model, most, pause),
                    ProviderErrorKind::Status(status) if status >= 500 => {
                        state.reach = Track::default();
                        state.model(&self.model, self.tries_model, most, pause);
                    }
                    ProviderErrorKind::Protocol | ProviderErrorKind::Unavailable { .. } => {}
                    ProviderErrorKind::Status(_)
                    | ProviderErrorKind::RateLimited { .. }
                    | ProviderErrorKind::Refused
                    | ProviderErrorKind::Auth => state.alive(&self.model),
                }
            }
        }
        drop(state);
        // And lets the next one through, if this was the one.
        drop(self);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.tries_reach || self.tries_model {
            let mut state = self.circuit.state.lock();
            state.reach.trying &= !self.tries_reach;
            if let Some(track) = state.models.get_mut(&self.model) {
                track.trying &= !self.tries_model;
            }
        }
    }
}

impl State {
    fn alive(&mut self, model: &str) {
        self.reach = Track::default();
        self.models.remove(model);
    }

    fn model(&mut self, model: &str, tried: bool, most: u32, pause: impl Fn(u32) -> Instant) {
        if self.models.len() < MODELS || self.models.contains_key(model) {
            self.models.entry(model.to_owned()).or_default().fail(tried, most, pause);
        }
    }

    /// Keeps what went wrong for those who look after the server. What one tenant's key led to is theirs, and
    /// a refusal may repeat what was asked.
    fn remember(&mut self, error: &ProviderError, own: bool) {
        self.keeps_us_out |= !own && error.kind == ProviderErrorKind::Auth;
        let private = own && error.kind != ProviderErrorKind::Connect;
        if !private && error.kind != ProviderErrorKind::Refused {
            self.last_error = Some(error.message.clone());
        }
    }
}

#[cfg(test)]
#[path = "circuit_tests.rs"]
mod tests;
