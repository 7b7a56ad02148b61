//! The number of store reads that requests about streams take.

use reqwest::Method;
use serde_json::json;

use super::reading::{Stream, address, ask_words, asking, attach, conversation, server};
use super::socket::Socket;
use crate::api::workflows::scene::{Run, workflow, writing};
use crate::harness::{Answer, TestServer};

/// Attempts per request: the background tasks of a server also read its store now and then.
const TRIES: usize = 8;

/// Returns the lowest number of reads in several attempts.
async fn reads(server: &TestServer, attempt: impl AsyncFn()) -> u64 {
    let mut fewest = u64::MAX;
    for _ in 0..TRIES {
        let before = server.store().reads();
        attempt().await;
        fewest = fewest.min(server.store().reads() - before);
    }
    fewest
}

#[tokio::test]
async fn attaching_to_a_live_stream_takes_one_read() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let mut live = ask_words(&user, &home, 50_000, 5).await;
    live.until("text.delta").await;
    for query in ["", "?wire=ndjson", "?wire=openai", "?wire=ui-message", "?fold=true"] {
        let counted = reads(&server, async || {
            let mut stream = attach(&user, &home, &live.id, query).await;
            assert!(stream.more().await);
        });
        assert_eq!(counted.await, 1, "{query}");
    }
    let counted = reads(&server, async || {
        let path = format!("/api/conversations/{home}/streams/active?wire=events");
        let mut stream = Stream::open(user.request(Method::GET, &path)).await;
        assert!(stream.more().await);
    });
    assert_eq!(counted.await, 1, "the active stream");
    let counted = reads(&server, async || {
        let mut socket = Socket::open(&user, &address(&home, &live.id)).await;
        socket.hear().await;
    });
    assert_eq!(counted.await, 1, "a WebSocket");
    user.delete(&address(&home, &live.id)).await.expect(200);
}

#[tokio::test]
async fn attaching_to_an_ended_stream_takes_one_read_before_its_journal() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let live = ask_words(&user, &home, 10, 0).await;
    let stream = live.id.clone();
    let end = live.events().await.len();
    let counted = reads(&server, async || {
        let back = user.request(Method::GET, &address(&home, &stream));
        let back = back.header("last-event-id", end.to_string()).send().await.expect("an answer");
        assert_eq!(back.status(), 204);
    });
    assert_eq!(counted.await, 1, "the end was read before");
    let counted = reads(&server, async || {
        assert_eq!(attach(&user, &home, &stream, "").await.events().await.len(), end);
    });
    assert_eq!(counted.await, 3, "the journal is one page and its end");
}

#[tokio::test]
async fn attaching_to_a_run_of_a_workflow_takes_one_read() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, writing(50_000, 5)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    run.watch(&editor).await.until("text.delta").await;
    let counted = reads(&server, async || {
        let mut stream = run.watch(&editor).await;
        stream.event().await.expect("an event");
    });
    assert_eq!(counted.await, 1);
    editor.delete(&address(&run.conversation, &run.stream)).await.expect(200);
}

#[tokio::test]
async fn idempotency_key_is_looked_up_once() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    let fields = json!({"message": "Once.", "parameters": {"length": 1}, "on_active": "queue"});
    let ask = async |key: Option<&str>| {
        let request = asking(&user, &home, fields.clone());
        let request =
            key.map_or(request.try_clone().expect("a body"), |key| request.header("idempotency-key", key));
        let answer =
            Answer::read(request.header("accept", "application/x-ndjson").send().await.expect("an answer"));
        answer.await.expect(200);
    };
    let plain = reads(&server, async || ask(None).await).await;
    let number = std::cell::Cell::new(0);
    let keyed = reads(&server, async || {
        number.set(number.get() + 1);
        ask(Some(&format!("k-{}", number.get()))).await;
    });
    assert_eq!(keyed.await, plain + 1);
}
