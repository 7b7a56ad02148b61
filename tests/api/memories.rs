//! Memories of users: private, limited, and added to prompts only if the user allows it.

use serde_json::{Value, json};
use storage::records::{Memory, UsageRecord};
use storage::{Scan, TenantId, Timestamp};

use super::streams::reading::{ask, conversation, messages, server, terminal, unlimited};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, Person, TestServer, text};

const PATH: &str = "/api/memories";

async fn remember(client: &Client, content: &str) -> Value {
    client.post(PATH, json!({"content": content})).await.created()
}

/// Returns the memories at `path`, which are those for all assistants or those of one.
async fn contents(client: &Client, path: &str) -> Vec<String> {
    let list = client.get(path).await.ok();
    list["items"].as_array().expect("items").iter().map(|memory| text(&memory["content"])).collect()
}

/// Stores memories that no operation would create: in any number, and expired ones.
async fn seed(server: &TestServer, of: &Person, memories: Vec<Memory>) {
    let (tenant, user) = (TenantId(of.tenant.parse().unwrap()), of.id.parse().unwrap());
    let put = server.store().run::<_, storage::Error>(move |tx| {
        for memory in &memories {
            tx.insert(tenant, (user, storage::new_id()), memory.clone())?;
        }
        Ok(())
    });
    put.await.unwrap();
}

fn memory(content: String) -> Memory {
    Memory { content, ..Memory::default() }
}

#[tokio::test]
async fn memory_is_created_changed_and_deleted() {
    let server = TestServer::start().await;
    let user = server.user();
    let made = remember(&user, "  Likes tea. ").await;
    assert_eq!(made["content"], "Likes tea.");
    assert_eq!((&made["source"], &made["version"]), (&json!("manual"), &json!(1)));
    assert_eq!((&made["assistant_id"], &made["expires_at"]), (&Value::Null, &Value::Null));
    let path = format!("{PATH}/{}", text(&made["id"]));
    let until = "2099-01-01T00:00:00.000Z";
    let changed = user.patch(&path, json!({"expires_at": until, "version": 1})).await;
    assert_eq!(changed.header("etag"), Some("\"2\""));
    let changed = changed.ok();
    assert_eq!((&changed["content"], &changed["expires_at"]), (&json!("Likes tea."), &json!(until)));
    user.patch(&path, json!({"content": "x", "version": 1})).await.problem(412, "stale");
    let stale = user.request(reqwest::Method::PATCH, &path).header("if-match", "\"1\"");
    Client::send(stale.json(&json!({"content": "x"}))).await.problem(412, "stale");
    let changed = user.patch(&path, json!({"content": "Likes coffee.", "expires_at": null})).await.ok();
    assert_eq!((&changed["content"], &changed["expires_at"]), (&json!("Likes coffee."), &Value::Null));
    let server = server.restart().await;
    let user = server.user();
    assert_eq!(contents(&user, PATH).await, ["Likes coffee."]);
    user.delete(&path).await.no_content();
    user.delete(&path).await.not_found();
    user.patch(&path, json!({})).await.not_found();
    assert_eq!(contents(&user, PATH).await, Vec::<String>::new());
}

