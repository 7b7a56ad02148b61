//! Disabling while others begin: what was accepted before is stopped, what comes after is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::scene::{assistant, at, disable, live};
use crate::api::streams::reading::{Stream, asking, conversation, server, terminal};
use crate::harness::Client;

/// Asks again and again until it is refused; the streams that began.
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
async fn nothing_slips_through() {
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
        // Each that has begun is ended already, or about to be: none talks on for its hundred seconds.
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

/// Of many who disable and enable at once, each sees a whole state, and the record tells of each change once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn administrators_at_the_same_time_see_each_other() {
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
