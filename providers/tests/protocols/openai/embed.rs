use std::sync::Arc;

use providers::{
    EmbedRequest, Embedded, Embedder, ModelConfig, Models, ProviderConfig, ProviderError, ProviderErrorKind,
    ProvidersConfig,
};
use serde_json::json;

use crate::fake::*;

/// Configures the fake server with an embedding model that accepts two texts per request.
fn provider(fake: &Fake) -> ProviderConfig {
    let model = ModelConfig {
        tags: vec!["embedding".into()],
        max_batch: Some(2),
        input_price: Some(0.02),
        ..ModelConfig::id("m")
    };
    ProviderConfig { models: vec![model], ..fake.provider() }
}

async fn embedder(provider: ProviderConfig) -> Arc<Embedder> {
    load(provider).await.find_embedder("fake/m").unwrap()
}

async fn embed(embedder: &Arc<Embedder>, texts: &[&str]) -> Result<Embedded, ProviderError> {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    let request = EmbedRequest { model: embedder.upstream_id.clone(), texts, ..EmbedRequest::default() };
    let answer = embedder.model.embed(request);
    tokio::time::timeout(LONG, answer).await.expect("the answer hangs")
}

async fn fault(body: &str, texts: &[&str]) -> ProviderError {
    let fake = Fake::always(json("200 OK", body)).await;
    embed(&embedder(provider(&fake)).await, texts).await.expect_err(body)
}

/// Returns a response with these vectors.
fn vectors(vectors: &[&[f32]]) -> String {
    let data: Vec<_> =
        vectors.iter().enumerate().map(|(index, v)| json!({"index": index, "embedding": v})).collect();
    json!({"object": "list", "data": data, "usage": {"prompt_tokens": 7, "total_tokens": 7}}).to_string()
}