#[tokio::test]
async fn memory_is_accessible_to_its_owner_only() {
    let server = TestServer::start().await;
    let user = server.user();
    let path = format!("{PATH}/{}", text(&remember(&user, "A secret.").await["id"]));
    let acting = json!({"user_id": server.user_person().id, "reason": "to see"});
    let acting = server.admin().post("/api/auth/impersonate", acting).await.created();
    for other in [server.admin(), server.editor(), server.stranger()] {
        assert_eq!(contents(&other, &format!("{PATH}?with_assistants=true")).await, Vec::<String>::new());
        other.patch(&path, json!({"content": "mine"})).await.not_found();
        other.delete(&path).await.not_found();
    }
    let acting = server.client(&text(&acting["access_token"]));
    for answer in [
        acting.get(PATH).await,
        acting.post(PATH, json!({"content": "planted"})).await,
        acting.patch(&path, json!({"content": "planted"})).await,
        acting.delete(&path).await,
    ] {
        answer.problem(403, "impersonation_limited");
    }
    assert_eq!(contents(&user, PATH).await, ["A secret."]);
    let reader = server.token(&["memories:read"]).await;
    reader.get(PATH).await.ok();
    reader.post(PATH, json!({"content": "x"})).await.problem(403, "scope_missing");
    let writer = server.token(&["memories:write"]).await;
    writer.post(PATH, json!({"content": "x"})).await.created();
    writer.get(PATH).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn memories_of_an_assistant_are_separate_for_each_user() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let shared = json!({"name": "Shared", "visibility": "tenant"});
    let shared = text(&editor.post("/api/assistants", shared).await.created()["id"]);
    let private = text(&editor.post("/api/assistants", json!({"name": "Own"})).await.created()["id"]);
    let of = |assistant: &str| format!("{PATH}/assistant/{assistant}");
    let for_shared = |content: &str| json!({"content": content, "assistant_id": shared});
    let of_user = user.post(PATH, for_shared("Of the user.")).await.created();
    editor.post(PATH, for_shared("Of the editor.")).await.created();
    remember(&user, "For all.").await;
    assert_eq!(contents(&user, &of(&shared)).await, ["Of the user."]);
    assert_eq!(contents(&editor, &of(&shared)).await, ["Of the editor."]);
    assert_eq!(contents(&user, PATH).await, ["For all."]);
    let all = format!("{PATH}?with_assistants=true");
    assert_eq!(contents(&user, &all).await, ["Of the user.", "For all."]);
    // A caller who cannot see the assistant gets 404, and cannot store memories for it.
    user.get(&of(&private)).await.not_found();
    server.stranger().get(&of(&shared)).await.not_found();
    let hidden = json!({"content": "x", "assistant_id": private});
    assert_eq!(user.post(PATH, hidden.clone()).await.faults(), ["body.assistant_id"]);
    let path = format!("{PATH}/{}", text(&of_user["id"]));
    assert_eq!(user.patch(&path, hidden).await.faults(), ["body.assistant_id"]);
    // Permanent deletion of an assistant removes its memories of all users.
    editor.delete(&format!("/api/assistants/{shared}")).await.ok();
    user.get(&of(&shared)).await.not_found();
    editor.delete(&format!("/api/assistants/{shared}/permanent")).await;
    assert_eq!(contents(&user, &all).await, ["For all."]);
    assert_eq!(contents(&editor, &all).await, Vec::<String>::new());
    server.stored().await;
}

#[tokio::test]
async fn memory_operations_report_faults_and_page_lists() {
    let server = TestServer::start().await;
    let user = server.user();
    let faults = [
        (json!({}), "body.content"),
        (json!({"content": " \n"}), "body.content"),
        (json!({"content": "x".repeat(2_001)}), "body.content"),
        (json!({"content": "x", "expires_at": "2020-01-01T00:00:00Z"}), "body.expires_at"),
        (json!({"content": "x", "source": "auto"}), "body.source"),
    ];
    for (body, place) in faults {
        assert_eq!(user.post(PATH, body.clone()).await.faults(), [place], "{body}");
    }
    let long = remember(&user, &"é".repeat(2_000)).await;
    let path = format!("{PATH}/{}", text(&long["id"]));
    assert_eq!(user.patch(&path, json!({"content": null})).await.faults(), ["body.content"]);
    user.delete(&path).await.no_content();
    for number in 0..5 {
        remember(&user, &number.to_string()).await;
    }
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let page = user.get(&format!("{PATH}?limit=2{next}")).await.ok();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2);
        seen.extend(items.iter().map(|memory| text(&memory["content"])));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        next = format!("&cursor={cursor}");
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    assert_eq!(contents(&user, &format!("{PATH}?source=auto")).await, Vec::<String>::new());
    assert_eq!(contents(&user, &format!("{PATH}?source=manual&limit=1")).await, ["0"]);
    assert_eq!(user.get(&format!("{PATH}?source=x&limit=0")).await.faults(), ["query.limit", "query.source"]);
}

#[tokio::test]
async fn expired_memories_are_removed_and_make_room() {
    let server = server().await;
    let user = server.user();
    let mut seeded: Vec<_> = (0..997).map(|number| memory(format!("m{number}"))).collect();
    let past = Some(Timestamp::from_millis(1));
    seeded.extend((0..5).map(|number| Memory { expires_at: past, ..memory(format!("over {number}")) }));
    seed(&server, server.user_person(), seeded).await;
    let last = contents(&user, &format!("{PATH}?limit=200")).await;
    assert!(last.iter().all(|content| content.starts_with('m')), "{last:?}");
    // Three more memories fit, however many requests arrive at once.
    let posts = (0..8).map(|number| user.post(PATH, json!({"content": format!("new {number}")})));
    let answers = futures::future::join_all(posts).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 3, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.problem(409, "limit_reached");
    }
    let one = user.get(&format!("{PATH}?limit=1")).await.ok();
    user.delete(&format!("{PATH}/{}", text(&one["items"][0]["id"]))).await.no_content();
    remember(&user, "fits again").await;
    remember(&server.editor(), "others have room of their own").await;
}

