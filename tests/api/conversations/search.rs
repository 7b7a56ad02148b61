//! Searching messages.

use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::api::projects::scene::{id, let_in, member, project};
use crate::api::streams::reading::{ask, conversation, messages, server};
use crate::harness::{Client, TestServer, text, until};

pub const PATH: &str = "/api/conversations/search";

/// Reads all pages of a search.
pub async fn found(client: &Client, query: &str) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("{PATH}?{query}{cursor}")).await.ok();
        items.extend(page["items"].as_array().expect("items").iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { return items };
        cursor = format!("&cursor={next}");
    }
}

fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| text(&item["message_id"])).collect()
}

pub async fn put(client: &Client, home: &str, messages: Vec<Value>) {
    client.put(&format!("/api/conversations/{home}/payload"), json!({"messages": messages})).await.ok();
}

/// A short word, which has no other forms.
fn word(random: &mut StdRng) -> String {
    let letter = |random: &mut StdRng| char::from(b'a' + random.random_range(0..3u8));
    format!("q{}{}", letter(random), letter(random))
}

fn sentence(random: &mut StdRng) -> String {
    (0..random.random_range(1..6)).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn seeded() -> StdRng {
    let given = std::env::var("UNDERSTUDY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    println!("UNDERSTUDY_SEED={seed} repeats this");
    StdRng::seed_from_u64(seed)
}

/// A conversation of the property test.
struct Home {
    id: String,
    owner: usize,
    project: bool,
}

/// The ids of the messages that contain all words, found by reading every conversation that the client may read.
async fn scanned(client: &Client, homes: &[Home], query: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for home in homes {
        let answer = client.get(&format!("/api/conversations/{}", home.id)).await;
        if answer.status == 404 {
            continue;
        }
        for message in answer.ok()["messages"].as_array().expect("messages") {
            let parts = message["parts"].as_array().expect("parts").iter();
            let words: BTreeSet<String> = parts
                .flat_map(|part| text(&part["text"]).split(' ').map(str::to_owned).collect::<Vec<_>>())
                .collect();
            if query.split(' ').all(|word| words.contains(word)) {
                found.insert(text(&message["id"]));
            }
        }
    }
    found
}

#[tokio::test]
async fn search_finds_what_a_scan_finds() {
    let mut random = seeded();
    let mut server = TestServer::start().await;
    let project = project(&server.user(), "Tides").await;
    let mut is_member = false;
    let mut homes: Vec<Home> = Vec::new();
    for round in 0..24 {
        let clients = [server.user(), server.editor(), server.stranger()];
        match random.random_range(0..10) {
            0..5 => {
                let owner = random.random_range(0..3);
                let id = conversation(&clients[owner]).await;
                let list = (0..random.random_range(1..8)).map(|_| {
                    let role = if random.random_bool(0.5) { "user" } else { "assistant" };
                    json!({"role": role, "content": sentence(&mut random)})
                });
                put(&clients[owner], &id, list.collect()).await;
                homes.push(Home { id, owner, project: false });
            }
            5 if !homes.is_empty() => {
                let home = homes.swap_remove(random.random_range(0..homes.len()));
                clients[home.owner].delete(&format!("/api/conversations/{}", home.id)).await.no_content();
            }
            6 if !homes.is_empty() => {
                let home = &homes[random.random_range(0..homes.len())];
                let all = messages(&clients[home.owner], &home.id).await;
                let changed = &all[random.random_range(0..all.len())]["id"];
                let edit = json!({"message_id": changed, "content": sentence(&mut random)});
                clients[home.owner].put(&format!("/api/conversations/{}/message", home.id), edit).await.ok();
            }
            7 => {
                // The user's conversations move into the project and out of it.
                for home in homes.iter_mut().filter(|home| home.owner == 0) {
                    home.project = random.random_bool(0.5);
                    let new = json!({"project_id": home.project.then(|| id(&project))});
                    clients[0].patch(&format!("/api/conversations/{}", home.id), new).await.ok();
                }
            }
            8 => {
                let editor = server.editor_person().id.clone();
                match is_member {
                    false => {
                        drop(let_in(&clients[0], &project, json!([member("user", &editor, "viewer")])).await)
                    }
                    true => drop(clients[0].delete(&format!("{project}/members/{editor}")).await.ok()),
                }
                is_member = !is_member;
            }
            _ => server = server.restart().await,
        }
        let clients = [server.user(), server.editor(), server.stranger(), server.admin()];
        let query = match random.random_range(0..3) {
            0 => word(&mut random),
            _ => format!("{} {}", word(&mut random), word(&mut random)),
        };
        for (who, client) in clients.iter().enumerate() {
            let limit = [1, 3, 200][random.random_range(0..3usize)];
            let items = found(client, &format!("query={query}&limit={limit}")).await;
            let all = ids(&items);
            let unique: BTreeSet<String> = all.iter().cloned().collect();
            assert_eq!(unique.len(), all.len(), "round {round}: a message is found once");
            assert_eq!(unique, scanned(client, &homes, &query).await, "round {round}, {who}: {query}");
            let times: Vec<String> = items.iter().map(|item| text(&item["created_at"])).collect();
            assert!(times.is_sorted_by(|a, b| a >= b), "round {round}: the newest first");
        }
    }
    server.stored().await;
}

#[tokio::test]
async fn search_shows_where_the_words_are() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = text(&user.post("/api/conversations", json!({"title": "Harbour"})).await.created()["id"]);
    let long = format!("{}the Tïdes are high, and the moon is full {}", "x ".repeat(300), "y ".repeat(300));
    put(
        &user,
        &home,
        vec![json!({"role": "user", "content": long}), json!({"role": "assistant", "content": "No."})],
    )
    .await;
    let items = found(&user, "query=moon%20tide").await;
    assert_eq!(items.len(), 1);
    let item = &items[0];
    assert_eq!((&item["conversation_id"], &item["conversation_title"]), (&json!(home), &json!("Harbour")));
    assert_eq!(
        (&item["role"], &item["read_only"], &item["project_id"]),
        (&json!("user"), &json!(false), &Value::Null)
    );
    let shown: Vec<char> = text(&item["snippet"]["text"]).chars().collect();
    assert!(shown.len() <= 240);
    let marked: Vec<String> = item["snippet"]["ranges"]
        .as_array()
        .expect("ranges")
        .iter()
        .map(|range| {
            let at = |field: &str| range[field].as_u64().expect("a number") as usize;
            shown[at("start")..at("end")].iter().collect()
        })
        .collect();
    assert_eq!(marked, ["Tïdes", "moon"]);
    assert_eq!(found(&user, "query=moon%20stars").await.len(), 0);
    assert_eq!(found(&user, "query=...").await.len(), 0, "no words");
}

#[tokio::test]
async fn search_filters_by_conversation_assistant_role_and_time() {
    let server = TestServer::start().await;
    let user = server.user();
    let assistant =
        server.editor().post("/api/assistants", json!({"name": "Ada", "visibility": "tenant"})).await;
    let assistant = text(&assistant.created()["id"]);
    let (plain, with) = (conversation(&user).await, conversation(&user).await);
    user.patch(&format!("/api/conversations/{with}"), json!({"assistant_id": assistant})).await.ok();
    for home in [&plain, &with] {
        let list = ["user", "assistant"].map(|role| json!({"role": role, "content": "the tide"}));
        put(&user, home, list.to_vec()).await;
    }
    let count = async |query: &str| found(&user, &format!("query=tide&limit=1&{query}")).await.len();
    assert_eq!(count("").await, 4);
    assert_eq!(count(&format!("conversation_id={plain}")).await, 2);
    assert_eq!(count(&format!("assistant_id={assistant}")).await, 2);
    assert_eq!(count("role=assistant").await, 2);
    assert_eq!(count(&format!("role=user&assistant_id={assistant}")).await, 1);
    let newest = text(&found(&user, "query=tide&limit=1").await[0]["created_at"]);
    assert_eq!(count("until=1970-01-01T00:00:00Z").await, 0);
    assert_eq!(count("from=2100-01-01T00:00:00Z").await, 0);
    let before = count(&format!("until={newest}")).await;
    assert_eq!(before + count(&format!("from={newest}")).await, 4);
    assert!(before < 4);
    for (query, fault) in [
        ("", "query.query"),
        ("query=", "query.query"),
        ("query=a&role=judge", "query.role"),
        ("query=a&cursor=00", "query.cursor"),
        ("query=a&from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "query.until"),
    ] {
        assert_eq!(user.get(&format!("{PATH}?{query}")).await.faults(), [fault], "{query}");
    }
}

#[tokio::test]
async fn search_finds_answers_once_they_are_complete() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask(&user, &home, json!({"message": "Speak of the zephyr.", "parameters": {"length": 5}}))
        .await
        .rest()
        .await;
    let all = messages(&user, &home).await;
    let said = found(&user, "query=zephyr").await;
    assert!(ids(&said).contains(&text(&all[0]["id"])));
    let answer = crate::api::streams::reading::said(&all[1]);
    let word = answer.split_whitespace().max_by_key(|word| word.len()).expect("a word");
    let word: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    assert!(ids(&found(&user, &format!("query={word}&role=assistant")).await).contains(&text(&all[1]["id"])));
}

#[tokio::test]
async fn search_rebuilds_an_index_that_is_lost_or_damaged() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    put(&user, &home, vec![json!({"role": "user", "content": "the tide"})]).await;
    assert_eq!(found(&user, "query=tide").await.len(), 1);
    let index = server.dir().join("message-index");
    let server = server.restart_with(|_| std::fs::remove_dir_all(&index).expect("an index")).await;
    assert_eq!(found(&server.user(), "query=tide").await.len(), 1);
    let damage = || {
        for tenant in std::fs::read_dir(&index).expect("a folder").flatten() {
            for file in std::fs::read_dir(tenant.path()).expect("a folder").flatten() {
                std::fs::write(file.path(), "damaged").expect("a file");
            }
        }
    };
    let server = server.restart_with(|_| damage()).await;
    assert_eq!(found(&server.user(), "query=tide").await.len(), 1);
    // An index without the mark of a complete one is built again.
    let unfinished = || {
        for tenant in std::fs::read_dir(&index).expect("a folder").flatten() {
            std::fs::remove_file(tenant.path().join("complete")).expect("a mark");
        }
    };
    let server = server.restart_with(|_| unfinished()).await;
    assert_eq!(found(&server.user(), "query=tide").await.len(), 1);
    until("the mark is written", async || {
        std::fs::read_dir(&index)
            .expect("a folder")
            .flatten()
            .all(|tenant| tenant.path().join("complete").exists())
    })
    .await;
}

