//! Searching people of the tenant, and the teams of the user.

use serde_json::{Value, json};

use super::company::{group, join};
use crate::harness::{Client, TestServer, text};

async fn emails(client: &Client, query: &str) -> Vec<String> {
    let found = client.get(&format!("/api/users?{query}")).await.ok();
    found["items"].as_array().expect("items").iter().map(|user| text(&user["email"])).collect()
}

#[tokio::test]
async fn search_finds_colleagues_by_words() {
    let server = TestServer::start().await;
    join(&server, "Ada.Lovelace").await;
    join(&server, "Ada.Byron").await;
    let user = server.user();
    assert_eq!(emails(&user, "query=LOVE%20ada").await, ["ada.lovelace@example.org"]);
    assert_eq!(emails(&user, "query=ada").await.len(), 2);
    assert_eq!(emails(&user, "query=unknown").await, Vec::<String>::new());
    let all = emails(&user, "").await;
    assert!(all.len() == 5 && !all.contains(&"stranger@example.com".to_owned()), "{all:?}");
    assert_eq!(emails(&user, "kind=service_account").await, Vec::<String>::new());

    let mut paged = Vec::new();
    let mut next = String::new();
    loop {
        let page = user.get(&format!("/api/users?query=example.org&limit=1{next}")).await.ok();
        paged.extend(page["items"].as_array().expect("items").iter().map(|user| text(&user["email"])));
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(paged, emails(&user, "query=example.org").await);
    let long = "x".repeat(201);
    assert_eq!(
        user.get(&format!("/api/users?query={long}&limit=0")).await.faults(),
        ["query.limit", "query.query"]
    );
}

#[tokio::test]
async fn roles_of_colleagues_are_shown_to_administrators() {
    let server = TestServer::start().await;
    let path = format!("/api/users/{}", server.editor_person().id);
    let seen = server.user().get(&path).await.ok();
    assert_eq!(seen["email"], "editor@example.org");
    assert_eq!((&seen["role"], &seen["disabled"]), (&Value::Null, &Value::Null));
    let managed = server.admin().get(&path).await.ok();
    assert_eq!((&managed["role"], &managed["disabled"]), (&json!("editor"), &json!(false)));
    server.stranger().get(&path).await.not_found();
    server.user().get(&format!("/api/users/{}", server.stranger_person().id)).await.not_found();
    server.token(&["teams:read"]).await.get(&path).await.ok();
    server.token(&["account:read"]).await.get(&path).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn disabled_users_are_shown_to_administrators_only() {
    let server = TestServer::start().await;
    let (_, ada) = join(&server, "ada").await;
    let id = ada.id.parse().expect("an id");
    let shut = server.store().run::<_, storage::Error>(move |tx| {
        let mut row = tx.require::<storage::records::User>(storage::TenantId::SYSTEM, &id)?;
        row.disabled = true;
        tx.update(storage::TenantId::SYSTEM, row).map(drop)
    });
    shut.await.expect("stored");
    assert_eq!(emails(&server.user(), "query=ada").await, Vec::<String>::new());
    assert_eq!(emails(&server.admin(), "query=ada").await, ["ada@example.org"]);
}

#[tokio::test]
async fn my_teams_report_my_role_and_its_reason() {
    let server = TestServer::start().await;
    let (user, me) = (server.user(), server.user_person().clone());
    let crew = group(&server, "Crew", &[&me]).await;
    let owned = text(&user.post("/api/teams", json!({"name": "Own"})).await.created()["id"]);
    let body = json!({"name": "Theirs", "members": [{"kind": "group", "id": crew}]});
    server.editor().post("/api/teams", body).await.created();
    server.editor().post("/api/teams", json!({"name": "Without me"})).await.created();
    let mine = user.get("/api/users/me/teams").await.ok();
    let [own, theirs] = mine["items"].as_array().expect("items").as_slice() else { panic!("{mine}") };
    assert_eq!((&own["id"], &own["role"]), (&json!(owned), &json!("owner")));
    assert_eq!((&own["via"][0]["kind"], &own["via"][0]["id"]), (&json!("user"), &json!(me.id)));
    assert_eq!((&theirs["name"], &theirs["role"]), (&json!("Theirs"), &json!("member")));
    let via = &theirs["via"][0];
    assert_eq!((&via["name"], &via["member_count"]), (&json!("Crew"), &json!(1)));
    let page = user.get("/api/users/me/teams?limit=1").await.ok();
    assert_eq!(page["items"], json!([own]));
    let cursor = text(&page["next_cursor"]);
    let page = user.get(&format!("/api/users/me/teams?limit=1&cursor={cursor}")).await.ok();
    assert_eq!((&page["items"], &page["next_cursor"]), (&json!([theirs]), &Value::Null));
}

#[tokio::test]
async fn names_are_resolved_for_several_ids_at_once() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let (stranger, unknown) = (server.stranger_person().id.clone(), storage::new_id());
    let all = format!("ids={editor}&ids={unknown}&ids={stranger}&ids={user}");
    assert_eq!(emails(&server.user(), &all).await, ["editor@example.org", "user@example.org"]);
    assert_eq!(emails(&server.user(), &format!("ids={user}")).await, ["user@example.org"]);
    assert_eq!(emails(&server.user(), &format!("{all}&query=EDIT")).await, ["editor@example.org"]);
    let many = vec![format!("ids={user}"); 201].join("&");
    assert_eq!(server.user().get(&format!("/api/users?{many}")).await.faults(), ["query.ids"]);
    let faults = server.user().get("/api/users?ids=x").await.faults();
    assert!(faults.len() == 1 && faults[0].starts_with("query.ids"), "{faults:?}");
}
