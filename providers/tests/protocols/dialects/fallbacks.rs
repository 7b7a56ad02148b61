use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use providers::{
    ChatDelta, ChatMessage, ChatRequest, Content, FinishReason, Keys, ModelConfig, Models, ProviderConfig,
    ProviderErrorKind, ProviderKind, ProvidersConfig, Role,
};

use super::wire::*;
use crate::fake::*;

fn named(fake: &Fake, name: &str, model: ModelConfig) -> ProviderConfig {
    ProviderConfig { name: name.to_owned(), models: vec![model], ..fake.provider() }
}

async fn registry(providers: Vec<ProviderConfig>) -> Arc<Models> {
    let config = ProvidersConfig { providers, probe_local: false, ..ProvidersConfig::default() };
    Models::load(&config).await.unwrap()
}

/// Configures the requested model on `first` with these fallbacks.
fn asked_first(first: &Fake, fallbacks: &[&str]) -> ProviderConfig {
    let fallbacks = fallbacks.iter().map(|id| (*id).to_owned()).collect();
    named(first, "first", ModelConfig { fallbacks, input_price: Some(1.0), ..ModelConfig::id("m") })
}

async fn ask_first(
    models: &Arc<Models>,
    request: ChatRequest,
) -> (Vec<ChatDelta>, Option<providers::ProviderError>) {
    asked(&models.find("first/m").unwrap(), request).await
}

fn broken(status: &str) -> Vec<u8> {
    plain(status, "retry-after: 0\r\n", "{\"error\":\"out of order\"}")
}

#[tokio::test]
async fn fallback_answers_at_its_own_price() {
    let hung_up = Fake::start(|_| vec![Step::Close]).await;
    let silent =
        Fake::always(begin(&["data: {\"error\":{\"message\":\"x\",\"code\":503}}\n\n".to_owned()])).await;
    let busy = Fake::always(broken("429 Too Many Requests")).await;
    let down = Fake::always(broken("503 Service Unavailable")).await;
    for first in [hung_up, silent, busy, down] {
        let mut second = Fake::always(answer(&["1234567", "8"])).await;
        let priced =
            ModelConfig { input_price: Some(3.0), output_price: Some(5.0), ..ModelConfig::id("other") };
        let models =
            registry(vec![asked_first(&first, &["second/other"]), named(&second, "second", priced)]).await;
        let (deltas, fault) = ask_first(&models, hello()).await;
        assert_eq!(fault, None);
        assert_eq!(deltas[0], ChatDelta::Answering { model: "second/other".into() });
        assert_eq!(text(&deltas), "12345678");
        let ChatDelta::Usage(usage) = &deltas[deltas.len() - 2] else { panic!("{deltas:?}") };
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        assert_eq!(usage.cost_nanos, Some(input * 3_000 + output * 5_000));
        assert_eq!(second.request().await.json()["model"], "other");
        assert_eq!(second.unread(), 0);
    }
}

#[tokio::test]
async fn fallback_stops_at_the_first_available_model() {
    let first = Fake::always(answer(&["x"])).await;
    let mut second = Fake::always(answer(&["y"])).await;
    let models =
        registry(vec![asked_first(&first, &["second/m"]), named(&second, "second", ModelConfig::id("m"))])
            .await;
    let (deltas, _) = ask_first(&models, hello()).await;
    assert_eq!((text(&deltas).as_str(), second.unread()), ("x", 0));
    let ChatDelta::Usage(usage) = &deltas[1] else { panic!("{deltas:?}") };
    assert_eq!(usage.cost_nanos, None, "the caller computes the cost from its own price");
}

#[tokio::test]
async fn fallback_is_not_used_after_a_refusal_or_a_started_response() {
    for bytes in [json("400 Bad Request", "{}"), json("401 Unauthorized", "{}"), begin(&[said("half")])] {
        let first = Fake::start(move |_| vec![Step::Send(bytes.clone()), Step::Close]).await;
        let mut second = Fake::always(answer(&["y"])).await;
        let models = registry(vec![
            asked_first(&first, &["second/m"]),
            named(&second, "second", ModelConfig::id("m")),
        ])
        .await;
        assert!(ask_first(&models, hello()).await.1.is_some());
        assert_eq!(second.unread(), 0);
    }
}

#[tokio::test]
async fn fallback_error_names_all_tried_models() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let second = Fake::always(json("401 Unauthorized", "{\"error\":\"no key\"}")).await;
    let fallbacks = ["second/m", "second/gone", "builtin/scribe"];
    let open = ProviderConfig {
        models: vec![ModelConfig::id("m"), ModelConfig::id("gone")],
        ..named(&second, "second", ModelConfig::id("m"))
    };
    let models = registry(vec![asked_first(&first, &fallbacks[..2]), open]).await;
    let fault = ask_first(&models, hello()).await.1.unwrap();
    assert_eq!(fault.kind, ProviderErrorKind::Status(503), "what kept the asked one is what is told");
    for name in ["first/m: ", "second/m: ", "second/gone: ", "out of order", "no key"] {
        assert!(fault.message.contains(name), "{fault}");
    }
    assert!(!fault.message.contains(KEY));
}

