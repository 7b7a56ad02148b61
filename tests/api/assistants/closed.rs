//! Knowledge bases of a shared assistant that some of its users cannot read. The response names these principals to the
//! person who shares the assistant, and an answer reports that knowledge bases were left out.

use serde_json::{Value, json};

use crate::api::knowledge_bases::scene::{base, private, upload};
use crate::api::people::company::{group, join};
use crate::api::streams::reading::{ask, conversation};
use crate::harness::{Client, TestServer, text};

fn to(kind: &str, id: &str, level: &str) -> Value {
    json!({"principal": {"kind": kind, "id": id}, "level": level})
}

fn one(kind: &str, id: &str) -> Value {
    json!({"kind": kind, "id": id})
}

async fn assistant(client: &Client, body: Value) -> String {
    format!("/api/assistants/{}", text(&client.post("/api/assistants", body).await.created()["id"]))
}

/// Returns the principals that cannot read the only closed base of an assistant.
fn closed_to(shown: &Value) -> &Value {
    assert_eq!(shown["closed_knowledge_bases"].as_array().map(Vec::len), Some(1), "{shown}");
    &shown["closed_knowledge_bases"][0]["closed_to"]
}

#[tokio::test]
async fn sharing_an_assistant_reports_closed_bases_with_the_principals() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user_person().id.clone());
    let (_, ada) = join(&server, "ada").await;
    let sailors = group(&server, "Sailors", &[&ada]).await;
    let crew = json!({"name": "Crew", "members": [one("group", &sailors)]});
    let crew = text(&editor.post("/api/teams", crew).await.created()["id"]);
    let logs = base(&editor, json!({"name": "Logs"})).await;
    let open = base(&editor, json!({"name": "Open", "visibility": "tenant"})).await;
    let bot = assistant(&editor, json!({"name": "Bot", "knowledge_bases": [logs, open]})).await;
    let alone = editor.get(&bot).await.ok();
    assert!(alone.get("closed_knowledge_bases").is_none(), "only the owner uses it: {alone}");

    let grants =
        json!([to("user", &user, "viewer"), to("group", &sailors, "viewer"), to("team", &crew, "viewer")]);
    let shared = editor.patch(&bot, json!({"grants": grants})).await.ok();
    let told = &shared["closed_knowledge_bases"];
    let all = json!([one("user", &user), one("group", &sailors), one("team", &crew)]);
    assert_eq!(*told, json!([{"knowledge_base_id": logs, "name": "Logs", "closed_to": all}]));
    assert_eq!(editor.get(&bot).await.ok()["closed_knowledge_bases"], *told);
    let listed = editor.get(&format!("{bot}/knowledge-bases")).await.ok();
    assert_eq!(listed["items"][0]["closed_to"], all);
    assert!(listed["items"][1].get("closed_to").is_none(), "{listed}");

    // A grant to the group also covers the team made of it; the owner of the team owns the base as well.
    let rights = json!({"grants": [to("group", &sailors, "viewer")]});
    editor.patch(&format!("/api/knowledge-bases/{logs}"), rights).await.ok();
    assert_eq!(*closed_to(&editor.get(&bot).await.ok()), json!([one("user", &user)]));
    // A grant to the team also covers the group.
    let rights = json!({"grants": [to("team", &crew, "viewer"), to("user", &user, "viewer")]});
    editor.patch(&format!("/api/knowledge-bases/{logs}"), rights).await.ok();
    assert!(editor.get(&bot).await.ok().get("closed_knowledge_bases").is_none());
    // Visibility for the whole tenant is wider than these grants.
    let everybody = editor.patch(&bot, json!({"visibility": "tenant"})).await.ok();
    let tenant = server.user_person().tenant.clone();
    assert_eq!(*closed_to(&everybody), json!([one("tenant", &tenant)]));

    // A base that is attached to an already shared assistant is reported in the response.
    let late = private(&editor).await;
    let attached =
        editor.post(&format!("{bot}/knowledge-bases"), json!({"knowledge_base_id": late})).await.created();
    assert_eq!(attached["closed_to"].as_array().map(Vec::len), Some(4), "{attached}");
}

#[tokio::test]
async fn bases_closed_to_the_reader_are_not_listed() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants = json!([to("user", &server.user_person().id, "editor")]);
    let logs = private(&editor).await;
    let bot = assistant(&editor, json!({"name": "Bot", "grants": grants, "knowledge_bases": [logs]})).await;
    assert_eq!(closed_to(&editor.get(&bot).await.ok()).as_array().map(Vec::len), Some(1));
    assert!(user.get(&bot).await.ok().get("closed_knowledge_bases").is_none());
    // A base that the user may read and the owner of the assistant may not: it is reported to the user, not to the
    // owner.
    let own = base(&server.admin(), json!({"name": "Theirs", "grants": grants})).await;
    user.post(&format!("{bot}/knowledge-bases"), json!({"knowledge_base_id": own})).await.created();
    let told = user.get(&bot).await.ok();
    assert_eq!(*closed_to(&told), json!([one("user", &server.editor_person().id)]));
    assert_eq!(closed_to(&editor.get(&bot).await.ok()).as_array().map(Vec::len), Some(1));
    // A user who may only use the assistant does not see its knowledge bases.
    let grants = json!([to("user", &server.user_person().id, "viewer")]);
    editor.patch(&bot, json!({"grants": grants})).await.ok();
    assert!(user.get(&bot).await.ok().get("closed_knowledge_bases").is_none());
}

#[tokio::test]
async fn answer_reports_that_closed_bases_were_left_out() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let (logs, open) =
        (private(&editor).await, base(&editor, json!({"name": "Open", "visibility": "tenant"})).await);
    upload(&editor, &logs, "secret.md", "Maud Ferris keeps the lighthouse.").await.created();
    upload(&editor, &open, "open.md", "The lighthouse is kept by night.").await.created();
    let body = json!({"name": "Bot", "visibility": "tenant", "knowledge_bases": [logs, open]});
    let bot = assistant(&editor, body).await;
    let id = bot.rsplit('/').next().expect("an id").to_owned();
    let asked = async |client: &Client| {
        let home = conversation(client).await;
        let fields = json!({"message": "Who keeps the lighthouse by night?", "assistant_id": id});
        ask(client, &home, fields).await.events().await
    };
    let events = asked(&user).await;
    let kinds: Vec<_> = events.iter().map(|event| text(&event["type"])).collect();
    let told: Vec<_> = events.iter().filter(|event| event["type"] == "knowledge.closed").collect();
    assert_eq!((told.len(), &told[0]["data"]), (1, &json!({"count": 1})), "{kinds:?}");
    let place = |kind: &str| kinds.iter().position(|other| other == kind);
    assert!(place("knowledge.closed") < place("source"), "{kinds:?}");
    let all = json!(events).to_string();
    assert!(!all.contains(&logs) && !all.contains("Maud"), "{all}");
    let of_owner = asked(&editor).await;
    assert!(of_owner.iter().all(|event| event["type"] != "knowledge.closed"));
}
