//! Listing, paging, filtering and searching conversations.

use std::time::Duration;

use serde_json::{Value, json};
use storage::records::Conversation;
use storage::{TenantId, Tx};

use crate::api::streams::reading::{ask, server};
use crate::harness::{Client, TestServer, text};

async fn titles(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/conversations{query}")).await.ok();
    list["items"].as_array().expect("items").iter().map(|item| text(&item["title"])).collect()
}

async fn create(client: &Client, body: Value) -> Value {
    // Each conversation gets a millisecond of its own, since the list is ordered by time.
    tokio::time::sleep(Duration::from_millis(2)).await;
    client.post("/api/conversations", body).await.created()
}

#[tokio::test]
async fn list_is_paged_by_cursor_and_by_time() {
    let server = TestServer::start().await;
    let user = server.user();
    let mut all = Vec::new();
    for n in 0..25 {
        all.insert(0, format!("c{n}"));
        create(&user, json!({"title": format!("c{n}")})).await;
    }
    assert_eq!(titles(&user, "").await, all);
    for limit in [1, 4, 7, 25, 200] {
        let (mut paged, mut timed) = (Vec::new(), Vec::new());
        let mut query = format!("?limit={limit}");
        loop {
            let page = user.get(&format!("/api/conversations{query}")).await.ok();
            paged.extend(page["items"].as_array().expect("items").iter().map(|item| text(&item["title"])));
            let Some(next) = page["next_cursor"].as_str() else { break };
            query = format!("?limit={limit}&cursor={next}");
        }
        assert_eq!(paged, all, "by cursor, {limit} each");
        let mut query = format!("?limit={limit}");
        loop {
            let page = user.get(&format!("/api/conversations{query}")).await.ok();
            let items = page["items"].as_array().expect("items").clone();
            timed.extend(items.iter().map(|item| text(&item["title"])));
            let Some(last) = items.last() else { break };
            query = format!("?limit={limit}&after_timestamp={}", seconds(&text(&last["updated_at"])));
        }
        assert_eq!(timed, all, "by time, {limit} each");
    }
}

/// Converts an RFC 3339 time to Unix seconds.
fn seconds(moment: &str) -> f64 {
    let moment: storage::Timestamp = moment.parse().expect("a moment");
    moment.as_millis() as f64 / 1000.0
}

#[tokio::test]
async fn list_supports_filters() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let assistant =
        async |name: &str| text(&editor.post("/api/assistants", json!({"name": name})).await.created()["id"]);
    let (a, b) = (assistant("A").await, assistant("B").await);
    create(&editor, json!({"title": "plain"})).await;
    create(&editor, json!({"title": "with a", "assistant_id": a})).await;
    create(&editor, json!({"title": "with b", "assistant_id": b})).await;
    create(&editor, json!({"title": "system", "is_system": true})).await;
    let away = create(&editor, json!({"title": "away"})).await;
    let path = format!("/api/conversations/{}", text(&away["id"]));
    editor.put(&path, json!({"title": "away", "archived": true})).await.ok();
    for (query, want) in [
        (String::new(), vec!["with b", "with a", "plain"]),
        (format!("?assistant_id={a}"), vec!["with a"]),
        (format!("?assistant_id={a}&assistant_filter_mode=only"), vec!["with a"]),
        (format!("?assistant_id={a}&assistant_filter_mode=exclude"), vec!["with b", "plain"]),
        (format!("?assistant_id={a}&assistant_filter_mode=none"), vec!["plain"]),
        ("?assistant_filter_mode=only".into(), vec!["with b", "with a"]),
        ("?assistant_filter_mode=exclude".into(), vec!["plain"]),
        ("?is_system=true".into(), vec!["system"]),
        ("?archived=true".into(), vec!["away"]),
        ("?include_projects=true".into(), vec!["with b", "with a", "plain"]),
    ] {
        assert_eq!(titles(&editor, &query).await, want, "{query}");
    }
    assert_eq!(titles(&server.user(), "").await, Vec::<String>::new());
    let faulty =
        "/api/conversations?limit=0&assistant_id=x&assistant_filter_mode=some&is_system=2&after_timestamp=x";
    let want =
        ["query.after_timestamp", "query.assistant_filter_mode", "query.assistant_id", "query.is_system"];
    let faults = editor.get(faulty).await.faults();
    assert!(want.iter().all(|place| faults.iter().any(|fault| fault == place)), "{faults:?}");
    assert_eq!(
        editor.get("/api/conversations?limit=201&cursor=zz").await.faults(),
        ["query.cursor", "query.limit"]
    );
}

#[tokio::test]
async fn search_covers_titles_messages_and_file_names() {
    let server = server().await;
    let user = server.user();
    let moon = create(&user, json!({"title": "The Moon"})).await;
    create(&user, json!({"title": "Something else"})).await;
    let fields = json!({"message": "Why does the sea rise at night?", "parameters": {"length": 3}});
    ask(&user, &text(&moon["id"]), fields).await.rest().await;
    assert_eq!(titles(&user, "?search=moon").await, ["The Moon"]);
    assert_eq!(titles(&user, "?search=SEA").await, ["The Moon"]);
    assert_eq!(titles(&user, "?search=moon%20night").await, ["The Moon"], "each word somewhere");
    assert_eq!(titles(&user, "?search=moon%20desert").await, Vec::<String>::new());
    assert_eq!(titles(&user, "?search=").await.len(), 2);
    let file = json!({"type": "file", "filename": "Harbour plan.txt", "url": "data:text/plain;base64,QUJD"});
    let asked = json!({"messages": [{"role": "user", "parts": [file]}], "parameters": {"length": 3}});
    ask(&user, &text(&moon["id"]), asked).await.rest().await;
    assert_eq!(titles(&user, "?search=harbour").await, ["The Moon"], "by the name of a file");
    assert_eq!(
        user.get(&format!("/api/conversations?search={}", "x".repeat(201))).await.faults(),
        ["query.search"]
    );
}

