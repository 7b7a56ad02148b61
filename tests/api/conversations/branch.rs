//! Reading one branch of a conversation in pages, and its outline.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::api::streams::reading::{ask, ask_words, conversation, messages, server};
use crate::harness::{Client, TestServer, text};

async fn page(client: &Client, home: &str, query: &str) -> Value {
    client.get(&format!("/api/conversations/{home}/{query}")).await.ok()
}

/// Reads all pages of a list.
async fn pages(client: &Client, home: &str, list: &str, query: &str) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = page(client, home, &format!("{list}?{query}{cursor}")).await;
        let found = page["items"].as_array().expect("items").clone();
        assert!(!found.is_empty() || page.get("next_cursor").is_none(), "{page}");
        items.extend(found);
        let Some(next) = page["next_cursor"].as_str() else { return items };
        cursor = format!("&cursor={next}");
    }
}

fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| text(&item["id"])).collect()
}

/// A conversation as the full read returns it.
struct Whole {
    messages: HashMap<String, Value>,
    /// Ids in the order of the full read.
    order: Vec<String>,
}

impl Whole {
    async fn read(client: &Client, home: &str) -> Self {
        let all = messages(client, home).await;
        let order = ids(&all);
        Self { messages: all.into_iter().map(|message| (text(&message["id"]), message)).collect(), order }
    }

    /// The ids of the branch that ends with `leaf`, the last one first.
    fn branch(&self, leaf: &str) -> Vec<String> {
        let (mut ids, mut at) = (Vec::new(), Some(leaf.to_owned()));
        while let Some(id) = at {
            at = self.messages[&id]["parent_id"].as_str().map(str::to_owned);
            ids.push(id);
        }
        ids
    }

    fn children(&self, parent: &Value) -> Vec<String> {
        let children = self.order.iter().filter(|id| self.messages[*id]["parent_id"] == *parent);
        children.cloned().collect()
    }

    /// The last message below `id` if the newest message is chosen at each fork.
    fn newest_leaf(&self, id: &str) -> String {
        let mut at = id.to_owned();
        while let Some(child) = self.children(&json!(at)).pop() {
            at = child;
        }
        at
    }

    /// Checks the items of a branch against the full read.
    fn check(&self, items: &[Value], leaf: &str) {
        let branch = self.branch(leaf);
        assert_eq!(ids(items), branch);
        for (at, item) in items.iter().enumerate() {
            let id = &branch[at];
            assert_eq!(item["position"], json!(branch.len() - at));
            let siblings = self.children(&self.messages[id]["parent_id"]);
            assert_eq!(item["sibling_ids"], json!(siblings));
            let number = siblings.iter().position(|sibling| sibling == id).expect("itself") + 1;
            assert_eq!(item["sibling_number"], json!(number));
            let mut message = item.clone();
            for added in ["position", "sibling_ids", "sibling_number"] {
                message.as_object_mut().expect("an object").remove(added);
            }
            assert_eq!(message, self.messages[id]);
        }
    }
}

/// Checks everything about one branch at several page sizes.
async fn check_branch(client: &Client, home: &str, whole: &Whole, leaf: &str) {
    let branch = whole.branch(leaf);
    let questions: Vec<_> =
        branch.iter().filter(|id| whole.messages[*id]["role"] == json!("user")).cloned().collect();
    for limit in [1, 2, 3, 7, 200] {
        let select = format!("leaf_id={leaf}&limit={limit}");
        whole.check(&pages(client, home, "messages", &select).await, leaf);
        let outline = pages(client, home, "outline", &select).await;
        assert_eq!(ids(&outline), questions);
        for item in &outline {
            let at = branch.iter().position(|id| *id == text(&item["id"])).expect("on the branch");
            assert_eq!(item["position"], json!(branch.len() - at));
        }
    }
    let first = page(client, home, &format!("messages?leaf_id={leaf}&limit=1")).await;
    let outline = page(client, home, &format!("outline?leaf_id={leaf}&limit=1")).await;
    for page in [first, outline] {
        assert_eq!(page["leaf_id"], json!(leaf));
        assert_eq!((&page["total"], &page["user_messages"]), (&json!(branch.len()), &json!(questions.len())));
    }
    for before in 1..=branch.len() + 2 {
        let select = format!("messages?leaf_id={leaf}&limit=3&before={before}");
        let found = ids(page(client, home, &select).await["items"].as_array().expect("items"));
        let want: Vec<_> = branch.iter().rev().take(before - 1).rev().take(3).cloned().collect();
        assert_eq!(found, want, "before {before} of {}", branch.len());
    }
}

