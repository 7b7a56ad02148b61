//! Favourite assistants.

use serde_json::{Value, json};

use super::basics::create;
use crate::harness::{Client, TestServer, text};

async fn listed(client: &Client) -> Vec<String> {
    let page = client.get("/api/assistants/favourites").await.ok();
    let items = page["items"].as_array().expect("items");
    assert_eq!(page["total"], items.len());
    items.iter().map(|item| text(&item["id"])).collect()
}

fn of(id: &str) -> String {
    format!("/api/assistants/{id}/favourite")
}

#[tokio::test]
async fn favourites_are_personal_and_ordered() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let mut ids = Vec::new();
    for n in 0..3 {
        ids.push(create(&editor, json!({"name": format!("a{n}"), "visibility": "tenant"})).await.0);
    }
    let (private, _) = create(&editor, json!({"name": "Private"})).await;
    assert_eq!(listed(&user).await, Vec::<String>::new());
    for id in [&ids[2], &ids[0], &ids[1], &ids[0]] {
        user.post(&of(id), json!({})).await.ok();
    }
    assert_eq!(
        listed(&user).await,
        [&*ids[2], &ids[0], &ids[1]],
        "in the order of addition, without duplicates"
    );
    assert_eq!(listed(&editor).await, Vec::<String>::new(), "favourites are personal");
    user.post(&of(&private), json!({})).await.not_found();
    server.stranger().post(&of(&ids[0]), json!({})).await.not_found();
    server.stranger().delete(&of(&ids[0])).await.not_found();

    let reorder = async |order: Value| {
        user.post("/api/assistants/favourites/reorder", json!({"assistant_ids": order})).await
    };
    reorder(json!([ids[0], ids[1], ids[2]])).await.ok();
    assert_eq!(listed(&user).await, ids);
    for not_the_set in [json!([]), json!([ids[0], ids[1]]), json!([ids[0], ids[1], ids[2], private])] {
        assert_eq!(reorder(not_the_set).await.faults(), ["body.assistant_ids"]);
    }
    assert_eq!(reorder(json!([ids[0], ids[1], ids[1]])).await.faults(), ["body.assistant_ids.2"]);
    assert_eq!(listed(&user).await, ids, "what was refused changed nothing");

    let server = server.restart().await;
    let user = server.user();
    assert_eq!(listed(&user).await, ids);
    for _ in 0..2 {
        user.delete(&of(&ids[1])).await.ok();
    }
    assert_eq!(listed(&user).await, [&*ids[0], &ids[2]]);
    let reader = server.token(&["assistants:read"]).await;
    reader.get("/api/assistants/favourites").await.ok();
    reader.post(&of(&ids[0]), json!({})).await.problem(403, "scope_missing");
    reader.delete(&of(&ids[0])).await.problem(403, "scope_missing");
    let order = json!({"assistant_ids": []});
    reader.post("/api/assistants/favourites/reorder", order).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn favourites_omit_assistants_that_the_user_cannot_use() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let mut ids = Vec::new();
    for n in 0..3 {
        let (id, _) = create(&editor, json!({"name": format!("a{n}"), "visibility": "tenant"})).await;
        user.post(&of(&id), json!({})).await.ok();
        ids.push(id);
    }
    let path = |id: &str| format!("/api/assistants/{id}");
    editor.patch(&path(&ids[0]), json!({"visibility": "private"})).await.ok();
    editor.delete(&path(&ids[1])).await.ok();
    assert_eq!(listed(&user).await, [&*ids[2]]);
    let order = json!({"assistant_ids": [ids[2]]});
    user.post("/api/assistants/favourites/reorder", order).await.ok();
    editor.patch(&path(&ids[0]), json!({"visibility": "tenant"})).await.ok();
    editor.post(&format!("{}/restore", path(&ids[1])), json!({})).await.ok();
    assert_eq!(listed(&user).await, [&*ids[2], &ids[0], &ids[1]], "restored ones come last");
    editor.patch(&path(&ids[0]), json!({"visibility": "private"})).await.ok();
    user.delete(&of(&ids[0])).await.ok();
    user.delete(&of(&ids[0])).await.not_found();
}

#[tokio::test]
async fn favourites_added_concurrently_are_all_stored() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let mut ids = Vec::new();
    for n in 0..8 {
        ids.push(create(&editor, json!({"name": format!("a{n}"), "visibility": "tenant"})).await.0);
    }
    let paths: Vec<_> = ids.iter().map(|id| of(id)).collect();
    for answer in futures::future::join_all(paths.iter().map(|path| user.post(path, json!({})))).await {
        answer.ok();
    }
    let mut kept = listed(&user).await;
    kept.sort();
    ids.sort();
    assert_eq!(kept, ids);
}
