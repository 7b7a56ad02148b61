//! Knowledge of assistants: their own files, texts and web pages, and attached knowledge bases.

use crate::api::knowledge_bases::scene::{base, form, post_form, private, shown, upload};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Answer, Client, TestServer, text};
use reqwest::Method;
use serde_json::{Value, json};

async fn assistant(client: &Client, body: Value) -> String {
    format!("/api/assistants/{}", text(&client.post("/api/assistants", body).await.created()["id"]))
}

fn granted(server: &TestServer, level: &str) -> Value {
    json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": level}])
}

fn tides() -> Vec<u8> {
    form(&[], &[("tides.md", "text/markdown", b"The moon pulls the sea.")])
}

#[tokio::test]
async fn assistant_stores_its_own_files() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada"})).await;
    let path = format!("{ada}/files");
    assert_eq!(editor.get(&path).await.ok()["items"], json!([]));
    let made = post_form(&editor, &format!("{path}?wait=true"), tides()).await.created();
    assert_eq!(made["message"], "1 file was added");
    let file = &made["files"][0];
    assert_eq!((&file["status"], &file["existing"]), (&json!("ready"), &json!(false)));
    let again = post_form(&editor, &path, tides()).await.created();
    assert_eq!((&again["files"][0]["id"], &again["files"][0]["existing"]), (&file["id"], &json!(true)));
    let listed = editor.get(&path).await.ok();
    assert_eq!(
        (listed["items"].as_array().unwrap().len(), &listed["items"][0]["title"]),
        (1, &json!("tides.md"))
    );
    let one = format!("{path}/{}", text(&file["id"]));
    editor.put(&one, json!({"title": "Of tides"})).await.ok();
    assert_eq!(editor.get(&path).await.ok()["items"][0]["title"], "Of tides");
    // An editor of the assistant can read its sources.
    let own = text(&file["knowledge_base_id"]);
    let content = format!("/api/knowledge-bases/{own}/documents/{}/content", text(&file["id"]));
    assert_eq!(editor.get(&content).await.expect(200).body, b"The moon pulls the sea.");
    let gone = editor.delete(&one).await.ok();
    assert_eq!(gone["file_id"], file["id"]);
    editor.delete(&one).await.not_found();
    assert_eq!(editor.get(&path).await.ok()["items"], json!([]));
}

#[tokio::test]
async fn assistant_texts_are_stored_as_documents() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada"})).await;
    let path = format!("{ada}/content?wait=true");
    let body = json!({"content": "# Opening hours\n\nFrom nine to five."});
    let made = editor.post(&path, body.clone()).await.created();
    let document = &made["document"];
    assert_eq!((&document["title"], &document["source"]), (&json!("Opening hours"), &json!("text")));
    assert_eq!(document["status"], "ready");
    assert_eq!(editor.post(&path, body).await.created()["document"]["id"], document["id"]);
    assert_eq!(editor.get(&format!("{ada}/files")).await.ok()["items"][0]["id"], document["id"]);
    assert_eq!(editor.post(&path, json!({"content": " \n"})).await.faults(), ["body.content"]);
    assert_eq!(editor.post(&path, json!({"title": ""})).await.faults(), ["body.content", "body.title"]);
}

#[tokio::test]
async fn assistant_pages_are_listed_among_its_web_links() {
    let (server, web) = (TestServer::start().await, CountingServer::start().await);
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada"})).await;
    web.always("/robots.txt", Reply::status(404));
    web.always("/tides", Reply::body("text/plain", "The moon pulls the sea."));
    let path = format!("{ada}/web-links");
    let link = editor.post(&format!("{path}?wait=true"), json!({"url": web.url("/tides")})).await.created();
    assert_eq!((&link["status"], &link["url"]), (&json!("ready"), &json!(web.url("/tides"))), "{link}");
    assert_eq!(editor.get(&ada).await.ok()["web_links"], json!([web.url("/tides")]));
    assert_eq!(editor.get(&path).await.ok()["items"][0]["id"], link["id"]);
    assert_eq!(editor.get(&format!("{ada}/files")).await.ok()["items"], json!([]), "a page is not a file");
    // Adding the same address again returns the same page.
    let again =
        editor.post(&format!("{path}?wait=true"), json!({"url": web.url("/tides#x")})).await.created();
    assert_eq!((&again["id"], &again["existing"]), (&link["id"], &json!(true)));
    assert_eq!(
        (web.count("/tides"), &editor.get(&ada).await.ok()["web_links"]),
        (2, &json!([web.url("/tides")]))
    );
    // Lists all sources of the assistant, including those of its knowledge bases.
    let shared = private(&editor).await;
    editor
        .post(&format!("/api/knowledge-bases/{shared}/links?wait=true"), json!({"url": web.url("/tides")}))
        .await
        .created();
    editor.post(&format!("{ada}/knowledge-bases"), json!({"knowledge_base_id": shared})).await.created();
    let known = editor.get(&format!("{ada}/links")).await.ok();
    assert_eq!(
        (&known["total"], &known["items"][0]["own"], &known["items"][1]["own"]),
        (&json!(2), &json!(true), &json!(false))
    );
    let one = format!("{path}/{}", text(&link["id"]));
    editor.delete(&one).await.no_content();
    editor.delete(&one).await.not_found();
    assert_eq!(editor.get(&ada).await.ok()["web_links"], json!([]));
    assert_eq!(editor.get(&format!("{ada}/links")).await.ok()["total"], 1);
}

