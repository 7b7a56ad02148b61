//! Features that administrators disable, for whom, and the effects.

use std::collections::HashSet;

use serde_json::{Value, json};
use storage::authority::Feature;
use storage::records::{Governed, Group, GroupMember};
use storage::{TenantId, new_id};
use uuid::Uuid;

use super::ADMIN;
use crate::harness::{Answer, Client, TestServer, hidden, text};
use crate::openapi::operations;

/// Sets the visibility of a feature.
async fn switch(client: &Client, feature: &str, whom: Value) -> Answer {
    client.put(&format!("{ADMIN}/features/{feature}/visibility"), whom).await
}

/// Whether a request was refused because its feature is disabled.
fn is_off(answer: &Answer) -> bool {
    answer.status == 403 && answer.text().contains("feature_disabled")
}

/// Creates a group of the tenant with these members.
async fn group(server: &TestServer, members: &[&str]) -> Uuid {
    let (tenant, id) = (TenantId(server.admin_person().tenant.parse().expect("a UUID")), new_id());
    let members: Vec<Uuid> = members.iter().map(|id| id.parse().expect("a UUID")).collect();
    let made = server.store().run::<_, storage::Error>(move |tx| {
        tx.insert(tenant, id, Group { name: "Crew".to_owned(), ..Group::default() })?;
        for member in &members {
            tx.insert(tenant, (*member, id), GroupMember {})?;
        }
        Governed::note(tx, tenant, |governed| governed.groups = true)
    });
    made.await.expect("it is stored");
    id
}

/// Returns every operation of the OpenAPI document with its feature, as (path, method, id, feature), except for
/// operations without credentials, which belong to no feature.
async fn surface(server: &TestServer) -> Vec<(String, String, String, Option<String>)> {
    let document = server.anonymous().get("/api/openapi.json").await.ok();
    let of = |(path, method, operation): (String, String, Value)| {
        let feature = operation["x-feature"].as_str().map(str::to_owned);
        (path, method, text(&operation["operationId"]), feature)
    };
    let closed = |operation: &Value| operation["security"].as_array().is_some_and(|all| !all.is_empty());
    operations(&document).into_iter().filter(|(.., operation)| closed(operation)).map(of).collect()
}

async fn call(client: &Client, method: &str, path: &str) -> Answer {
    let path = path
        .split('/')
        .map(|part| if part.starts_with('{') { Uuid::nil().to_string() } else { part.to_owned() });
    let path = path.collect::<Vec<_>>().join("/");
    let method = method.to_uppercase().parse().expect("a method");
    Client::send(client.request(method, &path).json(&json!({}))).await
}

#[tokio::test]
async fn disabled_feature_refuses_its_whole_area_and_no_other() {
    let server = TestServer::start_with(crate::api::streams::reading::unlimited).await;
    let surface = surface(&server).await;
    // A token that was in use before.
    let token = server.token(&["admin:read", "admin:write", "llm:use", "assistants:read"]).await;
    token.get("/api/assistants").await.ok();
    for feature in Feature::ALL {
        let key = feature.key();
        switch(&server.admin(), key, hidden()).await.ok();
        let (mut open, mut asked) = (Vec::new(), HashSet::new());
        for (path, method, id, of) in &surface {
            let belongs = of.as_deref() == Some(key);
            // Of each other area only one operation is called: the others follow from the same table row.
            let plain = method == "get" && !path.contains('{');
            // The one operation of another area that shows nothing but teams.
            let alike = key == "teams" && id == "users.list_my_teams";
            let sibling = alike || plain && !belongs && asked.insert(id.split('.').next());
            if !belongs && !sibling {
                continue;
            }
            let answer = call(&server.admin(), method, path).await;
            if is_off(&answer) != (belongs || alike) {
                open.push(format!("{id}: {answer:?}"));
            }
        }
        assert!(open.is_empty(), "with {key} switched off:\n{}", open.join("\n"));
        if *feature == Feature::Assistants {
            token.get("/api/assistants").await.problem(403, "feature_disabled");
            server.editor().get("/api/assistants").await.problem(403, "feature_disabled");
            // Another tenant is not affected.
            server.stranger().get("/api/assistants").await.ok();
        }
        switch(&server.admin(), key, json!({"visibility": "everyone"})).await.ok();
        assert!(!is_off(&server.user().get(&format!("/api/{key}")).await), "{key} is enabled again");
    }
    token.get("/api/assistants").await.ok();
}