#[tokio::test]
async fn search_of_titles_finds_parts_of_words_only_in_titles() {
    let server = server().await;
    let user = server.user();
    let moon = create(&user, json!({"title": "The Moon over Ærø"})).await;
    create(&user, json!({"title": "Something else"})).await;
    create(&user, json!({})).await;
    let old = create(&user, json!({"title": "An old moon"})).await;
    user.patch(&format!("/api/conversations/{}", text(&old["id"])), json!({"archived": true})).await.ok();
    create(&server.editor(), json!({"title": "The moon of the editor"})).await;
    let fields = json!({"message": "Something about tides.", "parameters": {"length": 3}});
    ask(&user, &text(&moon["id"]), fields).await.rest().await;
    let of = async |query: &str| titles(&user, &format!("?search_in=title&{query}")).await;
    assert_eq!(of("search=oo%20ÆR").await, ["The Moon over Ærø"], "parts of words, in any case");
    assert_eq!(of("search=tides").await, Vec::<String>::new(), "not in messages");
    assert_eq!(titles(&user, "?search=tides").await, ["The Moon over Ærø"]);
    assert_eq!(of("search=thing").await, ["Something else"]);
    assert_eq!(of("search=moon&archived=true").await, ["An old moon"]);
    assert_eq!(user.get("/api/conversations?search_in=x").await.faults(), ["query.search_in"]);
}

#[tokio::test]
async fn search_of_titles_is_paged_and_bounded() {
    const COUNT: usize = 12_000;
    let server = TestServer::start().await;
    let user = server.user();
    let (tenant, owner) =
        (server.user_person().tenant.parse().unwrap(), server.user_person().id.parse().unwrap());
    let fill = move |tx: &mut Tx| {
        (0..COUNT).try_for_each(|n| {
            // The two matches are the ones that were changed first.
            let title = Some(if n < 2 { format!("Zephyr {n}") } else { format!("Calm {n}") });
            let conversation = Conversation { title, owner, ..Conversation::default() };
            tx.insert(TenantId(tenant), storage::new_id(), conversation).map(drop)
        })
    };
    server.store().run(fill).await.expect("the conversations are written");
    let (mut found, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let query = format!("/api/conversations?search=zeph&search_in=title&limit=1{cursor}");
        let page = user.get(&query).await.ok();
        found.extend(page["items"].as_array().expect("items").iter().map(|item| text(&item["title"])));
        pages += 1;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    found.sort();
    assert_eq!(found, ["Zephyr 0", "Zephyr 1"]);
    assert!((3..=4).contains(&pages), "the first page ends without a match: {pages}");
}

#[tokio::test]
async fn list_is_ordered_by_the_latest_change() {
    let server = TestServer::start().await;
    let user = server.user();
    let first = create(&user, json!({"title": "first"})).await;
    create(&user, json!({"title": "second"})).await;
    assert_eq!(titles(&user, "").await, ["second", "first"]);
    tokio::time::sleep(Duration::from_millis(2)).await;
    let path = format!("/api/conversations/{}/user_data", text(&first["id"]));
    user.post(&path, json!({"user_data": {"x": 1}})).await.ok();
    assert_eq!(titles(&user, "").await, ["first", "second"]);
}

#[tokio::test]
async fn list_can_be_filtered_by_pinned() {
    let server = TestServer::start().await;
    let user = server.user();
    for n in 0..3 {
        create(&user, json!({"title": format!("c{n}")})).await;
    }
    let first = user.get("/api/conversations").await.ok()["items"][2].clone();
    let path = format!("/api/conversations/{}", text(&first["id"]));
    user.patch(&path, json!({"pinned": true})).await.ok();
    assert_eq!(titles(&user, "?pinned=true").await, ["c0"]);
    assert_eq!(titles(&user, "?pinned=false").await, ["c2", "c1"]);
    assert_eq!(titles(&user, "").await.len(), 3);
    assert_eq!(user.get("/api/conversations?pinned=x").await.faults(), ["query.pinned"]);
}

#[tokio::test]
async fn list_shows_live_streams() {
    let server = server().await;
    let user = server.user();
    let (busy, still) = (create(&user, json!({})).await, create(&user, json!({})).await);
    let fields = json!({"message": "Tell me of the tides.", "parameters": {"length": 5000, "pace_ms": 5}});
    let mut live = ask(&user, &text(&busy["id"]), fields).await;
    live.until("text.delta").await;
    let streams = async || {
        let list = user.get("/api/conversations").await.ok();
        let items = list["items"].as_array().expect("items").clone();
        let of =
            |id: &Value| items.iter().find(|item| item["id"] == *id).expect("it")["active_stream"].clone();
        (of(&busy["id"]), of(&still["id"]))
    };
    let (there, nowhere) = streams().await;
    assert_eq!((&there["stream_id"], &there["state"]), (&json!(live.id), &json!("running")));
    assert_eq!(nowhere, Value::Null);
    let shown = user.get(&format!("/api/conversations/{}", text(&busy["id"]))).await.ok();
    assert_eq!(shown["active_stream"]["stream_id"], there["stream_id"]);
    user.delete(&format!("/api/conversations/{}/streams/{}", text(&busy["id"]), live.id)).await.ok();
    assert_eq!(streams().await.0, Value::Null);
}
