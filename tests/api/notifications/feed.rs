//! The feed delivers changes in order, without gaps and without duplicates.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::NoticeBox;
use storage::{TenantId, Tx};

use super::{PATH, listed, server, write};
use crate::api::streams::reading::Stream;
use crate::harness::{Client, Person, TestServer, text};

async fn open(client: &Client, query: &str) -> Stream {
    let request = client.request(Method::GET, &format!("{PATH}{query}"));
    Stream::open(request.header("accept", "text/event-stream")).await
}

/// Returns the events up to and including the count that reports the state after `seq`, without the counts.
async fn upto(feed: &mut Stream, seq: u64) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let event = feed.event().await.expect("the feed goes on");
        match event["type"].as_str() {
            Some("unread_count") if event["seq"].as_u64() >= Some(seq) => return events,
            Some("unread_count") => {}
            _ => events.push(event),
        }
    }
}

fn seq(event: &Value) -> u64 {
    event["seq"].as_u64().expect("a number")
}

/// Returns the listed titles and whether they were read, as a client knows them after these events.
fn state<'a>(events: impl IntoIterator<Item = &'a Value>) -> BTreeMap<String, (String, bool)> {
    let mut state = BTreeMap::new();
    for event in events {
        let data = &event["data"];
        let ids = || data["notification_ids"].as_array().into_iter().flatten().map(text);
        match event["type"].as_str() {
            Some("notification") => {
                state.insert(text(&data["id"]), (text(&data["title"]), false));
            }
            Some("read") => ids().for_each(|id| {
                state.entry(id).and_modify(|it| it.1 = true);
            }),
            Some("deleted") => ids().for_each(|id| drop(state.remove(&id))),
            other => panic!("{other:?} is not an event"),
        }
    }
    state
}

/// Sends notifications, reads some, and deletes some if `deletes` is set.
async fn happen(server: &TestServer, person: &Person, client: &Client, deletes: bool) {
    for title in ["one", "two", "three"] {
        write(server, person, title).await;
    }
    let ids: Vec<_> = listed(client, "").await.iter().map(|one| text(&one["id"])).collect();
    client.put(&format!("{PATH}/{}/read", ids[1]), json!({})).await.ok();
    if deletes {
        client.delete(&format!("{PATH}/{}", ids[2])).await.no_content();
        client.delete(&format!("{PATH}/{}", ids[1])).await.no_content();
    }
    write(server, person, "four").await;
    client.put(&format!("{PATH}/read-all"), json!({})).await.ok();
    write(server, person, "five").await;
}

#[tokio::test]
async fn feed_returns_only_missing_events_after_a_reconnect() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let mut live = open(&user, "").await;
    assert_eq!(live.header("content-type"), Some("text/event-stream"));
    let first = live.frame().await.expect("a first event");
    assert!(first.starts_with("retry: 1000\n"), "the retry line is not a message of its own: {first}");
    let begin = first.lines().find_map(|line| line.strip_prefix("data: ")).expect("data");
    let begin: Value = serde_json::from_str(begin).expect("JSON");
    assert_eq!((&begin["type"], seq(&begin)), (&json!("unread_count"), 0));
    assert_eq!(begin["data"], json!({"count": 0}));
    happen(&server, &person, &user, false).await;
    let canonical = upto(&mut live, 7).await;
    let kinds: Vec<_> = canonical.iter().map(|event| text(&event["type"])).collect();
    let [told, read] = ["notification", "read"];
    assert_eq!(kinds, [told, told, told, read, told, read, told]);
    assert_eq!(canonical.iter().map(seq).collect::<Vec<_>>(), (1..=7).collect::<Vec<_>>());
    assert!(canonical.iter().all(|event| event["data"]["read_at"].is_null() || event["type"] == "read"));
    for known in 0..=canonical.len() {
        let mut again = open(&user, &format!("?after={known}")).await;
        assert_eq!(upto(&mut again, 7).await, canonical[known..], "after {known}");
    }
    let server = server.restart().await;
    for known in [0, 3, 7] {
        let request = server.user().request(Method::GET, &format!("{PATH}?after=1"));
        let request =
            request.header("accept", "text/event-stream").header("last-event-id", known.to_string());
        let mut again = Stream::open(request).await;
        assert_eq!(upto(&mut again, 7).await, canonical[known..], "the last event id takes precedence");
    }
}