#[tokio::test]
async fn every_operation_belongs_to_the_feature_of_its_area() {
    let server = TestServer::start().await;
    for (path, _, id, feature) in surface(&server).await {
        let area = id.split('.').next().unwrap_or_default().to_owned();
        let expected = Feature::parse(&area).map(|feature| feature.key().to_owned());
        assert_eq!(feature, expected, "{id} {path}");
    }
}

#[tokio::test]
async fn feature_is_limited_to_selected_principals() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let group = group(&server, &[&editor]).await;
    let tries = async |who: &Client| !is_off(&who.get("/api/skills/global").await);
    let all = [server.user(), server.editor(), server.admin()];
    let seen = async || [tries(&all[0]).await, tries(&all[1]).await, tries(&all[2]).await];
    assert_eq!(seen().await, [true; 3]);
    let whom = json!({"visibility": "selected", "users": [user, user], "groups": []});
    let shown = switch(&server.admin(), "skills", whom).await.ok();
    assert_eq!(shown["users"], json!([user]), "named once");
    assert_eq!(seen().await, [true, false, false]);
    let whom = json!({"visibility": "selected", "groups": [group]});
    switch(&server.admin(), "skills", whom).await.ok();
    assert_eq!(seen().await, [false, true, false], "a group selects its members");
    // A member who leaves the group loses the feature at once.
    let (tenant, member) =
        (TenantId(server.admin_person().tenant.parse().unwrap()), editor.parse::<Uuid>().unwrap());
    let left =
        server.store().run::<_, storage::Error>(move |tx| tx.delete::<GroupMember>(tenant, &(member, group)));
    assert!(left.await.unwrap());
    assert_eq!(seen().await, [false; 3]);
    let server = server.restart().await;
    server.user().get("/api/skills/global").await.problem(403, "feature_disabled");
    switch(&server.admin(), "skills", json!({"visibility": "everyone"})).await.ok();
    server.user().get("/api/skills/global").await.ok();
}

