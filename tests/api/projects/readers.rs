//! What members of a project may do with the conversations of others in it: read them.

use reqwest::Method;
use serde_json::{Value, json};

use super::scene::{id, inside, let_in, listed, member, project, shared};
use crate::api::people::company::{group, join, leave};
use crate::api::streams::reading::{address, ask_words, asking, attach, server};
use crate::harness::{Client, TestServer, hidden, text};

/// The path of a conversation.
fn at(home: &str, rest: &str) -> String {
    format!("/api/conversations/{home}{rest}")
}

/// Creates a conversation of the user with an answer and a file, in a project that the editor views.
async fn told(server: &TestServer) -> (String, String, String) {
    let path = shared(server, "viewer").await;
    let home = inside(&server.user(), &path).await;
    let form = "--x\r\ncontent-disposition: form-data; name=\"message\"\r\n\r\nWhat are tides?\r\n\
        --x\r\ncontent-disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\ncontent-type: text/plain\r\n\r\n\
        The moon.\r\n--x--\r\n";
    let request = server.user().request(Method::POST, &at(&home, "/completion"));
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(form);
    let answer = Client::send(request).await;
    answer.expect(200);
    let stream = answer.header("x-stream-id").expect("a stream").to_owned();
    (path, home, stream)
}

#[tokio::test]
async fn members_can_read_conversations() {
    let server = server().await;
    let (_, home, stream) = told(&server).await;
    let (user, editor) = (server.user(), server.editor());
    let own = user.get(&at(&home, "")).await.ok();
    let seen = editor.get(&at(&home, "")).await.ok();
    assert_eq!((&own["read_only"], &seen["read_only"]), (&json!(false), &json!(true)));
    assert_eq!((&own["user_data"], &seen["user_data"]), (&json!({"mine": "marker"}), &json!({})));
    assert_eq!((&own["messages"], &own["title"]), (&seen["messages"], &seen["title"]));
    let blob = text(&own["messages"][0]["attachments"][0]["blob_id"]);
    let file = editor.get(&at(&home, &format!("/files/{blob}"))).await;
    assert_eq!(file.expect(200).text(), "The moon.");
    editor.get(&at(&home, "/skills")).await.ok();
    editor.get(&at(&home, "/streams/active")).await.no_content();
    let events = attach(&user, &home, &stream, "").await.events().await;
    assert_eq!(attach(&editor, &home, &stream, "").await.events().await, events);
    // A token needs the usual scope.
    let token = editor
        .post("/api/auth/api-tokens", json!({"name": "t", "scopes": ["projects:read"]}))
        .await
        .created();
    server.client(&text(&token["token"])).get(&at(&home, "")).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn members_cannot_write_to_conversations_of_others() {
    let server = server().await;
    let (_, home, stream) = told(&server).await;
    let skill = server.editor_person().id.clone();
    let before = server.user().get(&at(&home, "")).await.ok();
    let message = text(&before["messages"][0]["id"]);
    for level in ["viewer", "editor", "owner"] {
        let grant = json!([member("user", &server.editor_person().id, level)]);
        let_in(&server.user(), &format!("/api/projects/{}", text(&before["project_id"])), grant).await;
        let editor = server.editor();
        let writes = [
            (Method::PUT, at(&home, ""), json!({"title": "x"})),
            (Method::DELETE, at(&home, ""), Value::Null),
            (Method::POST, at(&home, "/completion"), json!({"message": "x"})),
            (Method::POST, at(&home, "/completion/"), json!({"message": "x"})),
            (Method::PUT, at(&home, "/message"), json!({"message_id": message, "content": "x"})),
            (
                Method::PUT,
                at(&home, "/message"),
                json!({"message_id": message, "feedback": {"rating": "up"}}),
            ),
            (Method::PUT, at(&home, "/payload"), json!({"messages": []})),
            (
                Method::POST,
                at(&home, "/signed-upload-url"),
                json!({"filename": "a", "media_type": "text/plain", "size": 1}),
            ),
            (Method::POST, at(&home, &format!("/skills/{skill}")), Value::Null),
            (Method::DELETE, at(&home, &format!("/skills/{skill}")), Value::Null),
            (Method::POST, at(&home, "/user_data"), json!({"user_data": {}})),
            (Method::POST, at(&home, "/user_data/mine"), json!({"value": 1})),
            (Method::DELETE, address(&home, &stream), Value::Null),
            (Method::POST, format!("/api/workflows/{skill}/runs/{home}/cancel"), Value::Null),
            (
                Method::POST,
                format!("/api/workflows/{skill}/runs/{home}/resume"),
                json!({"action": "continue"}),
            ),
        ];
        for (method, path, body) in writes {
            let request = editor.request(method.clone(), &path);
            let answer = Client::send(if body.is_null() { request } else { request.json(&body) }).await;
            assert_eq!(answer.status, 403, "{level}: {method} {path}: {answer:?}");
            assert_eq!(answer.json()["code"], "not_allowed");
        }
        let bulk = editor.post("/api/conversations/bulk-delete", json!({"conversation_ids": [home]})).await;
        assert_eq!(bulk.ok()["results"][0]["status"], "not_allowed");
    }
    assert_eq!(server.user().get(&at(&home, "")).await.ok(), before);
}

#[tokio::test]
async fn users_outside_the_project_cannot_read_it() {
    let server = server().await;
    let (path, home, stream) = told(&server).await;
    let (outsider, _) = join(&server, "outsider").await;
    // Administrators of the tenant see the project, but not its conversations.
    let admin = server.admin();
    admin.get(&path).await.ok();
    admin.get(&format!("{path}/conversations")).await.problem(403, "not_allowed");
    for other in [&admin, &outsider, &server.stranger()] {
        for rest in ["", "/skills", "/streams/active", &format!("/streams/{stream}")] {
            other.get(&at(&home, rest)).await.not_found();
        }
        other.delete(&at(&home, "")).await.not_found();
        other.put(&at(&home, ""), json!({"title": "x"})).await.not_found();
    }
    let feed = admin.request(Method::GET, &at(&home, "")).header("accept", "text/event-stream");
    Client::send(feed).await.not_found();
    // Members of a group can read for as long as they are in it.
    let (ada, person) = join(&server, "ada").await;
    let crew = group(&server, "Crew", &[&person]).await;
    let_in(&server.user(), &path, json!([member("group", &crew, "viewer")])).await;
    ada.get(&at(&home, "")).await.ok();
    leave(&server, &crew, &person).await;
    ada.get(&at(&home, "")).await.not_found();
    assert_eq!(listed(&server.editor(), &path).await, [home]);
}

#[tokio::test]
async fn disabled_feature_gives_no_access() {
    let server = server().await;
    let (path, home, _) = told(&server).await;
    let (user, editor) = (server.user(), server.editor());
    let off = hidden();
    server.admin().put("/api/tenant-admin/features/projects/visibility", off).await.ok();
    for client in [&user, &editor] {
        client.get(&path).await.problem(403, "feature_disabled");
    }
    editor.get(&at(&home, "")).await.not_found();
    user.get(&at(&home, "")).await.ok();
    user.post("/api/conversations", json!({"project_id": id(&path)})).await.problem(403, "feature_disabled");
    user.put(&at(&home, ""), json!({})).await.ok();
}

#[tokio::test]
async fn read_only_conversation_can_be_followed_and_not_controlled() {
    let server = server().await;
    let path = shared(&server, "viewer").await;
    let (user, editor) = (server.user(), server.editor());
    let home = inside(&user, &path).await;
    let mut live = ask_words(&user, &home, 5_000, 20).await;
    live.until("text.delta").await;
    let mut reader = attach(&editor, &home, &live.id, "").await;
    reader.until("text.delta").await;
    editor.delete(&address(&home, &live.id)).await.problem(403, "not_allowed");
    let active = editor.get(&at(&home, "/streams/active")).await.ok();
    assert_eq!(active["stream_id"], live.id);
    let busy = Client::send(asking(&editor, &home, json!({"message": "x", "on_active": "cancel"}))).await;
    busy.problem(403, "not_allowed");
    user.delete(&address(&home, &live.id)).await;
    assert_eq!(reader.events().await.last().expect("an end")["type"], "run.ended");
    let other = project(&user, "Other").await;
    user.post(&format!("{other}/conversations/{home}"), json!({})).await.ok();
    editor.get(&address(&home, &live.id)).await.not_found();
}
