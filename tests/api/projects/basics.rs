//! Creating, listing, changing and deleting projects.

use serde_json::{Value, json};

use super::scene::{id, inside, let_in, listed, member, project, shared};
use crate::api::people::company::{group, join};
use crate::harness::{Client, TestServer, text};

async fn names(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/projects{query}")).await.ok();
    list["items"].as_array().expect("items").iter().map(|one| text(&one["name"])).collect()
}

#[tokio::test]
async fn project_is_created_and_replaced() {
    let server = TestServer::start().await;
    let user = server.user();
    let body = json!({"name": " Tides ", "description": "The sea.", "instructions": "Be brief."});
    let made = user.post("/api/projects", body).await.created();
    assert_eq!((&made["name"], &made["instructions"]), (&json!("Tides"), &json!("Be brief.")));
    assert_eq!((&made["kind"], &made["team_id"]), (&json!("personal"), &Value::Null));
    assert_eq!((&made["member_count"], &made["conversation_count"]), (&json!(1), &json!(0)));
    assert_eq!(made["owner"], server.user_person().id);
    let all =
        json!({"level": "owner", "member": true, "edit": true, "add_conversations": true, "manage": true});
    assert_eq!(made["permissions"], all);
    let path = format!("/api/projects/{}", text(&made["id"]));
    assert_eq!(user.get(&path).await.header("etag"), Some("\"1\""));
    assert_eq!(user.get(&path).await.ok(), made);

    let put = user.put(&path, json!({"name": "Ebb", "version": 1})).await.ok();
    assert_eq!(
        (&put["name"], &put["description"], &put["instructions"]),
        (&json!("Ebb"), &Value::Null, &json!(""))
    );
    assert_eq!(user.put(&path, json!({"name": "Ebb"})).await.ok()["version"], 2, "nothing changed");
    user.put(&path, json!({"name": "x", "version": 1})).await.problem(412, "stale");
    let stale = user.request(reqwest::Method::PUT, &path).header("if-match", "\"1\"");
    Client::send(stale.json(&json!({"name": "x"}))).await.problem(412, "stale");
    let wrong = json!({"description": "x".repeat(1_001), "instructions": "x".repeat(8_001), "kind": "team"});
    let faults = ["body.description", "body.instructions", "body.kind", "body.name"];
    assert_eq!(user.put(&path, wrong).await.faults(), faults);
    let long = json!({"name": "x", "instructions": "é".repeat(8_000)});
    let server = server.restart().await;
    assert_eq!(server.user().put(&path, long).await.ok()["version"], 3);
}

#[tokio::test]
async fn project_list_contains_the_projects_of_the_caller() {
    let server = TestServer::start().await;
    let (ada, person) = join(&server, "ada").await;
    let crew = group(&server, "Crew", &[&person]).await;
    let body = json!({"name": "T", "members": [{"kind": "group", "id": crew}]});
    let team = text(&server.user().post("/api/teams", body).await.created()["id"]);
    let of_ada = [("One", "user", &person.id), ("Two", "group", &crew), ("Three", "team", &team)];
    for (name, kind, id) in of_ada {
        let path = project(&server.user(), name).await;
        let_in(&server.user(), &path, json!([member(kind, id, "viewer")])).await;
    }
    project(&ada, "Own").await;
    let hidden = project(&server.user(), "Private").await;
    assert_eq!(names(&ada, "").await, ["One", "Two", "Three", "Own"]);
    assert_eq!(names(&server.user(), "").await, ["One", "Two", "Three", "Private"]);
    assert_eq!(names(&server.editor(), "").await, Vec::<String>::new());
    assert_eq!(names(&server.stranger(), "").await, Vec::<String>::new());
    // A project without other members is visible to its owner only. Administrators manage shared projects.
    assert_eq!(names(&server.admin(), "").await, ["One", "Two", "Three"]);
    server.admin().get(&hidden).await.not_found();
    for client in [&ada, &server.admin()] {
        let first = client.get("/api/projects?limit=2").await.ok();
        assert_eq!(first["items"].as_array().expect("items").len(), 2);
        let next = text(&first["next_cursor"]);
        let rest = names(client, &format!("?limit=2&cursor={next}")).await;
        assert_eq!(rest[0], "Three", "{rest:?}");
    }
    server.user().get("/api/projects?limit=0&cursor=x").await.faults();
}