#[tokio::test]
async fn feature_state_is_explained() {
    let server = TestServer::start().await;
    let (user, editor) = (server.user_person().id.clone(), server.editor_person().id.clone());
    let crew = group(&server, &[&editor]).await;
    let admin = server.admin();
    switch(&admin, "video", hidden()).await.ok();
    switch(&admin, "audio", json!({"visibility": "selected", "users": [user], "groups": [crew]})).await.ok();
    switch(&admin, "teams", json!({"visibility": "everyone"})).await.ok();
    super::show(&server, "builtin/echo", json!({"visibility": "selected", "users": [user]})).await;
    let resolved = async |who: &str| {
        let told = admin.get(&format!("{ADMIN}/users/{who}/resolved-features")).await.ok();
        assert_eq!(told["user_id"], *who);
        let items = told["items"].as_array().expect("items").clone();
        assert_eq!(items.len(), Feature::ALL.len());
        move |key: &str| {
            let one = items.iter().find(|item| item["key"] == key).expect("the feature").clone();
            assert!(!text(&one["why"]).is_empty());
            (one["enabled"].as_bool().expect("a truth"), one["because"].clone())
        }
    };
    let (of_user, of_editor) = (resolved(&user).await, resolved(&editor).await);
    assert_eq!(of_user("video"), (false, json!("nobody")));
    assert_eq!(of_user("audio"), (true, json!("named")));
    assert_eq!(of_editor("audio"), (true, json!({"in_group": crew})));
    assert_eq!(of_user("teams"), (true, json!("everyone")));
    assert_eq!(of_user("chat"), (true, json!("no_rule")));
    let of_admin = resolved(&server.admin_person().id).await;
    assert_eq!(of_admin("audio"), (false, json!("not_named")));
    // The view of the user agrees, for every caller.
    let own = server.editor().get("/api/users/me").await.ok();
    let own: Vec<_> = own["features"].as_array().expect("features").iter().map(text).collect();
    for feature in Feature::ALL {
        assert_eq!(own.contains(&feature.key().to_owned()), of_editor(feature.key()).0, "{}", feature.key());
    }
    let path = |who: &str| format!("{ADMIN}/users/{who}/resolved-features");
    admin.get(&path(&server.stranger_person().id)).await.not_found();
    server.stranger().get(&path(&user)).await.not_found();
    server.user().get(&path(&user)).await.problem(403, "role_missing");
    server.token(&["account:read"]).await.get(&path(&user)).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn feature_visibility_refuses_invalid_input() {
    let server = TestServer::start().await;
    let admin = server.admin();
    switch(&admin, "no-such-feature", hidden()).await.not_found();
    let stranger = server.stranger_person().id.clone();
    let wrong =
        switch(&admin, "chat", json!({"visibility": "selected", "users": [stranger], "groups": [new_id()]}))
            .await;
    assert_eq!(wrong.faults(), ["body.groups", "body.users"]);
    let wrong = switch(&admin, "chat", json!({"visibility": "nobody", "users": [stranger]})).await;
    assert_eq!(wrong.faults(), ["body.users"]);
    assert_eq!(switch(&admin, "chat", json!({"visibility": "some"})).await.faults(), ["body.visibility"]);
    let shown = admin.get(&format!("{ADMIN}/features/chat/visibility")).await.ok();
    assert_eq!(
        shown,
        json!({"key": "chat", "description": shown["description"], "visibility": "everyone",
        "users": [], "groups": [], "version": 0})
    );
    let once = switch(&admin, "chat", hidden()).await.ok();
    assert_eq!(once["version"], 1);
    let path = format!("{ADMIN}/features/chat/visibility");
    let late = admin.request(reqwest::Method::PUT, &path).header("if-match", "\"0\"");
    Client::send(late.json(&json!({"visibility": "everyone"}))).await.problem(412, "stale");
    let fresh = admin.request(reqwest::Method::PUT, &path).header("if-match", "\"1\"");
    assert_eq!(Client::send(fresh.json(&json!({"visibility": "everyone"}))).await.ok()["version"], 2);
    let all = admin.get(&format!("{ADMIN}/features")).await.ok();
    let keys: Vec<_> =
        all["items"].as_array().expect("items").iter().map(|item| text(&item["key"])).collect();
    assert_eq!(keys, Feature::ALL.iter().map(|feature| feature.key().to_owned()).collect::<Vec<_>>());
}

#[tokio::test]
async fn automation_stops_when_its_owner_loses_a_feature() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let assistant = editor.post("/api/assistants", json!({"name": "Reporter"})).await.created();
    let body = json!({"name": "Report", "assistant_id": assistant["id"], "prompt": "hello"});
    let automation = text(&editor.post("/api/automations", body).await.created()["id"]);
    let run = format!("/api/automations/{automation}/run");
    editor.post(&run, json!({})).await.expect(202);
    for feature in ["assistants", "automations"] {
        let user = server.user_person().id.clone();
        switch(&server.admin(), feature, json!({"visibility": "selected", "users": [user]})).await.ok();
        editor.post(&run, json!({})).await.problem(403, "feature_disabled");
        switch(&server.admin(), feature, json!({"visibility": "everyone"})).await.ok();
    }
    // The automation does not depend on the disabled feature.
    switch(&server.admin(), "workflows", hidden()).await.ok();
    editor.post(&run, json!({})).await.expect(202);
}