#[tokio::test]
async fn feed_does_not_replay_deleted_notifications() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let mut live = open(&user, "").await;
    live.until("unread_count").await;
    happen(&server, &person, &user, true).await;
    let canonical = upto(&mut live, 9).await;
    assert_eq!(canonical.len(), 9);
    let whole = state(&canonical);
    let titles: Vec<_> = whole.values().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["three", "four", "five"], "ids are in chronological order");
    for known in 0..=canonical.len() {
        let mut again = open(&user, &format!("?after={known}")).await;
        let rest = upto(&mut again, 9).await;
        assert!(rest.iter().map(seq).is_sorted_by(|one, next| one < next), "{rest:?}");
        assert!(rest.iter().all(|event| seq(event) > known as u64 && canonical.contains(event)), "{rest:?}");
        assert_eq!(state(canonical[..known].iter().chain(&rest)), whole, "after {known}");
    }
    let mut first = open(&user, "?after=0").await;
    let text = format!("{:?}", upto(&mut first, 9).await);
    assert!(!text.contains("All about one.") && text.contains("All about three."), "{text}");
}

#[tokio::test]
async fn feed_is_the_same_for_all_readers_of_a_user() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let mut feeds = Vec::new();
    for _ in 0..5 {
        let mut feed = open(&user, "?after=0").await;
        feed.until("unread_count").await;
        feeds.push(feed);
    }
    // Notifications arrive from several writers at once.
    let writers = (0..10).map(|at| {
        let (server, person) = (&server, &person);
        async move { write(server, person, &format!("{at}")).await }
    });
    futures::future::join_all(writers).await;
    let mut heard = Vec::new();
    for feed in &mut feeds {
        heard.push(upto(feed, 10).await);
    }
    assert_eq!(heard[0].iter().map(seq).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    assert!(heard.iter().all(|one| one == &heard[0]));
    // Other users receive nothing.
    let mut other = open(&server.editor(), "").await;
    let begin = other.until("unread_count").await;
    assert_eq!((seq(&begin), &begin["data"]["count"]), (0, &json!(0)));
}

#[tokio::test]
async fn feed_resets_readers_at_an_unknown_position() {
    let server = server().await;
    let (user, person) = (server.user(), server.user_person().clone());
    write(&server, &person, "one").await;
    let mut ahead = open(&user, "?after=2").await;
    assert_eq!(seq(&ahead.until("reset").await), 1, "a backup may have been restored");
    assert_eq!(ahead.until("unread_count").await["data"]["count"], 1);
    let tenant = TenantId(person.tenant.parse().expect("an id"));
    let id: uuid::Uuid = person.id.parse().expect("an id");
    let far = move |tx: &mut Tx| {
        let mut row = tx.require::<NoticeBox>(tenant, &id)?;
        row.seq += storage::notices::CHANGES_KEPT;
        tx.update(tenant, row).map(drop)
    };
    server.store().run::<_, storage::Error>(far).await.expect("written");
    let mut behind = open(&user, "?after=0").await;
    let place = seq(&behind.until("reset").await);
    behind.until("unread_count").await;
    write(&server, &person, "two").await;
    let next = behind.until("notification").await;
    assert_eq!(
        (seq(&next), &next["data"]["title"]),
        (place + 1, &json!("two")),
        "the feed continues from the new position"
    );
    for wrong in ["-1", "x", "1.5"] {
        let request = user.request(Method::GET, PATH).header("accept", "text/event-stream");
        let answer = Client::send(request.header("last-event-id", wrong)).await;
        assert_eq!(answer.faults(), ["header.Last-Event-ID"], "{wrong}");
    }
}

#[tokio::test]
async fn feed_ends_with_the_rights_of_its_reader() {
    let server = server().await;
    let token = server.admin().post("/api/auth/api-tokens", json!({"name": "feed"})).await.created();
    let client = server.client(&text(&token["token"]));
    let mut by_token = open(&client, "").await;
    by_token.until("unread_count").await;
    let revoke = format!("/api/auth/api-tokens/{}/revoke/", text(&token["id"]));
    server.admin().post(&revoke, json!({})).await.expect(200);
    assert_eq!(by_token.event().await, None, "the token was revoked");

    let (user, person) = (server.user(), server.user_person().clone());
    let mut by_session = open(&user, "").await;
    by_session.until("unread_count").await;
    server.admin().delete(&format!("/api/tenant-admin/users/{}", person.id)).await.no_content();
    assert_eq!(by_session.event().await, None, "the user was removed");
}
