//! Providers with unusual responses: their text still arrives, and completely.

use serde_json::{Value, json};

use super::{V1, asking, with_provider};
use crate::harness::Client;

/// Returns the answer that is made of a stream of these chunks.
async fn told(user: &Client, chunks: &[Value]) -> Value {
    let lines: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    let question = asking("fake/raw", &format!("{lines}data: [DONE]\n\n"));
    user.post(&format!("{V1}/chat/completions"), question).await.ok()
}

fn chunk(delta: Value, reason: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

#[tokio::test]
async fn answer_is_delivered_despite_invalid_usage() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    for (usage, output) in [
        (json!({"prompt_tokens": 3.0, "completion_tokens": 1.5}), 2),
        // If no reported number can be a count, four characters are counted as one token.
        (json!("none"), 1),
        (json!({"prompt_tokens": -5, "completion_tokens": 1e30}), 1),
    ] {
        let said = chunk(json!({"content": "tide"}), json!("stop"));
        let answer = told(&user, &[said, json!({"choices": [], "usage": usage})]).await;
        assert_eq!(answer["choices"][0]["message"]["content"], "tide", "{usage}");
        assert_eq!(answer["usage"]["completion_tokens"], output, "{usage}");
    }
}

#[tokio::test]
async fn fragments_of_calls_and_audio_are_joined() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let called = [
        chunk(json!({"function_call": {"name": "tide", "arguments": "{\"at\""}}), Value::Null),
        chunk(json!({"function_call": {"arguments": ":1}"}}), json!("function_call")),
    ];
    let message = told(&user, &called).await["choices"][0]["message"].clone();
    assert_eq!(message["content"], Value::Null);
    assert_eq!(message["function_call"], json!({"name": "tide", "arguments": "{\"at\":1}"}));
    let spoken = [
        chunk(json!({"audio": {"id": "audio_1", "transcript": "High "}}), Value::Null),
        chunk(json!({"audio": {"id": "audio_1", "transcript": "tide.", "expires_at": 9}}), json!("stop")),
    ];
    let message = told(&user, &spoken).await["choices"][0]["message"].clone();
    assert_eq!(message["audio"], json!({"id": "audio_1", "transcript": "High tide.", "expires_at": 9}));
}
