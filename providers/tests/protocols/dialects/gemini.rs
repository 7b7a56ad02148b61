use providers::ChatDelta::{Finish, Reasoning, Text, ToolCallArguments, ToolCallStart};
use providers::{ChatDelta, FinishReason, ProviderErrorKind, ProviderKind, Usage};
use serde_json::{Value, json};

use super::wire::*;
use crate::fake::*;

const KIND: ProviderKind = ProviderKind::Gemini;

pub fn said(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "modelVersion": "m"})
}

pub fn end(reason: &str) -> Value {
    json!({"candidates": [{"content": {"parts": []}, "finishReason": reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 9, "thoughtsTokenCount": 4,
            "cachedContentTokenCount": 6, "totalTokenCount": 33}})
}

pub fn used() -> ChatDelta {
    ChatDelta::Usage(Usage {
        input_tokens: 20,
        output_tokens: 13,
        cached_tokens: 6,
        reasoning_tokens: 4,
        ..Usage::default()
    })
}

fn signed(mut thought: Value) -> ChatDelta {
    thought["format"] = json!("google-gemini-v1");
    thought["type"] = json!("reasoning.encrypted");
    let delta = json!({"reasoning_details": [thought]}).as_object().cloned().unwrap();
    ChatDelta::Other { delta, chunk: serde_json::Map::new() }
}

fn everything() -> (String, Vec<ChatDelta>) {
    let grounding = json!({"groundingChunks": [{"web": {"uri": "http://x", "title": "X"}}],
        "groundingSupports": [{"groundingChunkIndices": [0], "segment": {"text": "Hel"}}]});
    let likely = json!({"chosenCandidates": [{"token": "a", "logProbability": -0.5}],
        "topCandidates": [{"candidates": [{"token": "a", "logProbability": -0.5}]}]});
    let mut ground = said(json!([{"text": "lo\u{1F600}"}]));
    ground["candidates"][0]["groundingMetadata"] = grounding;
    ground["candidates"][0]["logprobsResult"] = likely;
    let call = json!({"functionCall": {"id": "f1", "name": "clock", "args": {"zone": "UTC"}}, "thoughtSignature": "s1"});
    let all = [
        said(json!([{"text": "hm wörld", "thought": true}])),
        said(json!([{"text": "Hel"}])),
        ground,
        said(json!([call, {"executableCode": {"code": "1"}}])),
        said(json!([{"text": "", "thoughtSignature": "s2"}])),
        json!({"candidates": [{"content": {"parts": [{"text": "of another"}]}, "index": 1}]}),
        end("STOP"),
    ];
    let token = json!({"token": "a", "logprob": -0.5, "bytes": [97]});
    let mut content = token.clone();
    content["top_logprobs"] = json!([token]);
    let expected = vec![
        Reasoning("hm wörld".into()),
        Text("Hel".into()),
        Text("lo\u{1F600}".into()),
        ChatDelta::Logprobs(json!({"content": [content], "refusal": null})),
        ChatDelta::Source {
            url: Some("http://x".into()),
            title: Some("X".into()),
            snippet: Some("Hel".into()),
        },
        ToolCallStart { index: 0, call_id: "f1".into(), name: "clock".into() },
        ToolCallArguments { index: 0, delta: "{\"zone\":\"UTC\"}".into() },
        signed(json!({"data": "s1", "index": 0, "id": "f1"})),
        signed(json!({"data": "s2", "index": 1})),
        used(),
        Finish(FinishReason::ToolCalls),
    ];
    (events(&all), expected)
}

#[tokio::test]
async fn gemini_decodes_every_part_and_sends_the_expected_request() {
    let (body, expected) = everything();
    let mut fake = Fake::always(whole(&body)).await;
    assert_eq!(ask(&fake, KIND).await, (expected, None));
    let request = fake.request().await;
    let head = request.head.to_lowercase();
    assert!(head.starts_with("post /v1/models/m:streamgeneratecontent?alt=sse http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("x-goog-api-key: {KEY}\r\n")), "{head}");
    let expected = json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "generationConfig": {"candidateCount": 1}});
    assert_eq!(request.json(), expected);
}

#[tokio::test]
async fn gemini_stream_can_be_split_at_every_byte() {
    let (body, expected) = everything();
    every_cut(KIND, body, expected).await;
}

#[tokio::test]
async fn gemini_accepts_an_end_without_a_blank_line() {
    let body = events(&[said(json!([{"text": "x"}])), end("STOP")]);
    let fake = Fake::always(whole(body.trim_end())).await;
    assert_eq!(ask(&fake, KIND).await, (vec![Text("x".into()), used(), Finish(FinishReason::Stop)], None));
}

#[tokio::test]
async fn gemini_maps_finish_reasons() {
    for (reason, expected) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", FinishReason::ContentFilter),
        ("RECITATION", FinishReason::ContentFilter),
        ("PROHIBITED_CONTENT", FinishReason::ContentFilter),
        ("MALFORMED_FUNCTION_CALL", FinishReason::Other("malformed_function_call".into())),
    ] {
        let fake = Fake::always(whole(&events(&[end(reason)]))).await;
        assert_eq!(ask(&fake, KIND).await, (vec![used(), Finish(expected)], None));
    }
    let blocked =
        json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}});
    let (deltas, _) = ask(&Fake::always(whole(&events(&[blocked]))).await, KIND).await;
    assert_eq!(deltas.last(), Some(&Finish(FinishReason::ContentFilter)));
}

#[tokio::test]
async fn gemini_maps_statuses_to_error_kinds_and_messages() {
    for (status, code, name, message, expected) in [
        ("400 Bad Request", 400, "INVALID_ARGUMENT", "no such field", ProviderErrorKind::Refused),
        ("400 Bad Request", 400, "INVALID_ARGUMENT", "API key not valid. Pass one.", ProviderErrorKind::Auth),
        ("403 Forbidden", 403, "PERMISSION_DENIED", "not yours", ProviderErrorKind::Auth),
        ("404 Not Found", 404, "NOT_FOUND", "no model", ProviderErrorKind::Refused),
        ("503 Unavailable", 503, "UNAVAILABLE", "overloaded", ProviderErrorKind::Status(503)),
    ] {
        let body = json!({"error": {"code": code, "message": message, "status": name}}).to_string();
        let fault = ask(&Fake::always(crate::fake::json(status, &body)).await, KIND).await.1.unwrap();
        assert_eq!(fault.kind, expected, "{status}");
        assert!(fault.message.ends_with(message), "{fault}");
    }
}

#[tokio::test]
async fn gemini_reports_errors_in_a_stream_and_incomplete_streams() {
    let error = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    let body = events(&[said(json!([{"text": "half"}])), error]);
    let (deltas, fault) = ask(&Fake::always(whole(&body)).await, KIND).await;
    assert_eq!((deltas, fault.unwrap().kind), (vec![Text("half".into())], ProviderErrorKind::Status(503)));
    let body = events(&[said(json!([{"text": "half"}]))]);
    let (deltas, fault) = ask(&Fake::always(whole(&body)).await, KIND).await;
    assert_eq!((deltas, fault.unwrap().kind), (vec![Text("half".into())], ProviderErrorKind::Protocol));
}
