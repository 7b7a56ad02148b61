//! Circuit breaker for providers.
//!
//! Failures are counted in two places. A failed *connection* counts against the provider, whatever model was
//! requested. A timeout or a 5xx counts against the requested *model*, since an overloaded or oversized model says
//! nothing about the others. After the configured number of consecutive failures the circuit opens, and requests are
//! rejected immediately for a pause that grows each time. After the pause one request is let through as a probe; if
//! it succeeds, the circuit closes.
//!
//! An error response (400, 401, 404, 429, ...) shows that the server is up, so it does not count as a failure.
//! Failures after the first byte of a response are not counted either.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::chat::{ProviderError, ProviderErrorKind};
use crate::config::CircuitConfig;

/// Maximum number of models whose failures are tracked; more than fail at once at any provider.
const MODELS: usize = 256;

/// The health of a provider, as reported to administrators.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProviderHealth {
    /// The name of the provider.
    pub provider: String,
    /// The overall state.
    pub state: HealthState,
    /// Number of consecutive failures, either of connections or of the model with the most failures.
    pub consecutive_failures: u32,
    /// The last failure, without keys. Refused requests are not included, since their message may repeat the prompt.
    pub last_error: Option<String>,
    /// When the provider last responded successfully.
    #[serde(serialize_with = "in_millis")]
    pub last_success: Option<DateTime<Utc>>,
    /// When the open circuit of the provider or of one of its models lets a probe through again.
    #[serde(serialize_with = "in_millis")]
    pub open_until: Option<DateTime<Utc>>,
    /// The provider's ids of the models whose circuit is open. Empty if the circuit of the whole provider is open, or
    /// none is.
    pub models_left_alone: Vec<String>,
}

/// Serializes a timestamp with milliseconds, like all timestamps of the API.
fn in_millis<S: Serializer>(moment: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    moment.map(|moment| moment.to_rfc3339_opts(SecondsFormat::Millis, true)).serialize(serializer)
}

/// The overall state of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// The provider responds.
    Up,
    /// Some recent requests failed, or the provider rejects the configured key.
    Degraded,
    /// The circuit is open: no requests are sent.
    Down,
    /// No request has been sent yet.
    Unknown,
}

/// The circuit breaker of one host.
pub(crate) struct Circuit {
    settings: CircuitConfig,
    state: Mutex<State>,
    /// Returns the current time; tests replace it.
    clock: Box<dyn Fn() -> Instant + Send + Sync>,
}

#[derive(Default)]
struct State {
    reach: Track,
    /// Only models with failures, by the provider's own id.
    models: HashMap<String, Track>,
    last_error: Option<String>,
    last_success: Option<DateTime<Utc>>,
    /// The last authentication with the configured key failed.
    keeps_us_out: bool,
}

/// Consecutive failures of a model or a host.
#[derive(Default)]
struct Track {
    failures: u32,
    /// Number of consecutive pauses, which determines the length of the next.
    pauses: u32,
    /// Set while the circuit is open, and until a probe after the pause has succeeded.
    until: Option<Instant>,
    /// Whether a probe is in progress.
    trying: bool,
}

/// The result of a request.
pub(super) enum Verdict<'a> {
    /// The first byte of a successful response has arrived.
    Answered,
    Failed {
        /// The error, without keys.
        error: &'a ProviderError,
        /// Whether the request used the caller's own key.
        own: bool,
    },
}

/// Permission to send one request. Dropping it without a result, as when the caller cancels, counts neither as
/// success nor as failure.
pub(super) struct Permit {
    circuit: Arc<Circuit>,
    model: String,
    /// Whether this request probes the host.
    tries_reach: bool,
    tries_model: bool,
}

impl Circuit {
    pub(crate) fn new(settings: CircuitConfig) -> Self {
        Self { settings, state: Mutex::default(), clock: Box::new(Instant::now) }
    }

    /// Returns a permit to send a request for a model, or how long the circuit stays open. `guarded` is false for
    /// requests that bypass the circuit.
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

    /// Returns the health of the host and its models, as shown to administrators.
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

    /// Returns the end of a pause that begins now and follows `pauses` others.
    fn pause(&self, pauses: u32) -> Instant {
        let longest = self.settings.longest_pause();
        (self.clock)() + self.settings.first_pause().saturating_mul(1 << pauses.min(16)).min(longest)
    }
}

impl Track {
    /// Returns whether this request would be the probe, or how long to wait.
    fn check(&self, now: Instant) -> Result<bool, Duration> {
        // While a probe is in progress, other requests retry soon.
        const RETRY_AFTER: Duration = Duration::from_secs(1);
        match self.until {
            None => Ok(false),
            Some(until) if now < until => Err(until - now),
            Some(_) if self.trying => Err(RETRY_AFTER),
            Some(_) => Ok(true),
        }
    }

    /// Counts a failure. Requests that were sent before the pause began do not extend it.
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
        // Dropping the permit ends its probe, so that the next one can start.
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

    /// Stores the failure for administrators. Failures with a tenant's own key concern only that tenant, and refusals
    /// may repeat the prompt, so neither is stored.
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