#[tokio::test]
async fn knowledge_bases_are_attached_changed_and_detached() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada"})).await;
    let path = format!("{ada}/knowledge-bases");
    let one = private(&editor).await;
    let attached = editor.post(&path, json!({"knowledge_base_id": one})).await.created();
    assert_eq!(attached["id"], json!(one));
    editor.post(&path, json!({"knowledge_base_id": one})).await.created();
    let made = editor.post(&format!("{path}/create-and-attach"), json!({"name": "New"})).await.created();
    let other = text(&made["id"]);
    let listed = editor.get(&path).await.ok();
    let ids: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| text(&item["id"])).collect();
    assert_eq!(ids, [one.clone(), other.clone()]);
    assert_eq!(editor.get(&ada).await.ok()["knowledge_bases"], json!([one, other]));
    let changed = editor.put(&format!("{path}/{other}"), json!({"name": "Newer"})).await.ok();
    assert_eq!(changed["name"], "Newer");
    upload(&editor, &other, "a.md", "The moon pulls the sea.").await.created();
    let documents = editor.get(&format!("{path}/{other}/documents?status=ready")).await.ok();
    assert_eq!(documents["items"][0]["title"], "a.md");
    editor.delete(&format!("{path}/{one}")).await.no_content();
    editor.delete(&format!("{path}/{one}")).await.not_found();
    editor.get(&format!("{path}/{one}/documents")).await.not_found();
    editor.put(&format!("{path}/{one}"), json!({"name": "x"})).await.not_found();
    shown(&editor, &one).await;
    assert_eq!(
        editor
            .post(&path, json!({"knowledge_base_id": "01890000-0000-7000-8000-000000000000"}))
            .await
            .faults(),
        ["body.knowledge_base_id"]
    );
    // A faulty request creates nothing.
    editor.post(&format!("{path}/create-and-attach"), json!({"name": ""})).await.expect(422);
    assert_eq!(editor.get("/api/knowledge-bases").await.ok()["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn knowledge_bases_attached_concurrently_are_all_stored() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada"})).await;
    let path = format!("{ada}/knowledge-bases/create-and-attach");
    let answers = (0..10).map(|number| editor.post(&path, json!({"name": format!("Base {number}")})));
    for answer in futures::future::join_all(answers).await {
        answer.created();
    }
    assert_eq!(editor.get(&ada).await.ok()["knowledge_bases"].as_array().unwrap().len(), 10);
    // The first files arrive concurrently. They create the assistant's own knowledge base only once.
    let contents = (0..10).map(|number| format!("Moon number {number}.")).collect::<Vec<_>>();
    let added = contents.iter().map(|content| {
        let (editor, path) = (&editor, format!("{ada}/content"));
        async move { editor.post(&path, json!({"content": content})).await }
    });
    let bases: std::collections::HashSet<_> = futures::future::join_all(added)
        .await
        .iter()
        .map(|answer| text(&answer.created()["document"]["knowledge_base_id"]))
        .collect();
    assert_eq!(bases.len(), 1);
    assert_eq!(editor.get(&format!("{ada}/files")).await.ok()["items"].as_array().unwrap().len(), 10);
}

/// Calls every knowledge operation of an assistant and returns the name and the response of each.
async fn all(client: &Client, ada: &str, base: &str, file: &str) -> Vec<(&'static str, Answer)> {
    let at = |path: String| format!("{ada}/{path}");
    vec![
        ("files", client.get(&at("files".into())).await),
        ("web links", client.get(&at("web-links".into())).await),
        ("links", client.get(&at("links".into())).await),
        ("bases", client.get(&at("knowledge-bases".into())).await),
        ("documents", client.get(&at(format!("knowledge-bases/{base}/documents"))).await),
        ("upload", post_form(client, &at("files".into()), tides()).await),
        ("rename", client.put(&at(format!("files/{file}")), json!({"title": "x"})).await),
        ("delete", client.delete(&at(format!("files/{file}"))).await),
        ("content", client.post(&at("content".into()), json!({"content": "x"})).await),
        ("link", client.post(&at("web-links".into()), json!({"url": "http://127.0.0.1:1/"})).await),
        ("unlink", client.delete(&at(format!("web-links/{file}"))).await),
        ("attach", client.post(&at("knowledge-bases".into()), json!({"knowledge_base_id": base})).await),
        ("change", client.put(&at(format!("knowledge-bases/{base}")), json!({"name": "x"})).await),
        ("detach", client.delete(&at(format!("knowledge-bases/{base}"))).await),
        ("make", client.post(&at("knowledge-bases/create-and-attach".into()), json!({"name": "x"})).await),
    ]
}

