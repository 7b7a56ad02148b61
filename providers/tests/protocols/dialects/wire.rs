//! Helpers that create streams of other protocols and send requests to them.

use std::sync::Arc;

use providers::{ChatDelta, ChatRequest, Model, ProviderConfig, ProviderError, ProviderKind};
use serde_json::Value;

use crate::fake::*;

/// Returns a stream of these events as text, each with its name as Anthropic sends it.
pub fn events(events: &[Value]) -> String {
    let one = |event: &Value| match event["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(one).collect()
}

/// Returns a response in which each piece arrives separately.
pub fn pieces(pieces: &[&[u8]]) -> Vec<u8> {
    let mut all = STREAM.as_bytes().to_vec();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        all.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        all.extend(*piece);
        all.extend(b"\r\n");
    }
    all.extend(b"0\r\n\r\n");
    all
}

pub fn whole(body: &str) -> Vec<u8> {
    pieces(&[body.as_bytes()])
}

pub fn provider(fake: &Fake, kind: ProviderKind) -> ProviderConfig {
    ProviderConfig { kind, ..fake.provider() }
}

pub async fn ask(fake: &Fake, kind: ProviderKind) -> (Vec<ChatDelta>, Option<ProviderError>) {
    collect(&model(provider(fake, kind)).await).await
}

/// Sends a request to a model and collects the deltas.
pub async fn asked(model: &Arc<Model>, request: ChatRequest) -> (Vec<ChatDelta>, Option<ProviderError>) {
    use futures::StreamExt;
    let mut stream = match model.chat.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut deltas = Vec::new();
    while let Some(delta) = stream.next().await {
        match delta {
            Ok(delta) => deltas.push(delta),
            Err(error) => return (deltas, Some(error)),
        }
    }
    (deltas, None)
}

/// Checks that a response decodes to the same deltas when it is split in two at any byte.
pub async fn every_cut(kind: ProviderKind, body: String, expected: Vec<ChatDelta>) {
    let bytes = body.clone().into_bytes();
    let fake = Fake::start(move |n| {
        let (one, two) = bytes.split_at(n % (bytes.len() + 1));
        vec![Step::Send(pieces(&[one, two]))]
    })
    .await;
    let model = model(provider(&fake, kind)).await;
    for cut in 0..=body.len() {
        assert_eq!(collect(&model).await, (expected.clone(), None), "cut at {cut}");
    }
}