#[tokio::test]
async fn fallback_does_not_use_its_own_fallbacks() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let second = Fake::always(broken("503 Service Unavailable")).await;
    let nested = ModelConfig { fallbacks: vec!["builtin/scribe".into()], ..ModelConfig::id("m") };
    let models = registry(vec![asked_first(&first, &["second/m"]), named(&second, "second", nested)]).await;
    assert!(ask_first(&models, hello()).await.1.is_some());
    let (deltas, fault) = asked(&models.find("second/m").unwrap(), hello()).await;
    assert_eq!((deltas.last(), fault), (Some(&ChatDelta::Finish(FinishReason::Stop)), None));
}

#[tokio::test]
async fn fallback_skips_models_hidden_from_the_caller() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let mut second = Fake::always(answer(&["x"])).await;
    let third = Fake::always(answer(&["y"])).await;
    let providers = vec![
        asked_first(&first, &["second/m", "third/m"]),
        named(&second, "second", ModelConfig::id("m")),
        named(&third, "third", ModelConfig::id("m")),
    ];
    let models = registry(providers).await;
    let barring = |barred: &[&str]| {
        let barred = barred.iter().map(|id| (*id).to_owned()).collect();
        ChatRequest { keys: Keys::new(BTreeMap::new(), barred), ..hello() }
    };
    let (deltas, fault) = ask_first(&models, barring(&["Second/M"])).await;
    assert_eq!((text(&deltas).as_str(), fault, second.unread()), ("y", None, 0));
    let fault = ask_first(&models, barring(&["second/m", "third/m"])).await.1.unwrap();
    assert!(fault.message.contains("first/m"), "{fault}");
    assert!(
        !["second", "third"].iter().any(|kept| fault.message.contains(kept)),
        "not even by name: {fault}"
    );
    assert_eq!((fault.kind, second.unread()), (ProviderErrorKind::Status(503), 0));
}

#[tokio::test]
async fn fallback_without_vision_is_skipped_for_images() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let models = registry(vec![asked_first(&first, &["builtin/scribe"])]).await;
    let mut request = hello();
    request.messages[0].content.push(Content::ImageUrl { url: "https://x/a.png".into(), detail: None });
    let fault = ask_first(&models, request).await.1.unwrap();
    assert!(fault.message.contains("builtin/scribe: it does not support images"), "{fault}");
}

#[tokio::test]
async fn fallback_of_another_provider_gets_no_signed_reasoning() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let mut second = Fake::always(whole(&super::anthropic::everything().0)).await;
    let claude =
        ProviderConfig { kind: ProviderKind::Anthropic, ..named(&second, "second", ModelConfig::id("c")) };
    let models = registry(vec![asked_first(&first, &["second/c"]), claude]).await;
    let mut request = hello();
    let mut turn = ChatMessage::text(Role::Assistant, "so");
    let signed =
        serde_json::json!([{"type": "reasoning.text", "format": "anthropic-claude-v1", "signature": "s"}]);
    turn.extra.insert("reasoning_details".into(), signed);
    request.messages.extend([turn, ChatMessage::text(Role::User, "on")]);
    let (deltas, fault) = ask_first(&models, request).await;
    assert_eq!((&deltas[0], fault), (&ChatDelta::Answering { model: "second/c".into() }, None));
    assert!(!second.request().await.json().to_string().contains("signature"));
}

#[tokio::test]
async fn fallback_closes_connections_when_dropped() {
    let first = Fake::always(broken("503 Service Unavailable")).await;
    let mut second = Fake::start(|_| vec![Step::Send(begin(&[said("x")])), Step::AwaitClose]).await;
    let models =
        registry(vec![asked_first(&first, &["second/m"]), named(&second, "second", ModelConfig::id("m"))])
            .await;
    let model = models.find("first/m").unwrap();
    let mut stream = model.chat.stream(hello()).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(ChatDelta::Answering { .. }))));
    drop(stream);
    second.closed().await;

    let mut hanging = Fake::start(|_| vec![Step::AwaitClose]).await;
    let models = registry(vec![asked_first(&hanging, &["builtin/scribe"])]).await;
    let model = models.find("first/m").unwrap();
    let asking = tokio::spawn(async move { model.chat.stream(hello()).await.is_ok() });
    hanging.request().await;
    asking.abort();
    hanging.closed().await;
}
