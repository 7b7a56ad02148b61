//! Embeddings through the OpenAI interface.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::V1;
use crate::harness::TestServer;
use crate::harness::text;

fn vector(value: &Value) -> Vec<f32> {
    value.as_array().expect("numbers").iter().map(|x| x.as_f64().expect("a number") as f32).collect()
}

#[tokio::test]
async fn embeddings_accept_texts_and_tokens_in_either_encoding() {
    let server = TestServer::start().await;
    let user = server.user();
    let path = format!("{V1}/embeddings");
    let body = json!({"model": "builtin/hash", "input": ["the tide comes in", "hello world"]});
    let plain = user.post(&path, body).await.ok();
    assert_eq!((&plain["object"], &plain["model"]), (&json!("list"), &json!("builtin/hash")));
    let vectors: Vec<Vec<f32>> = (0..2).map(|at| vector(&plain["data"][at]["embedding"])).collect();
    assert_eq!(plain["data"][1]["index"], 1);
    assert!(vectors.iter().all(|vector| (vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4));
    assert!(plain["usage"]["prompt_tokens"].as_u64().expect("tokens") > 0);
    // One text as tokens of cl100k_base, as some clients send it, with the vector in base64, as others request it.
    let coded = json!({"input": [15339, 1917], "encoding_format": "base64", "model": "default"});
    let coded = user.post(&path, coded).await.ok();
    let bytes = STANDARD.decode(text(&coded["data"][0]["embedding"])).expect("base64");
    let read: Vec<f32> =
        bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().expect("four"))).collect();
    assert_eq!(read, vectors[1]);
    let short = user.post(&path, json!({"input": "hello world", "dimensions": 16})).await.ok();
    let short = vector(&short["data"][0]["embedding"]);
    assert_eq!(short.len(), 16);
    assert!((short.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4, "{short:?}");

    let many = user.post(&path, json!({"input": "x", "model": "builtin/hash", "dimensions": 5000})).await;
    assert_eq!(many.expect(422).json()["error"]["param"], "dimensions");

    for input in [json!(""), json!([]), json!([""]), json!([[99999999]]), json!({}), json!([1.5])] {
        let answer = user.post(&path, json!({"input": input})).await;
        assert_eq!(answer.expect(422).json()["error"]["param"], "input", "{input}");
    }
    let unknown = user.post(&path, json!({"input": "x", "model": "no/such"})).await;
    assert_eq!(unknown.expect(404).json()["error"]["code"], "model_not_found");
    server.token(&["usage:read"]).await.post(&path, json!({"input": "x"})).await.expect(403);
}