#[tokio::test]
async fn project_operations_require_levels_and_scopes() {
    let server = TestServer::start().await;
    let path = shared(&server, "viewer").await;
    let body = json!({"name": "Ebb"});
    let editor = server.editor();
    assert_eq!(editor.get(&path).await.ok()["permissions"]["edit"], false);
    editor.put(&path, body.clone()).await.problem(403, "not_allowed");
    editor.delete(&path).await.problem(403, "not_allowed");
    let_in(&server.user(), &path, json!([member("user", &server.editor_person().id, "editor")])).await;
    editor.put(&path, body.clone()).await.ok();
    editor.delete(&path).await.problem(403, "not_allowed");
    editor.post(&format!("{path}/members"), json!({"members": []})).await.problem(403, "not_allowed");
    let stranger = server.stranger();
    stranger.get(&path).await.not_found();
    stranger.put(&path, body.clone()).await.not_found();
    stranger.delete(&path).await.not_found();
    stranger.get(&format!("{path}/members")).await.not_found();
    stranger.get(&format!("{path}/conversations")).await.not_found();
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
    let (reads, writes) = (server.token(&["projects:read"]).await, server.token(&["projects:write"]).await);
    reads.get(&path).await.ok();
    reads.put(&path, body.clone()).await.problem(403, "scope_missing");
    writes.get(&path).await.problem(403, "scope_missing");
    // An administrator manages what is shared.
    writes.put(&path, json!({"name": "Of the tenant"})).await.ok();
    writes.delete(&path).await.ok();
    server.user().get(&path).await.not_found();
}

#[tokio::test]
async fn delete_releases_conversations_and_deletes_nothing_else() {
    let server = TestServer::start().await;
    let path = shared(&server, "editor").await;
    let (user, editor) = (server.user(), server.editor());
    let homes = [inside(&user, &path).await, inside(&editor, &path).await];
    assert_eq!(user.get(&path).await.ok()["conversation_count"], 2);
    let other = project(&user, "Other").await;
    let apart = inside(&user, &other).await;
    let gone = user.delete(&path).await.ok();
    assert_eq!((&gone["project_id"], &gone["released_conversations"]), (&json!(id(&path)), &json!(2)));
    for (client, home) in [(&user, &homes[0]), (&editor, &homes[1])] {
        let shown = client.get(&format!("/api/conversations/{home}")).await.ok();
        assert_eq!((&shown["project_id"], &shown["read_only"]), (&Value::Null, &json!(false)));
        assert_eq!(shown["user_data"], json!({"mine": "marker"}));
    }
    editor.get(&format!("/api/conversations/{}", homes[0])).await.not_found();
    user.get(&path).await.not_found();
    user.delete(&path).await.not_found();
    assert_eq!(listed(&user, &other).await, [apart]);
    server.stored().await;
}

#[tokio::test]
async fn delete_concurrent_with_new_conversations_leaves_none_in_the_project() {
    let server = TestServer::start().await;
    let user = server.user();
    for _ in 0..5 {
        let path = project(&user, "Soon gone").await;
        let body = json!({"project_id": id(&path)});
        let coming = futures::future::join_all((0..8).map(|_| user.post("/api/conversations", body.clone())));
        let (came, gone) = tokio::join!(coming, user.delete(&path));
        gone.ok();
        for answer in came {
            // Either the conversation was in the project and was released, or the project no longer existed.
            match answer.status {
                201 => {
                    let home = format!("/api/conversations/{}", text(&answer.json()["id"]));
                    assert_eq!(user.get(&home).await.ok()["project_id"], Value::Null);
                }
                _ => assert_eq!(answer.faults(), ["body.project_id"]),
            }
        }
    }
    server.stored().await;
}

#[tokio::test]
async fn delete_releases_a_thousand_conversations_at_once() {
    let server = TestServer::start_with(crate::api::streams::reading::unlimited).await;
    let user = server.user();
    let path = project(&user, "Large").await;
    let (tenant, owner) =
        (crate::api::people::company::tenant(&server), server.user_person().id.parse().unwrap());
    let project_id: uuid::Uuid = id(&path).parse().unwrap();
    let fill = server.store().run::<_, storage::Error>(move |tx| {
        for _ in 0..1_000 {
            let mut body = storage::records::Conversation { owner, ..Default::default() };
            tx.place_conversation(tenant, &mut body, Some(project_id))?;
            tx.insert(tenant, storage::new_id(), body)?;
        }
        Ok(())
    });
    fill.await.unwrap();
    assert_eq!(user.get(&path).await.ok()["conversation_count"], 1_000);
    assert_eq!(user.delete(&path).await.ok()["released_conversations"], 1_000);
    let all = user.get("/api/conversations?limit=200").await.ok();
    assert_eq!(all["items"].as_array().expect("items").len(), 200);
    server.stored().await;
}