async fn with_provider() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let config = provider.config();
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![config];
    });
    (server.await, provider)
}

/// Returns the whole prompt that a model receives with a message.
async fn prompt_of(provider: &FakeProvider, client: &Client, mut fields: Value) -> String {
    let before = provider.requests().await.len();
    fields["model"] = json!("fake/echo");
    let home = conversation(client).await;
    assert_eq!(terminal(&ask(client, &home, fields).await.events().await)["status"], "succeeded");
    let requests = provider.requests().await;
    assert_eq!(requests.len(), before + 1);
    requests[before].to_string()
}

#[tokio::test]
async fn prompts_contain_only_the_callers_memories() {
    let (server, provider) = with_provider().await;
    let (editor, user, stranger) = (server.editor(), server.user(), server.stranger());
    let assistant = json!({"name": "Shared", "visibility": "tenant"});
    let assistant = text(&editor.post("/api/assistants", assistant).await.created()["id"]);
    let forgotten = remember(&user, "forgotten-fact").await;
    remember(&user, "user-fact\n- with a line").await;
    user.post(PATH, json!({"content": "user-assistant-fact", "assistant_id": assistant})).await.created();
    editor.post(PATH, json!({"content": "editor-assistant-fact", "assistant_id": assistant})).await.created();
    remember(&editor, "editor-fact").await;
    remember(&stranger, "stranger-fact").await;
    user.delete(&format!("{PATH}/{}", text(&forgotten["id"]))).await.no_content();
    let past = Some(Timestamp::from_millis(1));
    seed(&server, server.user_person(), vec![Memory { expires_at: past, ..memory("over-fact".into()) }])
        .await;

    let plain = json!({"message": "hello"});
    let with_assistant = json!({"message": "hello", "assistant_id": assistant});
    let facts = [
        "user-fact",
        "user-assistant-fact",
        "editor-fact",
        "editor-assistant-fact",
        "stranger-fact",
        "forgotten-fact",
        "over-fact",
    ];
    let cases: [(&Client, &Value, &[&str]); 5] = [
        (&user, &plain, &["user-fact"]),
        (&user, &with_assistant, &["user-fact", "user-assistant-fact"]),
        (&editor, &plain, &["editor-fact"]),
        (&editor, &with_assistant, &["editor-fact", "editor-assistant-fact"]),
        (&stranger, &plain, &["stranger-fact"]),
    ];
    for (client, fields, expected) in cases {
        let prompt = prompt_of(&provider, client, fields.clone()).await;
        let told: Vec<&str> = facts.into_iter().filter(|fact| prompt.contains(fact)).collect();
        assert_eq!(told, expected, "{prompt}");
    }
    let prompt = prompt_of(&provider, &user, plain.clone()).await;
    assert!(prompt.contains("user-fact - with a line"), "each memory is on one line: {prompt}");
    // A user who disables memories gets prompts without them, and can enable them again.
    user.patch("/api/users/preferences", json!({"use_memories": false})).await.ok();
    let prompt = prompt_of(&provider, &user, with_assistant).await;
    assert!(!prompt.contains("-fact") && !prompt.contains("remember"), "{prompt}");
    user.patch("/api/users/preferences", json!({"use_memories": null})).await.ok();
    assert!(prompt_of(&provider, &user, plain).await.contains("user-fact"));
}

#[tokio::test]
async fn prompts_contain_only_the_latest_memories() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    for number in 0..6 {
        remember(&user, &format!("fact-{number} {}", "x".repeat(1_900))).await;
    }
    let prompt = prompt_of(&provider, &user, json!({"message": "hello"})).await;
    let told: Vec<_> = (0..6).filter(|number| prompt.contains(&format!("fact-{number}"))).collect();
    assert_eq!(told, [3, 4, 5]);
    assert!(prompt.matches('x').count() < 6_000);
}