/// All hits in one conversation, for the find bar of a client: the same, in the same order, whatever the size of the pages.
#[tokio::test]
async fn search_in_one_conversation_pages_through_all_hits() {
    let server = TestServer::start().await;
    let user = server.user();
    let (home, other) = (conversation(&user).await, conversation(&user).await);
    put(&user, &other, vec![json!({"role": "user", "content": "the tide"})]).await;
    let role = |n: usize| if n.is_multiple_of(2) { "user" } else { "assistant" };
    let said = |n: usize| if n.is_multiple_of(3) { format!("the moon {n}") } else { format!("the tide {n}") };
    put(&user, &home, (0..450).map(|n| json!({"role": role(n), "content": said(n)})).collect()).await;
    // An edit is a message of another branch, and newer than all others.
    let all = messages(&user, &home).await;
    let edit = json!({"message_id": all[0]["id"], "content": "the tide again"});
    user.put(&format!("/api/conversations/{home}/message"), edit).await.ok();
    let all = messages(&user, &home).await;
    let with_tide = all.iter().filter(|message| text(&message["parts"][0]["text"]).contains("tide"));
    let want: BTreeSet<String> = with_tide.map(|message| text(&message["id"])).collect();
    assert_eq!(want.len(), 301);
    let query = format!("query=tide&conversation_id={home}");
    let whole = found(&user, &format!("{query}&limit=200")).await;
    let order = ids(&whole);
    assert_eq!(order.len(), want.len(), "each hit once");
    assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), want);
    assert!(whole.iter().all(|item| item["conversation_id"] == home));
    assert_eq!(whole[0]["snippet"]["text"], "the tide again", "the newest first");
    let times: Vec<String> = whole.iter().map(|item| text(&item["created_at"])).collect();
    assert!(times.is_sorted_by(|a, b| a >= b));
    for limit in [7, 64] {
        assert_eq!(ids(&found(&user, &format!("{query}&limit={limit}")).await), order, "pages of {limit}");
    }
    let page = user.get(&format!("{PATH}?{query}&limit=64")).await.ok();
    assert_eq!(page["items"].as_array().map(Vec::len), Some(64), "pages are full");
    // The conversation is that of another user, or it does not exist: there is nothing to find.
    assert_eq!(found(&server.editor(), &query).await.len(), 0);
    let unknown = "query=tide&conversation_id=01980000-0000-7000-8000-000000000001";
    assert_eq!(found(&user, unknown).await.len(), 0);
}
