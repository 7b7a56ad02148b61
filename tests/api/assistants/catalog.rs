//! Catalog metadata of assistants, approval of external services, and the objects that an assistant may refer to.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{AuditRecord, KnowledgeBase, Skill, Visibility};
use storage::{Scan, TenantId, new_id};
use uuid::Uuid;

use super::basics::create;
use crate::harness::{Client, TestServer};

fn tenant(server: &TestServer) -> TenantId {
    TenantId(server.editor_person().tenant.parse().expect("an id"))
}

/// Stores a skill of `owner` that requests these external services.
async fn skill(server: &TestServer, owner: &str, visibility: Visibility, services: &[&str]) -> Uuid {
    let (tenant, id) = (tenant(server), new_id());
    let services = services.iter().map(|service| (*service).to_owned()).collect();
    let owner = owner.parse().expect("an id");
    let body = Skill { name: "Skill".into(), owner, visibility, services, ..Skill::default() };
    let put = move |tx: &mut storage::Tx| tx.insert(tenant, id, body.clone()).map(drop);
    server.store().run(put).await.map_err(|why: storage::Error| why).expect("it is stored");
    id
}

async fn base(server: &TestServer, owner: &str, visibility: Visibility, of: Option<Uuid>) -> Uuid {
    let (tenant, id) = (tenant(server), new_id());
    let owner = owner.parse().expect("an id");
    let body = KnowledgeBase { owner, visibility, assistant_id: of, ..KnowledgeBase::default() };
    let put = move |tx: &mut storage::Tx| tx.insert(tenant, id, body.clone()).map(drop);
    server.store().run(put).await.map_err(|why: storage::Error| why).expect("it is stored");
    id
}

#[tokio::test]
async fn catalog_metadata_is_set_by_the_owner_and_shown_to_users() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    let (id, made) = create(&editor, json!({"name": "Ada", "grants": grants})).await;
    assert_eq!(made["catalog"], Value::Null);
    let path = format!("/api/assistants/{id}/catalog-metadata");
    let said = json!({"listed": true, "summary": "Counts.", "tags": ["sums", "words"], "publisher": "Us",
        "version": "1.2.0-beta.1", "license": "MIT OR Apache-2.0", "homepage": "https://example.org/ada"});
    let now = editor.put(&path, said.clone()).await;
    assert_eq!(now.header("etag"), Some("\"2\""));
    assert_eq!(now.ok()["catalog"], said);
    let server = server.restart().await;
    let (editor, user) = (server.editor(), {
        drop(user);
        server.user()
    });
    assert_eq!(user.get(&format!("/api/assistants/{id}/public")).await.ok()["catalog"], said);
    let stale = editor.request(Method::PUT, &path).header("if-match", "\"1\"").json(&json!({}));
    Client::send(stale).await.problem(412, "stale");
    let none = json!({"listed": false, "summary": "", "tags": [], "publisher": null, "version": null,
        "license": null, "homepage": null});
    assert_eq!(editor.put(&path, json!({})).await.ok()["catalog"], none, "it replaces all of it");

    let wrong = json!({"summary": "x".repeat(301), "tags": ["a", "", "a"], "publisher": "", "version": "1.2",
        "license": "MIT; drop", "homepage": "javascript:alert(1)", "price": 3});
    let want = [
        "body.homepage",
        "body.license",
        "body.price",
        "body.publisher",
        "body.summary",
        "body.tags.1",
        "body.tags.2",
        "body.version",
    ];
    assert_eq!(editor.put(&path, wrong).await.faults(), want);
    user.put(&path, json!({})).await.problem(403, "not_allowed");
    server.stranger().put(&path, json!({})).await.not_found();
    server.token(&["assistants:read"]).await.put(&path, json!({})).await.problem(403, "scope_missing");
}