#[tokio::test]
async fn message_names_the_memories_that_its_model_was_given() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    let first = text(&remember(&user, "Lives in Bergen.").await["id"]);
    let second = text(&remember(&user, "Likes tea.").await["id"]);
    let home = conversation(&user).await;
    let fields = json!({"message": "hello", "model": "fake/echo"});
    let events = ask(&user, &home, fields.clone()).await.events().await;
    let given: Vec<&Value> = events.iter().filter(|event| event["type"] == "memories").collect();
    assert_eq!(given.len(), 1, "{events:?}");
    assert_eq!(given[0]["data"], json!({"memory_ids": [first, second]}));
    let all = messages(&user, &home).await;
    assert_eq!(all[0].get("memory_ids"), None, "a question has none");
    assert_eq!(all[1]["memory_ids"], json!([first, second]));
    // They can be read by their ids, in this order; those that do not exist any more are omitted.
    user.delete(&format!("{PATH}/{first}")).await.no_content();
    let by_ids = |client: Client| {
        let query = format!("{PATH}?ids={second}&ids={first}");
        async move { contents(&client, &query).await }
    };
    assert_eq!(by_ids(user.clone()).await, ["Likes tea."]);
    assert_eq!(by_ids(server.editor()).await, Vec::<String>::new(), "they belong to another user");
    // A replacement of the messages retains the ids, as it retains everything that the server has recorded.
    let path = format!("/api/conversations/{home}");
    user.put(&format!("{path}/payload"), json!({"messages": all})).await.ok();
    assert_eq!(messages(&user, &home).await[1]["memory_ids"], json!([first, second]));
    user.patch("/api/users/preferences", json!({"use_memories": false})).await.ok();
    let events = ask(&user, &home, fields).await.events().await;
    assert!(events.iter().all(|event| event["type"] != "memories"), "{events:?}");
}

#[tokio::test]
async fn message_names_at_most_a_hundred_memories() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    seed(&server, server.user_person(), (0..150).map(|n| memory(format!("fact {n}"))).collect()).await;
    let home = conversation(&user).await;
    ask(&user, &home, json!({"message": "hello", "model": "fake/echo"})).await.rest().await;
    let all = messages(&user, &home).await;
    let given: Vec<String> = all[1]["memory_ids"].as_array().expect("ids").iter().map(text).collect();
    assert_eq!(given.len(), 100);
    let query = given[..100].iter().map(|id| format!("ids={id}")).collect::<Vec<_>>().join("&");
    let told = contents(&user, &format!("{PATH}?{query}")).await;
    assert_eq!((told[0].as_str(), told[99].as_str()), ("fact 50", "fact 149"));
}

#[tokio::test]
async fn models_store_memories_only_if_the_user_allows_it() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let tell = async || {
        let home = conversation(&user).await;
        let fields = json!({"message": "Remember that I live in Bergen.", "model": "builtin/scribe"});
        let events = ask(&user, &home, fields).await.events().await;
        assert_eq!(terminal(&events)["status"], "succeeded");
        let result = events.iter().find(|event| event["type"] == "tool.result");
        (home, result.map(|event| event["data"]["output"].clone()))
    };
    let offered = "\"name\":\"remember\"";
    tell().await;
    assert!(!prompt_of(&provider, &user, json!({"message": "hello"})).await.contains(offered));
    assert_eq!(contents(&user, PATH).await, Vec::<String>::new());

    user.patch("/api/users/preferences", json!({"make_memories": true})).await.ok();
    let (home, stored) = tell().await;
    let stored = stored.expect("a result");
    let (_, again) = tell().await;
    assert_eq!(
        (&stored["known_before"], &again.expect("a result")["memory_id"]),
        (&json!(false), &stored["memory_id"])
    );
    let list = user.get(&format!("{PATH}?source=auto")).await.ok();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "the same again changes nothing: {list}");
    assert_eq!(items[0]["content"], "I live in Bergen.");
    assert_eq!(items[0]["conversation_id"], json!(home));
    assert_eq!(items[0]["id"], stored["memory_id"]);
    let prompt = prompt_of(&provider, &user, json!({"message": "hello"})).await;
    assert!(prompt.contains("I live in Bergen.") && prompt.contains(offered), "{prompt}");
    assert_eq!(contents(&server.editor(), PATH).await, Vec::<String>::new());

    user.patch("/api/users/preferences", json!({"make_memories": null})).await.ok();
    let path = format!("{PATH}/{}", text(&items[0]["id"]));
    user.delete(&path).await.no_content();
    tell().await;
    assert_eq!(contents(&user, PATH).await, Vec::<String>::new());
    // Memories in prompts are billed like other text; storing one costs nothing.
    let tenant = TenantId(server.user_person().tenant.parse().unwrap());
    let bills = server.store().read_now(|reader| reader.scan::<UsageRecord>(tenant, Scan::table())).unwrap();
    assert!(bills.items.iter().all(|bill: &storage::Row<UsageRecord>| bill.kind == "chat"));
}