#[tokio::test]
async fn branch_pages_agree_with_the_whole_conversation() {
    let given = std::env::var("UNDERSTUDY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
    println!("UNDERSTUDY_SEED={seed} repeats this");
    let mut random = StdRng::seed_from_u64(seed);
    let server = TestServer::start().await;
    let user = server.user();
    for size in [1, 12, 60] {
        let home = conversation(&user).await;
        let ids: Vec<String> = (0..size).map(|_| uuid::Uuid::new_v4().to_string()).collect();
        let mut list: Vec<Value> = (0..size)
            .map(|at| {
                let near = random.random_range(0..10) > 0;
                let parent = match at {
                    0 => None,
                    _ if near => Some(random.random_range((at as usize).saturating_sub(3)..at as usize)),
                    _ => None,
                };
                let role = if random.random_bool(0.5) { "user" } else { "assistant" };
                let parent = parent.map(|at| ids[at].clone());
                json!({"id": ids[at as usize], "parent_id": parent, "role": role, "content": format!("m{at}")})
            })
            .collect();
        let payload = format!("/api/conversations/{home}/payload");
        user.put(&payload, json!({"messages": list})).await.ok();
        let whole = Whole::read(&user, &home).await;
        for _ in 0..4 {
            let leaf = &ids[random.random_range(0..size as usize)];
            check_branch(&user, &home, &whole, leaf).await;
            let through = pages(&user, &home, "messages", &format!("through_id={leaf}&limit=200")).await;
            whole.check(&through, &whole.newest_leaf(leaf));
        }
        // Parents change, and parents may stand behind their children.
        list.reverse();
        let removed = list.len() / 4;
        for message in list.iter_mut() {
            if random.random_bool(0.2) {
                message["parent_id"] = Value::Null;
            }
        }
        let kept: Vec<Value> = list.drain(removed..).collect();
        let known: Vec<Value> = kept.iter().map(|message| message["id"].clone()).collect();
        let kept: Vec<Value> = kept
            .into_iter()
            .map(|mut message| {
                if !known.contains(&message["parent_id"]) {
                    message["parent_id"] = Value::Null;
                }
                message
            })
            .collect();
        user.put(&payload, json!({"messages": kept})).await.ok();
        let whole = Whole::read(&user, &home).await;
        for _ in 0..4 {
            let leaf = text(&known[random.random_range(0..known.len())]);
            check_branch(&user, &home, &whole, &leaf).await;
        }
    }
    server.stored().await;
}

#[tokio::test]
async fn branch_follows_edits_and_regenerated_answers() {
    let server = server().await;
    let user = server.user();
    let home = conversation(&user).await;
    ask_words(&user, &home, 3, 0).await.rest().await;
    let first = messages(&user, &home).await;
    let (question, answer) = (text(&first[0]["id"]), text(&first[1]["id"]));
    ask(&user, &home, json!({"regenerate_message_id": answer, "parameters": {"length": 2}}))
        .await
        .rest()
        .await;
    let edit = json!({"message_id": question, "content": "Tell me of the moon."});
    let edited = text(&user.put(&format!("/api/conversations/{home}/message"), edit).await.ok()["id"]);
    ask(&user, &home, json!({"regenerate_message_id": edited, "parameters": {"length": 2}}))
        .await
        .rest()
        .await;
    ask(&user, &home, json!({"message": "And then?", "parameters": {"length": 2}})).await.rest().await;

    let whole = Whole::read(&user, &home).await;
    let shown = user.get(&format!("/api/conversations/{home}?include_messages=false")).await.ok();
    assert!(shown.get("messages").is_none());
    let current = text(&shown["current_message_id"]);
    let items = pages(&user, &home, "messages", "limit=2").await;
    assert_eq!(items.len(), 4);
    whole.check(&items, &current);
    assert_eq!(items[3]["sibling_ids"], json!([question, edited]));
    // Switching to the first question shows its newest answer.
    let other = pages(&user, &home, "messages", &format!("through_id={question}")).await;
    whole.check(&other, &whole.newest_leaf(&question));
    assert_eq!((other.len(), &other[0]["sibling_number"]), (2, &json!(2)));
    let outline = page(&user, &home, "outline").await;
    let previews: Vec<_> =
        outline["items"].as_array().expect("items").iter().map(|item| text(&item["preview"])).collect();
    assert_eq!(previews, ["And then?", "Tell me of the moon."]);
    for leaf in whole.order.clone() {
        check_branch(&user, &home, &whole, &leaf).await;
    }
    let server = server.restart().await;
    check_branch(&server.user(), &home, &whole, &current).await;
    server.stored().await;
}

#[tokio::test]
async fn branch_of_an_empty_conversation_is_empty() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    for list in ["messages", "outline"] {
        let empty = page(&user, &home, list).await;
        assert_eq!(empty, json!({"items": [], "leaf_id": null, "total": 0, "user_messages": 0}));
    }
}

