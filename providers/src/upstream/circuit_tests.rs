use std::cell::Cell;

use super::*;

thread_local! {
    /// How far the clock of the current test has been advanced.
    static LATER: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static BEGIN: Instant = Instant::now();
}

fn advance(by: Duration) {
    LATER.with(|later| later.set(later.get() + by));
}

/// Creates a circuit whose clock moves only with [`advance`].
fn circuit(failures: u32) -> Arc<Circuit> {
    let settings = CircuitConfig { failures, pause_s: 2.0, longest_pause_s: 60.0 };
    let clock = || BEGIN.with(|begin| *begin) + LATER.with(Cell::get);
    Arc::new(Circuit { clock: Box::new(clock), ..Circuit::new(settings) })
}

fn error(kind: ProviderErrorKind) -> ProviderError {
    ProviderError::new(kind, "it broke")
}

fn fail(circuit: &Arc<Circuit>, model: &str, kind: ProviderErrorKind) {
    let permit = circuit.enter(model, true).expect("it is closed");
    permit.record(Verdict::Failed { error: &error(kind), own: false });
}

fn succeed(circuit: &Arc<Circuit>, model: &str) {
    circuit.enter(model, true).expect("it is closed").record(Verdict::Answered);
}

fn wait(circuit: &Arc<Circuit>, model: &str) -> Option<Duration> {
    circuit.enter(model, true).err()
}

const BROKEN: ProviderErrorKind = ProviderErrorKind::Status(503);

#[test]
fn circuit_opens_after_consecutive_failures_and_probes_after_the_pause() {
    let circuit = circuit(3);
    fail(&circuit, "m", BROKEN);
    fail(&circuit, "m", ProviderErrorKind::Timeout);
    succeed(&circuit, "m");
    for _ in 0..3 {
        fail(&circuit, "m", BROKEN);
    }
    assert_eq!(wait(&circuit, "m"), Some(Duration::from_secs(2)));
    assert_eq!(wait(&circuit, "n"), None, "its neighbours are asked");

    advance(Duration::from_secs(2));
    let one = circuit.enter("m", true).unwrap_or_else(|_| panic!("one is let through"));
    assert!(wait(&circuit, "m").is_some(), "and no other");
    one.record(Verdict::Answered);
    succeed(&circuit, "m");
    assert_eq!(circuit.health("p").state, HealthState::Up);
}

#[test]
fn circuit_pauses_grow_to_the_limit_and_reset_after_success() {
    let circuit = circuit(1);
    for seconds in [2, 4, 8, 16, 32, 60, 60] {
        fail(&circuit, "m", BROKEN);
        assert_eq!(wait(&circuit, "m"), Some(Duration::from_secs(seconds)));
        advance(Duration::from_secs(seconds));
    }
    succeed(&circuit, "m");
    fail(&circuit, "m", BROKEN);
    assert_eq!(wait(&circuit, "m"), Some(Duration::from_secs(2)));
}

#[test]
fn circuit_cancelled_probe_allows_the_next_probe() {
    let circuit = circuit(1);
    fail(&circuit, "m", BROKEN);
    advance(Duration::from_secs(2));
    drop(circuit.enter("m", true).ok().unwrap());
    succeed(&circuit, "m");
}

#[test]
fn circuit_late_failures_do_not_extend_the_pause() {
    let circuit = circuit(1);
    let late: Vec<_> = (0..5).map(|_| circuit.enter("m", true).ok().unwrap()).collect();
    for permit in late {
        permit.record(Verdict::Failed { error: &error(BROKEN), own: false });
    }
    assert_eq!(wait(&circuit, "m"), Some(Duration::from_secs(2)));
}

#[test]
fn circuit_of_an_unreachable_host_rejects_every_model() {
    let circuit = circuit(2);
    fail(&circuit, "m", ProviderErrorKind::Connect);
    fail(&circuit, "n", ProviderErrorKind::Connect);
    assert!(wait(&circuit, "o").is_some());
    let health = circuit.health("p");
    assert_eq!((health.state, health.consecutive_failures), (HealthState::Down, 2));
    assert_eq!(health.last_error.as_deref(), Some("it broke"));
    assert!(health.open_until.is_some() && health.models_left_alone.is_empty());
    // An unguarded request is let through, and its result counts.
    circuit.enter("", false).ok().unwrap().record(Verdict::Answered);
    assert_eq!(wait(&circuit, "o"), None);
}

#[test]
fn circuit_ignores_error_responses() {
    let circuit = circuit(2);
    let limited = ProviderErrorKind::RateLimited { retry_after: None };
    for kind in [limited, ProviderErrorKind::Refused, ProviderErrorKind::Auth, ProviderErrorKind::Status(409)]
    {
        fail(&circuit, "m", BROKEN);
        fail(&circuit, "m", kind);
    }
    assert_eq!(circuit.health("p").consecutive_failures, 0);
}

#[test]
fn health_hides_failures_of_tenant_keys_and_refusals() {
    let circuit = circuit(9);
    fail(&circuit, "m", ProviderErrorKind::Refused);
    let own = circuit.enter("m", true).ok().unwrap();
    own.record(Verdict::Failed { error: &error(ProviderErrorKind::Auth), own: true });
    assert_eq!(circuit.health("p").last_error, None);
    assert_eq!(circuit.health("p").state, HealthState::Unknown);
    fail(&circuit, "m", ProviderErrorKind::Auth);
    assert_eq!(circuit.health("p").last_error.as_deref(), Some("it broke"));
}

#[test]
fn health_lists_models_with_an_open_circuit() {
    let circuit = circuit(1);
    succeed(&circuit, "n");
    fail(&circuit, "m", BROKEN);
    let health = circuit.health("p");
    assert_eq!((health.provider.as_str(), health.state), ("p", HealthState::Degraded));
    assert_eq!(health.models_left_alone, ["m"]);
    assert!(health.last_success.is_some());
}

#[test]
fn circuit_can_be_disabled() {
    let circuit = circuit(0);
    for _ in 0..50 {
        fail(&circuit, "m", ProviderErrorKind::Connect);
    }
}

#[test]
fn health_is_degraded_until_the_configured_key_is_accepted() {
    let circuit = circuit(3);
    assert_eq!(circuit.health("p").state, HealthState::Unknown);
    let permit = circuit.enter("m", true).ok().unwrap();
    permit.record(Verdict::Failed { error: &error(ProviderErrorKind::Auth), own: true });
    assert_eq!(circuit.health("p").state, HealthState::Unknown, "that was the key of one tenant");
    fail(&circuit, "m", ProviderErrorKind::Auth);
    assert_eq!(circuit.health("p").state, HealthState::Degraded);
    assert_eq!(wait(&circuit, "m"), None, "it is asked all the same: the key may be mended there");
    succeed(&circuit, "m");
    assert_eq!(circuit.health("p").state, HealthState::Up);
}
