//! Conversations in projects: their owners, and how they enter and leave a project.

use serde_json::{Value, json};

use super::scene::{id, inside, let_in, listed, member, project, shared};
use crate::api::streams::reading::{asking, conversation, unlimited};
use crate::harness::{Client, TestServer, text};

#[tokio::test]
async fn conversation_is_added_and_removed_by_its_owner() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user(), server.editor());
    let path = shared(&server, "editor").await;
    let home = conversation(&editor).await;
    let at = format!("{path}/conversations/{home}");
    let put = editor.post(&at, json!({})).await.ok();
    assert_eq!((&put["project_id"], &put["version"]), (&json!(id(&path)), &json!(2)));
    assert_eq!(editor.post(&at, json!({})).await.ok()["version"], 2, "it was there");
    assert_eq!(listed(&user, &path).await, std::slice::from_ref(&home));
    // The owner of the project may not change another user's conversation.
    user.delete(&at).await.problem(403, "not_allowed");
    user.post(&at, json!({})).await.problem(403, "not_allowed");
    let taken = editor.delete(&at).await.ok();
    assert_eq!(taken["project_id"], Value::Null);
    editor.delete(&at).await.not_found();
    user.delete(&at).await.not_found();
    assert_eq!(user.get(&path).await.ok()["conversation_count"], 0);

    // The conversation moves, since it is in at most one project.
    editor.post(&at, json!({})).await.ok();
    let other = project(&editor, "Other").await;
    editor.delete(&format!("{other}/conversations/{home}")).await.not_found();
    editor.post(&format!("{other}/conversations/{home}"), json!({})).await.ok();
    assert_eq!((listed(&user, &path).await, listed(&editor, &other).await), (vec![], vec![home.clone()]));
    let theirs = conversation(&user).await;
    editor.post(&format!("{other}/conversations/{theirs}"), json!({})).await.not_found();
    editor.delete(&format!("/api/conversations/{home}")).await.no_content();
    assert_eq!(editor.get(&other).await.ok()["conversation_count"], 0, "deleting decreases the count");
}

#[tokio::test]
async fn viewers_cannot_add_conversations_by_any_operation() {
    let server = TestServer::start().await;
    let (path, editor) = (shared(&server, "viewer").await, server.editor());
    let body = json!({"project_id": id(&path)});
    let home = conversation(&editor).await;
    editor.post(&format!("{path}/conversations/{home}"), json!({})).await.problem(403, "not_allowed");
    editor.post("/api/conversations", body.clone()).await.problem(403, "not_allowed");
    editor.put(&format!("/api/conversations/{home}"), body.clone()).await.problem(403, "not_allowed");
    let hidden = json!({"project_id": id(&project(&server.user(), "Hidden").await)});
    for client in [&editor, &server.stranger()] {
        assert_eq!(client.post("/api/conversations", hidden.clone()).await.faults(), ["body.project_id"]);
    }
    // An administrator who is not a member manages the project but cannot add conversations.
    let admin = server.admin();
    admin.post("/api/conversations", body.clone()).await.problem(403, "not_allowed");
    let own = conversation(&admin).await;
    admin.post(&format!("{path}/conversations/{own}"), json!({})).await.problem(403, "not_allowed");
    // A token that may write conversations but not projects cannot put one into a project.
    let token = server
        .user()
        .post("/api/auth/api-tokens", json!({"name": "t", "scopes": ["conversations:write"]}))
        .await;
    let token = server.client(&text(&token.created()["token"]));
    token.post("/api/conversations", body).await.problem(403, "scope_missing");
    token.post("/api/conversations", json!({})).await.created();
}

#[tokio::test]
async fn put_moves_a_conversation_and_former_members_can_remove_theirs() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user(), server.editor());
    let path = shared(&server, "editor").await;
    let home = inside(&editor, &path).await;
    let at = format!("/api/conversations/{home}");
    user.delete(&format!("{path}/members/{}", server.editor_person().id)).await.ok();
    editor.get(&path).await.not_found();
    assert_eq!(listed(&user, &path).await, std::slice::from_ref(&home), "existing conversations stay");
    let kept = json!({"project_id": id(&path), "title": "Mine"});
    assert_eq!(
        editor.put(&at, kept).await.ok()["project_id"],
        id(&path),
        "an unchanged reference is allowed"
    );
    editor.delete(&format!("{path}/conversations/{home}")).await.ok();
    assert_eq!(editor.put(&at, json!({"project_id": id(&path)})).await.faults(), ["body.project_id"]);
    assert_eq!(listed(&user, &path).await, Vec::<String>::new());
    let_in(&user, &path, json!([member("user", &server.editor_person().id, "editor")])).await;
    editor.put(&at, json!({"project_id": id(&path)})).await.ok();
    editor.put(&at, json!({})).await.ok();
    assert_eq!(user.get(&path).await.ok()["conversation_count"], 0);
}

#[tokio::test]
async fn conversation_count_matches_the_list_under_concurrent_changes() {
    let server = TestServer::start_with(unlimited).await;
    let user = server.user();
    let paths = [project(&user, "One").await, project(&user, "Two").await];
    let homes = futures::future::join_all((0..12).map(|_| conversation(&user))).await;
    let moves = homes.iter().enumerate().map(|(n, home)| {
        let (user, paths) = (&user, &paths);
        async move {
            for round in 0..4 {
                let at = format!("{}/conversations/{home}", paths[(n + round) % 2]);
                user.post(&at, json!({})).await.ok();
                if (n * 7 + round) % 3 == 0 {
                    user.delete(&at).await.ok();
                }
            }
            if n % 4 == 0 {
                user.delete(&format!("/api/conversations/{home}")).await.no_content();
            }
        }
    });
    futures::future::join_all(moves).await;
    for path in &paths {
        let count = user.get(path).await.ok()["conversation_count"].clone();
        assert_eq!(count, listed(&user, path).await.len());
    }
    server.stored().await;
}

#[tokio::test]
async fn project_lists_conversations_of_all_members_by_latest_change() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user(), server.editor());
    let path = shared(&server, "editor").await;
    let mut homes = Vec::new();
    for client in [&user, &editor, &user] {
        homes.push(inside(client, &path).await);
    }
    Client::send(asking(&user, &homes[0], json!({"message": "Tides?", "stream": false}))).await.ok();
    let order = [&homes[0], &homes[2], &homes[1]].map(Clone::clone);
    assert_eq!(listed(&user, &path).await, order);
    assert_eq!(listed(&editor, &path).await, order);
    let first = editor.get(&format!("{path}/conversations?limit=2")).await.ok();
    let seen = &first["items"][0];
    assert_eq!(
        (&seen["read_only"], &seen["user_data"]),
        (&json!(true), &json!({})),
        "user data is private to its owner"
    );
    assert!(!first.to_string().contains("marker"));
    let next = text(&first["next_cursor"]);
    let rest = editor.get(&format!("{path}/conversations?limit=2&cursor={next}")).await.ok();
    assert_eq!(rest["items"][0]["id"], homes[1]);
    assert_eq!(rest["items"][0]["user_data"], json!({"mine": "marker"}), "the caller's own data");
    // In the user's own list they appear only on request, and conversations of others never do.
    let own = async |query: &str| {
        let list = editor.get(&format!("/api/conversations{query}")).await.ok();
        list["items"].as_array().expect("items").len()
    };
    assert_eq!((own("").await, own("?include_projects=true").await), (0, 1));
    server
        .token(&["projects:read"])
        .await
        .get(&format!("{path}/conversations"))
        .await
        .problem(403, "not_allowed");
}