#[tokio::test]
async fn approval_is_limited_to_services_that_a_skill_requests() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let me = &server.editor_person().id;
    let weather = skill(&server, me, Visibility::Private, &["web:api.example.org", "data"]).await;
    let notes = skill(&server, me, Visibility::Private, &["knowledge"]).await;
    let (id, _) =
        create(&editor, json!({"name": "Ada", "skills": [weather, notes], "visibility": "tenant"})).await;
    let path = format!("/api/assistants/{id}/approved-external-services");
    let approve = async |services: Value| editor.put(&path, json!({"services": services})).await;
    let now = approve(json!(["knowledge", "data", "knowledge"])).await.ok();
    assert_eq!(now["approved_external_services"], json!(["data", "knowledge"]));
    let wrong = approve(json!(["data", "web:*", "web:example.org", "web:api.example.org", ""])).await;
    assert_eq!(wrong.faults(), ["body.services.1", "body.services.2", "body.services.4"]);
    let version = json!({"services": [], "version": 1});
    editor.put(&path, version).await.problem(412, "stale");
    assert_eq!(editor.put(&path, json!({})).await.faults(), ["body.services"]);
    server.user().put(&path, json!({"services": []})).await.problem(403, "not_allowed");
    server.stranger().put(&path, json!({"services": []})).await.not_found();

    let seen = server.user().get(&format!("/api/assistants/{id}")).await.ok();
    assert_eq!(seen["approved_external_services"], json!([]), "those who use it are not shown them");
    let patch = async |body: Value| editor.patch(&format!("/api/assistants/{id}"), body).await.ok();
    let kept = patch(json!({"description": "x"})).await;
    assert_eq!(kept["approved_external_services"], json!(["data", "knowledge"]));
    assert_eq!(patch(json!({"skills": [weather]})).await["approved_external_services"], json!([]));
    assert_eq!(
        approve(json!(["knowledge"])).await.faults(),
        ["body.services.0"],
        "no skill asks for it any more"
    );

    let tenant = tenant(&server);
    let audit = server.store().read(move |reader| reader.scan::<AuditRecord>(tenant, Scan::table()));
    let audit = audit.await.map_err(|why: storage::Error| why).expect("it reads").items;
    let line =
        audit.iter().find(|row| row.action == "assistant.approve_services").expect("it was written down");
    assert_eq!(line.detail, json!({"before": [], "now": ["data", "knowledge"]}));
}

#[tokio::test]
async fn attach_refuses_objects_that_the_caller_cannot_see() {
    let server = TestServer::start().await;
    let (editor, admin) = (server.editor(), server.admin());
    let (mine, theirs) = (&server.editor_person().id, &server.admin_person().id);
    let good = [
        skill(&server, mine, Visibility::Private, &[]).await,
        skill(&server, theirs, Visibility::Tenant, &[]).await,
    ];
    let hidden = skill(&server, theirs, Visibility::Private, &[]).await;
    let bases = [
        base(&server, mine, Visibility::Private, None).await,
        base(&server, theirs, Visibility::Tenant, None).await,
    ];
    let hidden_base = base(&server, theirs, Visibility::Private, None).await;
    let owned = base(&server, mine, Visibility::Private, Some(new_id())).await;
    let wrong = json!({"name": "Ada", "skills": [good[0], hidden], "knowledge_bases": [bases[0], hidden_base, owned]});
    let want = ["body.knowledge_bases.1", "body.knowledge_bases.2", "body.skills.1"];
    assert_eq!(editor.post("/api/assistants", wrong).await.faults(), want);
    let grants = json!([{"principal": {"kind": "user", "id": theirs}, "level": "editor"}]);
    let (id, _) =
        create(&editor, json!({"name": "Ada", "skills": good, "knowledge_bases": bases, "grants": grants}))
            .await;
    let path = format!("/api/assistants/{id}");
    // The administrator attaches their private objects. The editor may keep them without being able to see them.
    let more =
        json!({"skills": [good[0], good[1], hidden], "knowledge_bases": [bases[0], bases[1], hidden_base]});
    admin.patch(&path, more.clone()).await.ok();
    assert_eq!(editor.patch(&path, more).await.ok()["skills"].as_array().map(Vec::len), Some(3));
    editor.patch(&path, json!({"skills": good, "knowledge_bases": []})).await.ok();
    let again = json!({"skills": [hidden], "knowledge_bases": [hidden_base]});
    assert_eq!(editor.patch(&path, again).await.faults(), ["body.knowledge_bases.0", "body.skills.0"]);
}