#[tokio::test]
async fn embed_returns_normalized_vectors_in_order() {
    let body = json!({"data": [
        {"index": 1, "embedding": [0.0, 2.0]},
        // 3 and 4, four bytes each.
        {"index": 0, "embedding": "AABAQAAAgEA="},
    ], "usage": {"prompt_tokens": 5}});
    let mut fake = Fake::always(json("200 OK", &body.to_string())).await;
    let embedder = embedder(provider(&fake)).await;
    assert_eq!((embedder.info.max_batch, embedder.info.prices.input_nanos_per_token), (2, 20));
    let embedded = embed(&embedder, &["a", "b"]).await.unwrap();
    assert_eq!(embedded.vectors, [[0.6, 0.8], [0.0, 1.0]]);
    assert_eq!((embedded.usage.input_tokens, embedded.usage.estimated), (5, false));
    let request = fake.request().await;
    assert!(request.head.starts_with("POST /v1/embeddings "), "{}", request.head);
    assert!(request.head.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert_eq!(request.json(), json!({"model": "m", "input": ["a", "b"]}));
}

#[tokio::test]
async fn embed_splits_texts_into_batches() {
    let answers = [vectors(&[&[1.0, 0.0], &[0.0, 1.0]]), vectors(&[&[-1.0, 0.0]])];
    let mut fake = Fake::start(move |n| vec![Step::Send(json("200 OK", &answers[n]))]).await;
    let embedded = embed(&embedder(provider(&fake)).await, &["a", "b", "c"]).await.unwrap();
    assert_eq!(embedded.vectors, [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]);
    assert_eq!(embedded.usage.input_tokens, 14);
    assert_eq!(fake.request().await.json()["input"], json!(["a", "b"]));
    assert_eq!(fake.request().await.json()["input"], json!(["c"]));
    // An empty list of texts requires no request.
    assert!(embed(&embedder(provider(&fake)).await, &[]).await.unwrap().vectors.is_empty());
    assert_eq!(fake.unread(), 0);
}

#[tokio::test]
async fn embed_estimates_missing_usage_and_uses_the_order_without_indices() {
    let body = r#"{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}"#;
    let fake = Fake::always(json("200 OK", body)).await;
    let embedded = embed(&embedder(provider(&fake)).await, &["abcdefgh", "ä"]).await.unwrap();
    assert_eq!(embedded.vectors, [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!((embedded.usage.input_tokens, embedded.usage.estimated), (3, true));
}

#[tokio::test]
async fn embed_reports_invalid_responses() {
    let item = |index: u32, numbers: &str| format!("{{\"index\":{index},\"embedding\":{numbers}}}");
    let data = |items: &[String]| format!("{{\"data\":[{}]}}", items.join(","));
    for body in [
        data(&[]),
        data(&[item(0, "[1]")]),
        data(&[item(0, "[1]"), item(1, "[1]"), item(2, "[1]")]),
        data(&[item(0, "[1]"), item(0, "[1]")]),
        data(&[item(0, "[1]"), item(7, "[1]")]),
        data(&[item(0, "[1,2]"), item(1, "[1]")]),
        data(&[item(0, "[]"), item(1, "[]")]),
        data(&[item(0, "[0,0]"), item(1, "[1,0]")]),
        data(&[item(0, "[1e39]"), item(1, "[1]")]),
        data(&[item(0, "\"AABA\""), item(1, "[1]")]),
        data(&[item(0, "\"?\""), item(1, "[1]")]),
        data(&[item(0, "null"), item(1, "[1]")]),
        "{}".to_owned(),
        "[]".to_owned(),
        "not json".to_owned(),
        "{\"data\":null}".to_owned(),
    ] {
        let fault = fault(&body, &["a", "b"]).await;
        assert_eq!(fault.kind, ProviderErrorKind::Protocol, "{body}: {fault}");
        assert!(fault.message.starts_with("fake "), "{fault}");
    }
}

#[tokio::test]
async fn embed_reports_vectors_of_different_lengths() {
    let answers = [vectors(&[&[1.0, 0.0], &[0.0, 1.0]]), vectors(&[&[1.0]])];
    let fake = Fake::start(move |n| vec![Step::Send(json("200 OK", &answers[n]))]).await;
    let fault = embed(&embedder(provider(&fake)).await, &["a", "b", "c"]).await.unwrap_err();
    assert_eq!(fault.kind, ProviderErrorKind::Protocol);
}

#[tokio::test]
async fn embed_retries_only_transient_failures() {
    let busy = plain("429 Too Many Requests", "retry-after: 0\r\n", "{\"error\":\"busy\"}");
    let good = json("200 OK", &vectors(&[&[1.0]]));
    let steps = move |n| vec![Step::Send(if n < 2 { busy.clone() } else { good.clone() })];
    let mut fake = Fake::start(steps).await;
    let patient = ProviderConfig { retries: 2, ..provider(&fake) };
    assert_eq!(embed(&embedder(patient).await, &["a"]).await.unwrap().vectors, [[1.0]]);
    assert_eq!(fake.unread(), 3);

    let refusal = format!("{{\"error\":{{\"message\":\"no such model, key {KEY}\",\"type\":\"x\"}}}}");
    let mut fake = Fake::always(json("404 Not Found", &refusal)).await;
    let patient = ProviderConfig { retries: 2, ..provider(&fake) };
    let fault = embed(&embedder(patient).await, &["a"]).await.unwrap_err();
    assert_eq!(fault.kind, ProviderErrorKind::Refused);
    assert!(fault.message.contains("no such model") && !fault.message.contains(KEY), "{fault}");
    assert_eq!(fake.unread(), 1);
}

#[tokio::test]
async fn embed_reports_an_error_with_status_200() {
    let fault = fault("{\"error\":{\"message\":\"out of memory\",\"code\":503}}", &["a"]).await;
    assert_eq!(fault.kind, ProviderErrorKind::Status(503));
    assert!(fault.message.contains("out of memory"));
}

#[tokio::test]
async fn embed_times_out_and_closes_the_connection_when_dropped() {
    let fake = Fake::start(|_| vec![Step::AwaitClose]).await;
    let mut quick = provider(&fake);
    quick.timeouts.first_byte_s = 0.2;
    let fault = embed(&embedder(quick).await, &["a"]).await.unwrap_err();
    assert_eq!(fault.kind, ProviderErrorKind::Timeout);

    let mut fake = Fake::start(|_| vec![Step::AwaitClose]).await;
    let embedder = embedder(provider(&fake)).await;
    let asking = tokio::spawn(async move { embed(&embedder, &["a"]).await.is_ok() });
    fake.request().await;
    asking.abort();
    fake.closed().await;
}

#[tokio::test]
async fn embedding_models_are_recognized_by_tags_or_name() {
    let fake = Fake::always(json("200 OK", "{}")).await;
    let tagged = |id: &str, tags: &[&str]| ModelConfig {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..ModelConfig::id(id)
    };
    let models = vec![
        tagged("text-Embed-1", &[]),
        tagged("large", &[]),
        tagged("bge", &["embedding"]),
        tagged("both", &["chat", "embedding"]),
    ];
    let models = load(ProviderConfig { models, ..fake.provider() }).await;
    let chat: Vec<String> = models.list().into_iter().map(|model| model.id).collect();
    assert_eq!(chat, ["fake/large", "fake/both", "builtin/scribe"]);
    let told: Vec<(String, bool)> = models.embedders().into_iter().map(|e| (e.id, e.is_default)).collect();
    let expected = ["fake/text-Embed-1", "fake/bge", "fake/both", "builtin/hash"];
    assert_eq!(told, expected.map(|id| (id.to_owned(), id == "fake/text-Embed-1")));
    assert_eq!(models.default_embedder().info.id, "fake/text-Embed-1");
    assert!(models.find_embedder("fake/large").is_none() && models.find("fake/bge").is_none());
}

#[tokio::test]
async fn embedding_models_are_listed_separately_and_any_name_is_tried_before() {
    let list = r#"{"data":[{"id":"chatty"},{"id":"nomic-embed-text"}]}"#;
    let mut fake = Fake::start(move |n| match n {
        0 => vec![Step::AwaitClose],
        _ => vec![Step::Send(json("200 OK", list))],
    })
    .await;
    let open = ProviderConfig { models: Vec::new(), ..fake.provider() };
    let silent = load(open.clone()).await;
    fake.request().await;
    assert_eq!(silent.find_embedder("fake/any/name").unwrap().upstream_id, "any/name");
    assert!(silent.find_embedder("fake/").is_none() && silent.find_embedder("other/m").is_none());
    assert_eq!(silent.default_embedder().info.id, "builtin/hash");

    let models = load(open).await;
    let listed = async {
        while models.embedders().len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, listed).await.expect("the list comes");
    assert_eq!(models.default_embedder().info.id, "fake/nomic-embed-text");
    assert!(models.find_embedder("fake/any").is_none());
    assert!(models.find("fake/nomic-embed-text").is_none());
}

#[tokio::test]
async fn default_embedding_is_configurable_and_validated() {
    let fake = Fake::always(json("200 OK", "{}")).await;
    let choose = async |id: &str| {
        let config = ProvidersConfig {
            providers: vec![provider(&fake), ProviderConfig::openai("open", fake.base_url())],
            default_embedding: Some(id.to_owned()),
            probe_local: false,
            ..ProvidersConfig::default()
        };
        Models::load(&config).await.map(|models| models.default_embedder().info.id.clone())
    };
    for id in ["builtin/hash", "fake/m", "open/whatever"] {
        assert_eq!(choose(id).await.as_deref(), Ok(id));
    }
    for id in ["hash", "builtin/scribe", "fake/other", "nowhere/m"] {
        assert!(choose(id).await.unwrap_err().to_string().contains("default_embedding"), "{id}");
    }
    let untagged = ProvidersConfig {
        providers: vec![fake.provider()],
        default_embedding: Some("fake/m".into()),
        ..ProvidersConfig::default()
    };
    assert!(Models::load(&untagged).await.err().unwrap().to_string().contains("`embedding`"));
    for max_batch in [0, 257] {
        let mut wrong = provider(&fake);
        wrong.models[0].max_batch = Some(max_batch);
        let config = ProvidersConfig { providers: vec![wrong], ..ProvidersConfig::default() };
        assert!(Models::load(&config).await.err().unwrap().to_string().contains("max_batch"));
    }
}

#[tokio::test]
async fn add_embedder_replaces_and_is_preferred() {
    let models = Models::builtin();
    let hash = models.find_embedder("builtin/hash").unwrap();
    for _ in 0..2 {
        models.add_embedder(Embedder::new("test", "m", Arc::clone(&hash.model)));
    }
    let told: Vec<String> = models.embedders().into_iter().map(|e| e.id).collect();
    assert_eq!(told, ["test/m", "builtin/hash"]);
    assert_eq!(models.default_embedder().info.id, "test/m");
}
