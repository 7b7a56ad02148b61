//! Disabling while other clients start runs: runs accepted earlier are stopped, later requests are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::scene::{assistant, at, disable, live};
use crate::api::streams::reading::{Stream, asking, conversation, server, terminal};
use crate::harness::Client;

/// Asks repeatedly until a request is refused, and returns the streams that began.
async fn insist(
    client: Client,
    assistant: String,
    in_conversation: bool,
    begun: Arc<AtomicBool>,
) -> Vec<Stream> {
    let mut streams = Vec::new();
    loop {
        let request = match in_conversation {
            true => {
                let home = conversation(&client).await;
                asking(&client, &home, json!({"message": "Hello?", "assistant_id": assistant}))
            }
            false => {
                let body = json!({"assistant_id": assistant, "stream": true,
                    "messages": [{"role": "user", "content": "Hello?"}]});
                client.request(Method::POST, "/api/chat/completion").json(&body)
            }
        };
        match Stream::try_open(request).await {
            Ok(stream) => streams.push(stream),
            Err(answer) => {
                answer.problem(403, "assistant_disabled");
                return streams;
            }
        }
        begun.store(true, Ordering::Release);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn disable_stops_every_concurrently_started_run() {
    let server = server().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({"length": 5_000, "pace_ms": 20})).await;
    for round in 0..4 {
        let begun = Arc::new(AtomicBool::new(false));
        let mut askers = JoinSet::new();
        for number in 0..8 {
            let client = [server.user(), server.editor()][number % 2].clone();
            askers.spawn(insist(client, ada.clone(), number < 4, begun.clone()));
        }
        while !begun.load(Ordering::Acquire) {
            tokio::task::yield_now().await;
        }
        let told = disable(&admin, &ada).await;
        assert_eq!(told["changed"], true);
        // Every stream that began has ended or is about to: none continues for its full hundred seconds.
        for streams in askers.join_all().await {
            for stream in streams {
                let end = terminal(&stream.events().await);
                assert_eq!(end["status"], "cancelled", "round {round}: {end}");
            }
        }
        assert!(live(&server, &ada).is_empty());
        assert_eq!(admin.post(&at(&ada, "enable"), json!({})).await.ok()["changed"], true);
    }
    server.stored().await;
}

/// Each of many concurrent disable and enable requests sees a consistent state, and the audit record contains each
/// change once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_disable_and_enable_are_serialized() {
    let server = server().await;
    let admin = server.admin();
    let ada = assistant(&server.editor(), "Ada", json!({})).await;
    let mut tasks = JoinSet::new();
    for number in 0..12 {
        let (admin, ada) = (admin.clone(), ada.clone());
        tasks.spawn(async move {
            match number % 2 {
                0 => disable(&admin, &ada).await,
                _ => admin.post(&at(&ada, "enable"), json!({})).await.ok(),
            }
        });
    }
    let told: Vec<Value> = tasks.join_all().await;
    for state in &told {
        assert_eq!(state["enabled"] == true, state["disabled_reason"].is_null(), "{state}");
    }
    let changed = told.iter().filter(|state| state["changed"] == true).count();
    assert_eq!(super::scene::audited(&admin, &ada).await.len(), changed);
    assert_eq!(super::scene::told(&server, server.editor_person()).len(), changed);
}
