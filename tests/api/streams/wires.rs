//! The encodings for chat clients over HTTP. The exact contents of each are tested beside the encoders, on a recorded
//! journal.

use serde_json::{Value, json};

use super::reading::{ask, ask_words, attach, conversation, messages, server};

/// Returns the JSON of each `data:` frame but the last, which is `[DONE]`.
fn frames(told: &str) -> Vec<Value> {
    let mut frames: Vec<_> = told.split_terminator("\n\n").filter(|frame| !frame.starts_with(':')).collect();
    assert_eq!(frames.pop(), Some("data: [DONE]"));
    let json = |frame: &str| serde_json::from_str(frame.strip_prefix("data: ").expect("data")).expect("JSON");
    frames.into_iter().map(json).collect()
}

#[tokio::test]
async fn ui_message_encoding_ends_with_done() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields =
        json!({"message": "Tides?", "wire": "ui-message", "parameters": {"length": 15, "pace_ms": 3}});
    let live = ask(&user, &home, fields).await;
    assert_eq!(live.header("x-vercel-ai-ui-message-stream"), Some("v1"));
    let stream = live.id.clone();
    let told = frames(&live.rest().await);
    let message = &messages(&user, &home).await[1];
    assert_eq!(told[0], json!({"type": "start", "messageId": message["id"]}));
    assert_eq!(told[1], json!({"type": "start-step"}));
    assert_eq!(told[told.len() - 1], json!({"type": "finish", "finishReason": "stop"}));
    assert_eq!(told[told.len() - 2], json!({"type": "finish-step"}));
    let text =
        |told: &[Value]| -> String { told.iter().filter_map(|chunk| chunk["delta"].as_str()).collect() };
    assert_eq!(text(&told), super::reading::said(message));

    let again = frames(&attach(&user, &home, &stream, "?wire=ui-message").await.rest().await);
    let deltas = again.iter().filter(|chunk| chunk["type"] == "text-delta").count();
    assert_eq!((deltas, text(&again)), (1, text(&told)), "a replay is folded");
    let unfolded = attach(&user, &home, &stream, "?wire=ui-message&fold=false&after=7").await;
    assert_eq!(frames(&unfolded.rest().await), told, "this encoding has no offsets");
}

#[tokio::test]
async fn openai_encoding_contains_usage_on_request() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 9, 0).await;
    let stream = live.id.clone();
    live.rest().await;
    let plain = frames(&attach(&user, &home, &stream, "?wire=openai").await.rest().await);
    let message = &messages(&user, &home).await[1];
    let id = format!("chatcmpl-{}", stream.replace('-', ""));
    for chunk in &plain {
        assert_eq!((&chunk["id"], &chunk["object"]), (&json!(id), &json!("chat.completion.chunk")));
        assert_eq!(chunk["model"], "builtin/scribe");
        assert!(chunk["created"].as_u64().expect("seconds") > 1_700_000_000);
        assert_eq!(chunk["choices"][0]["index"], 0);
    }
    assert_eq!(plain[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String =
        plain.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, super::reading::said(message));
    assert_eq!(plain[plain.len() - 1]["choices"][0]["finish_reason"], "stop");

    let counted =
        frames(&attach(&user, &home, &stream, "?wire=openai&include_usage=true").await.rest().await);
    let usage = &counted[counted.len() - 1];
    assert_eq!(counted[..counted.len() - 1], plain);
    assert_eq!(usage["choices"], json!([]));
    assert_eq!(usage["usage"]["completion_tokens"], message["usage"]["output_tokens"]);

    let options = json!({"message": "x", "wire": "openai",
        "parameters": {"length": 2, "stream_options": {"include_usage": true}}});
    let asked = frames(&ask(&user, &home, options).await.rest().await);
    assert!(asked[asked.len() - 1]["usage"]["total_tokens"].as_u64().expect("a count") > 0);
}

#[tokio::test]
async fn stopped_answer_is_reported_as_stopped() {
    let server = server().await;
    let user = server.user();
    for (wire, want) in [("ui-message", r#""type":"abort""#), ("openai", r#""finish_reason":"stop""#)] {
        let home = conversation(&user).await;
        let fields = json!({"message": "x", "wire": wire, "parameters": {"length": 5000, "pace_ms": 5}});
        let mut live = ask(&user, &home, fields).await;
        for _ in 0..6 {
            live.frame().await.expect("a frame");
        }
        let path = super::reading::address(&home, &live.id);
        user.delete(&path).await.ok();
        let rest = live.rest().await;
        assert!(rest.contains(want) && rest.ends_with("data: [DONE]\n\n"), "{wire}: {rest}");
    }
}
