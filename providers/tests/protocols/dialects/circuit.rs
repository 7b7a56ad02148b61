use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use providers::{
    CircuitConfig, HealthState, ModelConfig, Models, ProviderConfig, ProviderErrorKind, ProvidersConfig,
};

use super::wire::asked;
use crate::fake::*;

fn guarded(fake: &Fake, failures: u32, pause_s: f64) -> ProviderConfig {
    let circuit = CircuitConfig { failures, pause_s, longest_pause_s: pause_s };
    ProviderConfig { circuit, models: vec![ModelConfig::id("m"), ModelConfig::id("n")], ..fake.provider() }
}

fn broken() -> Vec<u8> {
    plain("503 Service Unavailable", "", "{\"error\":\"out of order\"}")
}

async fn fault(models: &Arc<Models>, id: &str) -> Option<ProviderErrorKind> {
    let model = models.find(id).unwrap();
    let request = providers::ChatRequest { model: model.upstream_id.clone(), ..hello() };
    asked(&model, request).await.1.map(|fault| fault.kind)
}

#[tokio::test]
async fn circuit_opens_only_for_the_failing_model() {
    let mut fake = Fake::start(|n| vec![Step::Send(if n < 3 { broken() } else { answer(&["x"]) })]).await;
    let models = load(guarded(&fake, 3, 3_600.0)).await;
    assert_eq!(models.health()[0].state, HealthState::Unknown);
    for _ in 0..3 {
        assert_eq!(fault(&models, "fake/m").await, Some(ProviderErrorKind::Status(503)));
    }
    let left_alone = fault(&models, "fake/m").await;
    assert!(
        matches!(left_alone, Some(ProviderErrorKind::Unavailable { retry_after: Some(_) })),
        "{left_alone:?}"
    );
    assert_eq!(fake.unread(), 3, "nothing was sent");
    assert_eq!(fault(&models, "fake/n").await, None);
    let health = &models.health()[0];
    assert_eq!((health.provider.as_str(), health.state), ("fake", HealthState::Degraded));
    assert_eq!(health.models_left_alone, ["m"]);
    assert_eq!(health.last_error.as_deref(), Some("fake answered 503 Service Unavailable: out of order"));
    assert!(health.open_until.is_some() && health.last_success.is_some());
}

#[tokio::test]
async fn circuit_closes_after_the_pause() {
    let well = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&well);
    let fake = Fake::start(move |_| {
        vec![Step::Send(if now.load(Ordering::SeqCst) { answer(&["x"]) } else { broken() })]
    })
    .await;
    let models = load(guarded(&fake, 1, 0.05)).await;
    assert!(fault(&models, "fake/m").await.is_some());
    well.store(true, Ordering::SeqCst);
    let again = async {
        while fault(&models, "fake/m").await.is_some() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, again).await.expect("it is never asked again");
    assert_eq!(models.health()[0].state, HealthState::Up);
}

#[tokio::test]
async fn circuit_of_an_unreachable_host_opens_for_all_models_and_reports_the_cause() {
    let bound = tokio::net::TcpSocket::new_v4().unwrap();
    bound.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let gone = bound.local_addr().unwrap();
    let fake = Fake::always(answer(&["x"])).await;
    let provider = ProviderConfig { base_url: format!("http://{gone}/v1"), ..guarded(&fake, 2, 3_600.0) };
    let models = load(ProviderConfig { retries: 5, ..provider }).await;
    assert_eq!(fault(&models, "fake/m").await, Some(ProviderErrorKind::Connect), "not the open circuit");
    assert!(matches!(fault(&models, "fake/n").await, Some(ProviderErrorKind::Unavailable { .. })));
    assert_eq!(models.health()[0].state, HealthState::Down);
}

#[tokio::test]
async fn circuit_open_uses_fallbacks() {
    let mut first = Fake::always(broken()).await;
    let second = Fake::always(answer(&["y"])).await;
    let mut asked_first = guarded(&first, 1, 3_600.0);
    asked_first.models[0].fallbacks = vec!["second/m".to_owned()];
    let other = ProviderConfig { name: "second".into(), ..second.provider() };
    let config = ProvidersConfig {
        providers: vec![asked_first, other],
        probe_local: false,
        ..ProvidersConfig::default()
    };
    let models = Models::load(&config).await.unwrap();
    for _ in 0..3 {
        assert_eq!(fault(&models, "fake/m").await, None);
    }
    assert_eq!(first.unread(), 1, "it is asked once and then left alone");
}
