//! The same messages as server-sent events.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use super::client::{PATH, ended_stream, home_of, live_stream, replay, server, take};
use crate::api::streams::reading::Stream;
use crate::harness::{Client, text};

/// The id of no conversation.
const UNKNOWN: &str = "01980000-0000-7000-8000-000000000001";

/// A message, and the event id after it.
type Message = (Value, Option<String>);

/// Opens an event stream. `last` is the id of the last event that the client received.
async fn open(client: &Client, query: &str, last: Option<&str>) -> Stream {
    let request =
        client.request(Method::GET, &format!("{PATH}?{query}")).header("accept", "text/event-stream");
    let request = match last {
        Some(last) => request.header("last-event-id", last),
        None => request,
    };
    Stream::open(request).await
}

/// Returns the next message.
async fn message(stream: &mut Stream) -> Option<Message> {
    loop {
        let frame = stream.frame().await?;
        let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
        if let Some(data) = line("data: ") {
            return Some((serde_json::from_str(data).expect("JSON"), line("id: ").map(str::to_owned)));
        }
    }
}

async fn messages(mut stream: Stream) -> Vec<Message> {
    let mut messages = Vec::new();
    while let Some(next) = message(&mut stream).await {
        messages.push(next);
    }
    messages
}

fn by_subscription(messages: &[Message]) -> BTreeMap<String, Vec<Value>> {
    let mut read = BTreeMap::new();
    for (message, _) in messages {
        take(message.clone(), &mut read);
    }
    read
}

#[tokio::test]
async fn event_stream_resumes_all_subscriptions_from_every_event_id() {
    let server = server().await;
    let user = server.user();
    let (one, two) = (ended_stream(&user, 12).await, ended_stream(&user, 9).await);
    let canonical = [replay(&user, &one).await, replay(&user, &two).await];
    let query = format!("sub=one,{one}&sub=two,{two},4");
    let stream = open(&user, &query, None).await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let whole = messages(stream).await;
    let read = by_subscription(&whole);
    assert_eq!((&read["one"], &read["two"][..]), (&canonical[0], &canonical[1][4..]));
    for (at, (_, id)) in whole.iter().enumerate() {
        let Some(id) = id else { continue };
        let (mut known, before) = (BTreeMap::from([("one", 0), ("two", 4)]), &whole[..=at]);
        for (message, _) in before.iter().filter(|(message, _)| message["type"] == "event") {
            let seq = message["event"]["seq"].as_u64().expect("seq") as usize;
            known.insert(if message["id"] == "one" { "one" } else { "two" }, seq);
        }
        if before.iter().filter(|(message, _)| message["type"] == "ended").count() == 2 {
            let request = user.request(Method::GET, &format!("{PATH}?{query}")).header("last-event-id", id);
            Client::send(request).await.no_content();
            continue;
        }
        let rest = by_subscription(&messages(open(&user, &query, Some(id)).await).await);
        for (name, canonical) in [("one", &canonical[0]), ("two", &canonical[1])] {
            let rest = rest.get(name).map_or(&[][..], Vec::as_slice);
            assert_eq!(rest, &canonical[known[name]..], "{name} after {id}");
        }
    }
}

#[tokio::test]
async fn event_stream_follows_live_streams_and_feeds() {
    let server = server().await;
    let user = server.user();
    let path = live_stream(&user, 60, 3).await;
    let home = home_of(&path);
    let query =
        format!("sub=n,/api/notifications&sub=a,{path}&sub=c,{home}&sub=x,/api/conversations/{UNKNOWN}");
    let mut stream = open(&user, &query, None).await;
    let (mut events, mut problem) = (Vec::new(), Value::Null);
    let mut last = String::new();
    let mut has_ended = false;
    while !has_ended || problem.is_null() {
        let (message, id) = message(&mut stream).await.expect("feeds have no end");
        match (text(&message["id"]).as_str(), text(&message["type"]).as_str()) {
            ("a", "event") => events.push(message["event"].clone()),
            ("a", "ended") => has_ended = true,
            ("x", "ended") => problem = message["problem"].clone(),
            _ => {}
        }
        last = id.unwrap_or(last);
    }
    assert_eq!(events, replay(&user, &path).await);
    assert_eq!(problem["code"], "not_found", "a refused subscription does not end the others");
    assert!(last.contains(",*,"), "{last}");
    drop(stream);
    user.put(home_of(&path), json!({"title": "Tides"})).await.ok();
    let mut stream = open(&user, &query, Some(&last)).await;
    loop {
        let (message, _) = message(&mut stream).await.expect("feeds have no end");
        assert_ne!(message["id"], "a", "{message}");
        if message["event"]["type"] == "title.updated" {
            assert_eq!(message["event"]["data"]["title"], "Tides");
            break;
        }
    }
}

#[tokio::test]
async fn event_stream_refuses_invalid_subscriptions() {
    let server = server().await;
    let user = server.user();
    for query in ["", "sub=", "sub=a", "sub=a,/api/notifications&sub=a,/api/notifications"] {
        let faults = user.get(&format!("{PATH}?{query}")).await.faults();
        assert!(faults.iter().all(|fault| fault.starts_with("query.sub")), "{query}: {faults:?}");
    }
    user.get(&format!("{PATH}?sub=a,/api/users/me")).await.problem(404, "route_not_found");
    assert_eq!(user.get(&format!("{PATH}?sub=a,/api/notifications,x")).await.status, 422);
    let request = user.request(Method::GET, &format!("{PATH}?sub=a,/api/notifications"));
    let answer = Client::send(request.header("last-event-id", "1,2")).await;
    assert_eq!(answer.faults(), ["header.Last-Event-ID"]);
    let many: Vec<_> = (0..201).map(|at| format!("sub=s{at},/api/notifications")).collect();
    assert_eq!(user.get(&format!("{PATH}?{}", many.join("&"))).await.faults(), ["query.sub"]);
}
