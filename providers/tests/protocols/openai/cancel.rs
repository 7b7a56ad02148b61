use futures::StreamExt;
use providers::{ChatDelta, ChatStream};

use crate::fake::*;

/// A server that sends one word and then waits until the client disconnects.
async fn endless() -> Fake {
    Fake::start(|_| vec![Step::Send(begin(&[said("first")])), Step::AwaitClose]).await
}

async fn begun(fake: &Fake) -> ChatStream {
    let mut stream = fake.model().await.chat.stream(hello()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ChatDelta::Text("first".into()))));
    stream
}

#[tokio::test]
async fn stream_closes_the_connection_when_dropped() {
    let mut fake = endless().await;
    drop(begun(&fake).await);
    fake.closed().await;
}

#[tokio::test]
async fn stream_closes_the_connection_when_dropped_while_waiting() {
    let mut fake = endless().await;
    let mut stream = begun(&fake).await;
    assert!(futures::poll!(stream.next()).is_pending());
    drop(stream);
    fake.closed().await;
}

#[tokio::test]
async fn stream_closes_the_connection_when_dropped_before_reading() {
    let mut fake = endless().await;
    drop(fake.model().await.chat.stream(hello()).await.unwrap());
    fake.closed().await;
}

#[tokio::test]
async fn stream_closes_the_connection_when_dropped_while_the_server_sends() {
    let piece: String = (0..100).map(|n| said(&n.to_string())).collect();
    let steps = vec![Step::Send(begin(&[])), Step::Torrent(chunk(&piece))];
    let mut fake = Fake::start(move |_| steps.clone()).await;
    let mut stream = fake.model().await.chat.stream(hello()).await.unwrap();
    for _ in 0..1_000 {
        stream.next().await.unwrap().unwrap();
    }
    drop(stream);
    fake.closed().await;
}

#[tokio::test]
async fn request_closes_the_connection_when_dropped_before_the_response() {
    let head = STREAM.as_bytes().to_vec();
    for steps in [vec![Step::AwaitClose], vec![Step::Send(head), Step::AwaitClose]] {
        let mut fake = Fake::start(move |_| steps.clone()).await;
        let model = fake.model().await;
        let asking = tokio::spawn(async move { model.chat.stream(hello()).await.is_ok() });
        fake.request().await;
        asking.abort();
        fake.closed().await;
    }
}

#[tokio::test]
async fn request_closes_the_connection_when_dropped_during_a_json_response() {
    let whole = json("200 OK", "{\"choices\":[]}");
    let half = whole[..whole.len() - 4].to_vec();
    let steps = move |_| vec![Step::Send(half.clone()), Step::AwaitClose];
    let mut fake = Fake::start(steps).await;
    let model = fake.model().await;
    let asking = tokio::spawn(async move { model.chat.stream(hello()).await.is_ok() });
    fake.request().await;
    asking.abort();
    fake.closed().await;
}

#[tokio::test]
async fn stream_connections_are_closed_independently() {
    let mut fake = endless().await;
    let model = fake.model().await;
    let asked = futures::future::join_all((0..50).map(|_| model.chat.stream(hello()))).await;
    for stream in asked {
        drop(stream.unwrap());
        fake.closed().await;
    }
}

#[tokio::test]
async fn stream_closes_the_connection_on_error() {
    let error = "data: {\"error\":\"broken\"}\n\n".to_owned();
    let bytes = begin(&[error]);
    let steps = move |_| vec![Step::Send(bytes.clone()), Step::AwaitClose];
    let mut fake = Fake::start(steps).await;
    let mut stream = fake.model().await.chat.stream(hello()).await.unwrap();
    assert!(stream.next().await.unwrap().is_err());
    fake.closed().await;
    assert!(stream.next().await.is_none());
}