/// A disabled feature cannot be reached through the operations of another area.
#[tokio::test]
async fn disabled_feature_cannot_be_reached_through_other_areas() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let bot = editor.post("/api/assistants", json!({"name": "Ada", "visibility": "tenant"})).await.created();
    let base = editor.post("/api/knowledge-bases", json!({"name": "Tides"})).await.created();
    let home = editor.post("/api/conversations", json!({"assistant_id": bot["id"]})).await.created();
    let said = json!([{"role": "user", "content": "Why tides?"}]);
    let asked = |field: &str, value: &Value| {
        let mut body = json!({"model": "builtin/scribe", "messages": said});
        body[field] = value.clone();
        body
    };
    let completion = format!("/api/conversations/{}/completion", text(&home["id"]));
    let partner = "/api/chat/partner_compatible";
    let requests = [
        ("assistants", completion, json!({"message": "Why tides?"})),
        ("assistants", "/api/chat/completion".to_owned(), asked("assistant_id", &bot["id"])),
        ("assistants", format!("{partner}/{}/v1/chat/completions", text(&bot["id"])), asked("n", &json!(1))),
        (
            "knowledge-bases",
            "/api/chat/completion".to_owned(),
            asked("knowledge_base_ids", &json!([base["id"]])),
        ),
        (
            "audio",
            format!("{partner}/v1/audio/speech"),
            json!({"model": "default", "voice": "ada", "input": "Hello"}),
        ),
        ("assistants", "/api/conversations".to_owned(), json!({"assistant_id": bot["id"]})),
        (
            "assistants",
            format!("{partner}/{}/v1/embeddings", text(&bot["id"])),
            json!({"model": "builtin/hash", "input": "tides"}),
        ),
    ];
    for (feature, path, body) in requests {
        switch(&server.admin(), feature, hidden()).await.ok();
        let answer = editor.post(&path, body.clone()).await;
        assert!(is_off(&answer), "{feature} by {path}: {answer:?}");
        switch(&server.admin(), feature, json!({"visibility": "everyone"})).await.ok();
        let answer = editor.post(&path, body).await;
        assert!(matches!(answer.status, 200 | 201), "{feature} by {path}: {answer:?}");
    }
    let model = "builtin/scribe";
    let reads = [
        ("assistants", format!("{partner}/{}/v1/models", text(&bot["id"]))),
        ("assistants", format!("{partner}/{}/v1/models/{model}", text(&bot["id"]))),
        ("teams", "/api/users/me/teams".to_owned()),
    ];
    for (feature, path) in reads {
        switch(&server.admin(), feature, hidden()).await.ok();
        let answer = editor.get(&path).await;
        assert!(is_off(&answer), "{feature} by {path}: {answer:?}");
        switch(&server.admin(), feature, json!({"visibility": "everyone"})).await.ok();
        editor.get(&path).await.ok();
    }
    // A conversation keeps its assistant, and its other fields can still be changed.
    switch(&server.admin(), "assistants", hidden()).await.ok();
    let path = format!("/api/conversations/{}", text(&home["id"]));
    let body = json!({"title": "Tides", "assistant_id": bot["id"]});
    editor.put(&path, body).await.ok();
}

/// Two concurrent decisions are both applied.
#[tokio::test]
async fn concurrent_feature_changes_are_both_applied() {
    let server = TestServer::start().await;
    let (admin, user) = (server.admin(), server.user());
    for _ in 0..12 {
        switch(&admin, "video", hidden()).await.ok();
        let (off, on) = tokio::join!(
            switch(&admin, "teams", hidden()),
            switch(&admin, "video", json!({"visibility": "everyone"}))
        );
        off.ok();
        on.ok();
        assert!(is_off(&user.get("/api/teams").await));
        switch(&admin, "teams", json!({"visibility": "everyone"})).await.ok();
        user.get("/api/teams").await.ok();
    }
}