#[tokio::test]
async fn assistant_knowledge_is_hidden_from_users_who_may_only_use_it() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let ada = assistant(&editor, json!({"name": "Ada", "grants": granted(&server, "viewer")})).await;
    let shared = base(&editor, json!({"name": "Shared", "grants": granted(&server, "viewer")})).await;
    editor.post(&format!("{ada}/knowledge-bases"), json!({"knowledge_base_id": shared})).await.created();
    let made = post_form(&editor, &format!("{ada}/files?wait=true"), tides()).await.created();
    let (file, own) = (text(&made["files"][0]["id"]), text(&made["files"][0]["knowledge_base_id"]));
    for (name, answer) in all(&server.user(), &ada, &shared, &file).await {
        let code = answer.expect(403).json()["code"].clone();
        let asked = if name == "make" { "role_missing" } else { "not_allowed" };
        assert_eq!(code, asked, "{name}: {answer:?}");
    }
    for client in [server.user(), server.stranger(), server.admin()] {
        let seen = client.get(&format!("/api/knowledge-bases/{own}/documents/{file}/content")).await.status;
        let manages = client.bearer() == server.admin().bearer();
        assert_eq!(seen, if manages { 200 } else { 404 });
    }
    for (name, answer) in all(&server.stranger(), &ada, &shared, &file).await {
        assert_eq!(answer.status, 404, "{name}: {answer:?}");
    }
}

#[tokio::test]
async fn assistant_editor_attaches_and_lists_only_bases_they_may_read() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let ada = assistant(&editor, json!({"name": "Ada", "grants": granted(&server, "editor")})).await;
    let path = format!("{ada}/knowledge-bases");
    let hidden = private(&editor).await;
    editor.post(&path, json!({"knowledge_base_id": hidden})).await.created();
    assert_eq!(user.get(&path).await.ok()["items"], json!([]));
    user.get(&format!("{path}/{hidden}/documents")).await.not_found();
    user.put(&format!("{path}/{hidden}"), json!({"name": "x"})).await.not_found();
    let other = private(&editor).await;
    let refused = user.post(&path, json!({"knowledge_base_id": other})).await;
    assert_eq!(refused.faults(), ["body.knowledge_base_id"]);
    let readable = base(&editor, json!({"name": "Open", "grants": granted(&server, "viewer")})).await;
    user.post(&path, json!({"knowledge_base_id": readable})).await.created();
    user.put(&format!("{path}/{readable}"), json!({"name": "x"})).await.problem(403, "not_allowed");
    assert_eq!(user.get(&path).await.ok()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn own_knowledge_is_not_listed_and_cannot_be_attached_elsewhere() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (ada, bob) =
        (assistant(&editor, json!({"name": "Ada"})).await, assistant(&editor, json!({"name": "Bob"})).await);
    let made = post_form(&editor, &format!("{ada}/files"), tides()).await.created();
    let own = text(&made["files"][0]["knowledge_base_id"]);
    assert_eq!(editor.get("/api/knowledge-bases").await.ok()["items"], json!([]));
    assert_eq!(editor.get(&format!("{ada}/knowledge-bases")).await.ok()["items"], json!([]));
    let refused = editor.post(&format!("{bob}/knowledge-bases"), json!({"knowledge_base_id": own})).await;
    assert_eq!(refused.faults(), ["body.knowledge_base_id"]);
    let path = format!("/api/knowledge-bases/{own}");
    editor.delete(&path).await.problem(403, "not_allowed");
    editor.patch(&path, json!({"visibility": "tenant"})).await.problem(403, "not_allowed");
    // The index of the own knowledge base can be rebuilt like any other.
    editor.post(&format!("{path}/reindex"), json!({})).await.expect(202);
    let file = format!("{bob}/files/{}", text(&made["files"][0]["id"]));
    editor.delete(&file).await.not_found();
    editor.put(&file, json!({"title": "x"})).await.not_found();
}

#[tokio::test]
async fn assistant_knowledge_operations_require_scopes() {
    let server = TestServer::start().await;
    let ada = assistant(&server.admin(), json!({"name": "Ada"})).await;
    let reading = server.token(&["assistants:read"]).await;
    reading.get(&format!("{ada}/files")).await.ok();
    post_form(&reading, &format!("{ada}/files"), tides()).await.problem(403, "scope_missing");
    let bare = reading.request(Method::POST, &format!("{ada}/content")).json(&json!({"content": "x"}));
    Client::send(bare).await.problem(403, "scope_missing");
    let knowing = server.token(&["knowledge:read", "knowledge:write"]).await;
    knowing.get(&format!("{ada}/files")).await.problem(403, "scope_missing");
    let writing = server.token(&["assistants:write"]).await;
    post_form(&writing, &format!("{ada}/files"), tides()).await.created();
}
