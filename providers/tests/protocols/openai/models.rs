use std::sync::Arc;
use std::time::Duration;

use providers::{
    ModelConfig, Models, Prices, ProviderConfig, ProviderErrorKind, ProvidersConfig, ScribeUse, UNAVAILABLE,
};

use crate::fake::*;

const LIST: &str = r#"{"object":"list","data":[
    {"id":"large","context_length":128000},
    {"id":"text-embedding-3"},
    {"id":"org/small","max_model_len":4096,"unknown":{}}
]}"#;

fn untold(fake: &Fake) -> ProviderConfig {
    ProviderConfig { models: Vec::new(), ..fake.provider() }
}

fn ids(models: &Models) -> Vec<String> {
    models.list().into_iter().map(|m| m.id).collect()
}

/// Waits for a background change.
async fn until(models: &Arc<Models>, there: impl Fn(&Models) -> bool) {
    let wait = async {
        while !there(models) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, wait).await.expect("it never happens");
}

#[tokio::test]
async fn models_lists_a_provider_without_configured_models() {
    let mut fake = Fake::always(json("200 OK", LIST)).await;
    let models = load(untold(&fake)).await;
    until(&models, |m| m.list().len() > 1).await;
    assert_eq!(ids(&models), ["fake/large", "fake/org/small", "builtin/scribe"]);
    let large = models.find("large").unwrap();
    assert_eq!(large.info.context_window, Some(128_000));
    assert_eq!(large.info.info_tags, ["local"]);
    assert_eq!(models.find("org/small").unwrap().info.context_window, Some(4_096));
    assert_eq!(models.default().info.id, "fake/large");
    assert!(models.find("fake/other").is_none(), "the list is complete");
    let head = fake.request().await.head.to_lowercase();
    assert!(head.starts_with("get /v1/models http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}\r\n")));
}

#[tokio::test]
async fn find_accepts_any_name_before_the_list_arrives() {
    for bytes in [json("404 Not Found", "{}"), json("200 OK", "[]"), json("200 OK", "{\"data\":[]}")] {
        let mut fake = Fake::always(bytes).await;
        let models = load(untold(&fake)).await;
        fake.request().await;
        let model = models.find("fake/some/thing").unwrap();
        assert_eq!(model.upstream_id, "some/thing");
        assert_eq!(ids(&models), ["builtin/scribe"]);
        assert!(models.find("some/thing").is_none() && models.find("fake/").is_none());
    }
}

#[tokio::test]
async fn load_does_not_wait_for_servers() {
    let fake = Fake::start(|_| vec![Step::AwaitClose]).await;
    let models = tokio::time::timeout(LONG, load(untold(&fake))).await.unwrap();
    assert_eq!(ids(&models), ["builtin/scribe"]);
}

#[tokio::test]
async fn models_stop_requests_when_dropped() {
    let mut fake = Fake::start(|_| vec![Step::AwaitClose]).await;
    let models = load(untold(&fake)).await;
    fake.request().await;
    drop(models);
    fake.closed().await;
}

#[tokio::test]
async fn list_returns_configured_models_as_configured() {
    let mut provider = ProviderConfig::openai("acme", "http://gpu.example/v1");
    provider.models = vec![
        ModelConfig {
            name: Some("The large one".into()),
            context_window: Some(8_192),
            max_output_tokens: Some(1_024),
            input_price: Some(2.5),
            output_price: Some(10.0),
            cached_price: Some(0.25),
            tags: vec!["chat".into(), "vision".into()],
            ..ModelConfig::id("large")
        },
        ModelConfig::id("small"),
    ];
    let config = ProvidersConfig {
        providers: vec![provider],
        default_model: Some("acme/small".into()),
        scribe: ScribeUse::On,
        probe_local: false,
        ..ProvidersConfig::default()
    };
    let models = Models::load(&config).await.unwrap();
    assert_eq!(ids(&models), ["acme/large", "acme/small", "builtin/scribe"]);
    let large = models.find("acme/large").unwrap().info.clone();
    let prices = Prices {
        input_nanos_per_token: 2_500,
        output_nanos_per_token: 10_000,
        cached_nanos_per_token: 250,
        ..Prices::default()
    };
    assert_eq!(large.prices, prices);
    assert_eq!((large.name.as_str(), large.capability_tags.len()), ("The large one", 2));
    assert!(large.info_tags.is_empty());
    let default: Vec<_> = models.list().iter().map(|m| m.is_default).collect();
    assert_eq!(default, [false, true, false]);
    assert_eq!(models.default().upstream_id, "small");
}

/// Returns a registry with a single provider that has to be asked for its models, and the default setting for the
/// built-in model.
async fn alone(provider: ProviderConfig) -> Arc<Models> {
    let config =
        ProvidersConfig { providers: vec![provider], probe_local: false, ..ProvidersConfig::default() };
    Models::load(&config).await.unwrap()
}

#[tokio::test]
async fn default_is_unavailable_if_the_provider_rejects_its_key() {
    let fake = Fake::always(json("401 Unauthorized", "{\"error\":{\"message\":\"no such key\"}}")).await;
    let models = alone(untold(&fake)).await;
    assert!(models.list().is_empty());
    let fault = loop {
        let default = models.default();
        assert!(default.info.info_tags.iter().any(|tag| tag == UNAVAILABLE));
        assert_eq!(models.find(&default.info.id).unwrap().info, default.info, "a run finds it by its id");
        let request = providers::ChatRequest::default();
        let Err(fault) = default.chat.stream(request).await else { panic!("an answer") };
        if fault.kind == ProviderErrorKind::Auth {
            break fault;
        }
        assert!(matches!(fault.kind, ProviderErrorKind::Unavailable { .. }), "{fault}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert!(fault.message.contains("provider fake"), "{fault}");
}

#[tokio::test]
async fn builtin_model_is_available_without_chat_models_for_all_users() {
    let mut embeds = ProviderConfig::openai("acme", "http://gpu.example/v1");
    embeds.models = vec![ModelConfig { tags: vec!["embedding".into()], ..ModelConfig::id("embed") }];
    assert_eq!(ids(&*alone(embeds.clone()).await), ["builtin/scribe"]);
    let keyless = ProviderConfig::openai("openai", "");
    assert_eq!(alone(keyless).await.default().info.id, "builtin/scribe");
    embeds.models.push(ModelConfig::id("large"));
    assert_eq!(ids(&*alone(embeds).await), ["acme/large"]);
}

#[tokio::test]
async fn load_rejects_an_invalid_configuration() {
    let config = ProvidersConfig {
        providers: vec![ProviderConfig::openai("acme", "nowhere")],
        ..ProvidersConfig::default()
    };
    let fault = Models::load(&config).await.err().unwrap().to_string();
    assert!(fault.contains("acme") && fault.contains("base_url"), "{fault}");
}