#[tokio::test]
async fn outline_shortens_texts_and_names_files() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    let long = format!("{}\n\n  {}", "ä".repeat(100), "b".repeat(100));
    let list = json!([{"role": "user", "content": long}, {"role": "assistant", "content": "Yes."}]);
    user.put(&format!("/api/conversations/{home}/payload"), json!({"messages": list})).await.ok();
    let outline = page(&user, &home, "outline").await;
    assert_eq!(outline["items"][0]["preview"], json!(format!("{} {}", "ä".repeat(100), "b".repeat(19))));
    assert_eq!((&outline["total"], &outline["user_messages"]), (&json!(2), &json!(1)));
}

#[tokio::test]
async fn outline_of_ten_thousand_messages_is_one_page() {
    let server = TestServer::start().await;
    let user = server.user();
    let home = conversation(&user).await;
    let role = |n: usize| if n.is_multiple_of(2) { "user" } else { "assistant" };
    let list: Vec<_> =
        (0..10_000).map(|n| json!({"role": role(n), "content": format!("number {n}")})).collect();
    user.put(&format!("/api/conversations/{home}/payload"), json!({"messages": list})).await.ok();
    let outline = page(&user, &home, "outline?limit=5000").await;
    let items = outline["items"].as_array().expect("items");
    assert_eq!((items.len(), outline.get("next_cursor")), (5_000, None));
    assert_eq!((&items[0]["preview"], &items[4_999]["preview"]), (&json!("number 9998"), &json!("number 0")));
    assert_eq!((&outline["total"], &outline["user_messages"]), (&json!(10_000), &json!(5_000)));
    let path = format!("/api/conversations/{home}");
    assert_eq!(user.get(&format!("{path}/outline?limit=5001")).await.faults(), ["query.limit"]);
    assert_eq!(user.get(&format!("{path}/messages?limit=201")).await.faults(), ["query.limit"]);
}

#[tokio::test]
async fn branch_reports_faults_and_keeps_rights() {
    let server = TestServer::start().await;
    let user = server.user();
    let (home, other) = (conversation(&user).await, conversation(&user).await);
    let list: Vec<Value> = (0..4).map(|n| json!({"role": "user", "content": n.to_string()})).collect();
    for home in [&home, &other] {
        let body = json!({"messages": list});
        user.put(&format!("/api/conversations/{home}/payload"), body).await.ok();
    }
    let first = page(&user, &home, "messages?limit=2").await;
    let (leaf, cursor) = (text(&first["leaf_id"]), text(&first["next_cursor"]));
    let unknown = "01980000-0000-7000-8000-000000000001";
    for (query, fault) in [
        (format!("leaf_id={unknown}"), "query.leaf_id"),
        (format!("through_id={unknown}"), "query.through_id"),
        (format!("leaf_id={leaf}&through_id={leaf}"), "query.through_id"),
        ("before=0".to_owned(), "query.before"),
        ("limit=0".to_owned(), "query.limit"),
        ("cursor=xyz".to_owned(), "query.cursor"),
    ] {
        for list in ["messages", "outline"] {
            let answer = user.get(&format!("/api/conversations/{home}/{list}?{query}")).await;
            assert_eq!(answer.faults(), [fault], "{list}?{query}");
        }
    }
    let elsewhere = user.get(&format!("/api/conversations/{other}/messages?cursor={cursor}")).await;
    assert_eq!(elsewhere.faults(), ["query.cursor"]);
    // The last message of the first page is deleted: the branch cannot be continued.
    let fewer = json!({"messages": [{"role": "user", "content": "x"}]});
    user.put(&format!("/api/conversations/{home}/payload"), fewer).await.ok();
    let gone = user.get(&format!("/api/conversations/{home}/messages?cursor={cursor}")).await;
    assert_eq!(gone.faults(), ["query.cursor"]);
    for stranger in [server.stranger(), server.editor(), server.admin()] {
        for list in ["messages", "outline"] {
            stranger.get(&format!("/api/conversations/{home}/{list}")).await.not_found();
        }
    }
}
