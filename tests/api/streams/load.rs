//! Many concurrent streams.

use serde_json::json;

use super::reading::{ask, attach, conversation, messages, said, server, terminal, without_gap};

/// The number of concurrent streams.
const STREAMS: usize = 500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_concurrent_streams_complete() {
    let server = server().await;
    let user = server.user();
    let readers = (0..STREAMS).map(|n| {
        let user = user.clone();
        tokio::spawn(async move {
            let home = conversation(&user).await;
            let fields =
                json!({"message": format!("Question {n}."), "parameters": {"length": 40, "pace_ms": 50}});
            let mut live = ask(&user, &home, fields).await;
            live.until("text.delta").await;
            let second = attach(&user, &home, &live.id, "?after=1").await;
            let (stream, rest) = (live.id.clone(), live.events().await);
            let second = second.events().await;
            assert_eq!(terminal(&rest)["status"], "succeeded");
            without_gap(&second, 1);
            assert_eq!(second[second.len() - rest.len()..], rest);
            let message = &messages(&user, &home).await[1];
            assert_eq!(message["run_id"], stream);
            assert_eq!(said(message).split_whitespace().count(), 40);
        })
    });
    for reader in readers.collect::<Vec<_>>() {
        reader.await.expect("a whole answer");
    }
}
