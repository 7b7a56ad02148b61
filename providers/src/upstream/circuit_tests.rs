use std::cell::Cell;

use super::*;

thread_local! {
    /// How far the clock of this test has been put on.
    static LATER: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static BEGIN: Instant = Instant::now();
}

fn advance(by: Duration) {
    LATER.with(|later| later.set(later.get() + by));
}

/// A circuit whose clock stands still but for [`advance`].
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
fn it_opens_after_failures_in_a_row_and_lets_one_through_after_the_pause() {
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
fn pauses_grow_to_the_longest_and_start_small_again() {
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
fn who_gives_up_while_trying_lets_the_next_one_try() {
    let circuit = circuit(1);
    fail(&circuit, "m", BROKEN);
    advance(Duration::from_secs(2));
    drop(circuit.enter("m", true).ok().unwrap());
    succeed(&circuit, "m");
}

#[test]
fn late_failures_do_not_make_the_pause_longer() {
    let circuit = circuit(1);
    let late: Vec<_> = (0..5).map(|_| circuit.enter("m", true).ok().unwrap()).collect();
    for permit in late {
        permit.record(Verdict::Failed { error: &error(BROKEN), own: false });
    }
    assert_eq!(wait(&circuit, "m"), Some(Duration::from_secs(2)));
}

#[test]
fn who_cannot_be_reached_is_not_asked_for_any_model() {
    let circuit = circuit(2);
    fail(&circuit, "m", ProviderErrorKind::Connect);
    fail(&circuit, "n", ProviderErrorKind::Connect);
    assert!(wait(&circuit, "o").is_some());
    let health = circuit.health("p");
    assert_eq!((health.state, health.consecutive_failures), (HealthState::Down, 2));
    assert_eq!(health.last_error.as_deref(), Some("it broke"));
    assert!(health.open_until.is_some() && health.models_left_alone.is_empty());
    // Who only looks goes in, and what it finds counts.
    circuit.enter("", false).ok().unwrap().record(Verdict::Answered);
    assert_eq!(wait(&circuit, "o"), None);
}

#[test]
fn an_answer_that_says_no_is_an_answer() {
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
fn what_a_tenants_key_led_to_and_what_was_refused_is_not_told() {
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
fn health_names_the_models_that_are_left_alone() {
    let circuit = circuit(1);
    succeed(&circuit, "n");
    fail(&circuit, "m", BROKEN);
    let health = circuit.health("p");
    assert_eq!((health.provider.as_str(), health.state), ("p", HealthState::Degraded));
    assert_eq!(health.models_left_alone, ["m"]);
    assert!(health.last_success.is_some());
}

#[test]
fn it_can_be_switched_off() {
    let circuit = circuit(0);
    for _ in 0..50 {
        fail(&circuit, "m", ProviderErrorKind::Connect);
    }
}

#[test]
fn a_provider_that_keeps_us_out_is_not_well_until_it_answers() {
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
