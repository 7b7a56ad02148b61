use providers::ChatDelta::{ToolCallArguments, ToolCallStart};
use providers::{EmbedPurpose, EmbedRequest, ModelConfig, ProviderConfig, ProviderErrorKind, ProviderKind};
use serde_json::json;

use super::gemini::{end, said};
use super::wire::*;
use crate::fake::*;

const KIND: ProviderKind = ProviderKind::Gemini;

#[tokio::test]
async fn gemini_generates_missing_call_ids() {
    let calls =
        json!([{"functionCall": {"name": "now"}}, {"functionCall": {"name": "now", "args": {"a": 1}}}]);
    let body = events(&[said(calls), end("STOP")]);
    let (deltas, _) = ask(&Fake::always(whole(&body)).await, KIND).await;
    let ids: Vec<_> = deltas
        .iter()
        .filter_map(|delta| match delta {
            ToolCallStart { call_id, .. } => Some(call_id.clone()),
            _ => None,
        })
        .collect();
    assert!(ids.len() == 2 && ids[0] != ids[1] && ids.iter().all(|id| !id.is_empty()), "{ids:?}");
    assert!(deltas.contains(&ToolCallArguments { index: 0, delta: "{}".into() }));
    assert!(deltas.contains(&ToolCallArguments { index: 1, delta: "{\"a\":1}".into() }));
}

#[tokio::test]
async fn gemini_list_reports_capabilities() {
    let page = |n: usize| match n {
        0 => json!({"models": [
            {"name": "models/gemini-2.5-flash", "displayName": "Flash", "inputTokenLimit": 5, "outputTokenLimit": 6,
                "supportedGenerationMethods": ["generateContent", "countTokens"]},
            {"name": "models/aqa", "supportedGenerationMethods": ["generateAnswer"]},
        ], "nextPageToken": "two"}),
        _ => json!({"models": [
            {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]}]}),
    };
    let mut fake =
        Fake::start(move |n| vec![Step::Send(crate::fake::json("200 OK", &page(n).to_string()))]).await;
    let models = load(ProviderConfig { models: Vec::new(), ..provider(&fake, KIND) }).await;
    fake.request().await;
    assert!(fake.request().await.head.contains("pageToken=two"));
    let there = async {
        while models.list().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, there).await.expect("the list is never there");
    let flash = &models.find("fake/gemini-2.5-flash").unwrap().info;
    assert_eq!((flash.context_window, flash.max_output_tokens), (Some(5), Some(6)));
    assert_eq!(flash.prices.output_nanos_per_token, 2_500, "from the catalogue");
    assert!(models.find("fake/aqa").is_none() && models.find("fake/gemini-embedding-001").is_none());
    assert!(models.find_embedder("fake/gemini-embedding-001").is_some());
}

async fn embed(fake: &Fake, purpose: EmbedPurpose) -> Result<providers::Embedded, providers::ProviderError> {
    let models = vec![ModelConfig { max_batch: Some(2), ..ModelConfig::id("gemini-embedding-001") }];
    let models = load(ProviderConfig { models, ..provider(fake, KIND) }).await;
    let embedder = models.find_embedder("fake/gemini-embedding-001").unwrap();
    let texts = ["a", "b", "c"].map(str::to_owned).to_vec();
    let request =
        EmbedRequest { model: embedder.upstream_id.clone(), texts, purpose, ..EmbedRequest::default() };
    embedder.model.embed(request).await
}

#[tokio::test]
async fn gemini_embed_sends_batches_with_their_purpose() {
    let vectors =
        |n: usize| json!({"embeddings": vec![json!({"values": [3.0, 4.0]}); if n == 0 { 2 } else { 1 }]});
    let mut fake =
        Fake::start(move |n| vec![Step::Send(crate::fake::json("200 OK", &vectors(n).to_string()))]).await;
    let embedded = embed(&fake, EmbedPurpose::Query).await.unwrap();
    assert_eq!(embedded.vectors, vec![vec![0.6, 0.8]; 3]);
    assert!(embedded.usage.estimated);
    let request = fake.request().await;
    assert!(request.head.starts_with("POST /v1/models/gemini-embedding-001:batchEmbedContents HTTP/1.1"));
    let one = |text: &str| {
        json!({"model": "models/gemini-embedding-001", "taskType": "RETRIEVAL_QUERY",
            "content": {"parts": [{"text": text}]}})
    };
    assert_eq!(request.json(), json!({"requests": [one("a"), one("b")]}));
    assert_eq!(fake.unread(), 1);
}

#[tokio::test]
async fn gemini_embed_rejects_invalid_vectors() {
    for body in
        [json!({"embeddings": []}), json!({"embeddings": [{"values": [0.0]}, {"values": [1.0]}]}), json!({})]
    {
        let fake = Fake::always(crate::fake::json("200 OK", &body.to_string())).await;
        let fault = embed(&fake, EmbedPurpose::Document).await.unwrap_err();
        assert_eq!(fault.kind, ProviderErrorKind::Protocol, "{body}");
    }
}
