use crate::api::automations::acting;
use crate::api::catalog::scene::{DESK, Desk, Shop, at, desk};
use crate::api::skills::scene::upload;
use crate::harness::{Client, TestServer, text};
use serde_json::json;
use storage::records::Session;
use storage::{Scan, TenantId};

const REACHING: &str = r#"
const skill = { name: "Reaching", description: "Reaches out.", services: ["web:*"] };
const functions = { reach: { description: "Reaches.", run: () => 1 } };
"#;

async fn act_as_user(server: &TestServer) -> Client {
    let body = json!({"user_id": server.user_person().id, "reason": "ticket 5"});
    let answer = server.admin().post("/api/auth/impersonate", body).await.created();
    assert_eq!(answer["expires_in"], 3600);
    server.client(&text(&answer["access_token"]))
}

#[tokio::test]
async fn impersonation_sees_what_the_user_sees_and_creates_no_tokens() {
    let server = TestServer::start().await;
    let acting = act_as_user(&server).await;
    let me = acting.get("/api/users/me").await.ok();
    assert_eq!(me["email"], "user@example.org");
    assert_eq!(me["impersonated_by"], server.admin_person().id);
    let claims = acting.get("/api/auth/decode_access_token/").await.ok();
    assert_eq!(claims["act"], server.admin_person().id);
    acting.post("/api/auth/api-tokens", json!({"name": "x"})).await.problem(403, "impersonation_limited");
    let tenant = server.user_person().tenant.clone();
    let switch = acting.post("/api/auth/switch-tenant", json!({"tenant_id": tenant})).await;
    switch.problem(403, "impersonation_limited");
}

/// Administrators cannot read conversations and memories, not even by impersonation.
#[tokio::test]
async fn impersonation_cannot_read_personal_data() {
    let server = TestServer::start().await;
    let own = server.user().post("/api/conversations", json!({"title": "Dear diary"})).await.created();
    let acting = act_as_user(&server).await;
    let path = format!("/api/conversations/{}", text(&own["id"]));
    for path in ["/api/conversations", &path, "/api/memories"] {
        acting.get(path).await.problem(403, "impersonation_limited");
    }
    acting.post("/api/conversations", json!({})).await.problem(403, "impersonation_limited");
    let explained = acting.get("/api/auth/check/?operation=conversations.conversations").await.ok();
    assert_eq!(explained["code"], "impersonation_limited", "{explained}");
    server.user().get(&path).await.ok();
}

/// Impersonation sessions replace each other and never the user's own sessions.
#[tokio::test]
async fn impersonation_ends_no_session_of_the_user() {
    let server = TestServer::start().await;
    for _ in 0..101 {
        act_as_user(&server).await;
    }
    server.user().get("/api/users/me").await.ok();
    let id: uuid::Uuid = server.user_person().id.parse().unwrap();
    let read = move |reader: &storage::Reader| {
        let scan = Scan::index("by_user").prefix(id.as_bytes().to_vec());
        reader.scan::<Session>(TenantId::SYSTEM, scan)
    };
    let sessions = server.store().read_now::<_, storage::Error>(read).unwrap().items;
    assert_eq!(sessions.iter().filter(|session| session.actor.is_some()).count(), 100);
}

#[tokio::test]
async fn impersonation_can_be_renewed_while_its_actor_is_permitted() {
    let server = TestServer::start().await;
    let acting = act_as_user(&server).await;
    let next = acting.post("/api/auth/refresh-impersonation/", json!({})).await.ok();
    let next = server.client(&text(&next["access_token"]));
    next.get("/api/users/me").await.ok();
    server.user().post("/api/auth/refresh-impersonation/", json!({})).await.problem(403, "not_impersonating");
    // Logging out of the impersonation, even with `all`, keeps the user's own session.
    next.post("/api/auth/logout/", json!({"all": true})).await.no_content();
    acting.get("/api/users/me").await.problem(401, "session_ended");
    server.user().get("/api/users/me").await.ok();
}

#[tokio::test]
async fn impersonate_is_refused_without_the_required_rights() {
    let server = TestServer::start().await;
    let body = |id: &str| json!({"user_id": id, "reason": "because"});
    let user = server.user_person().id.clone();
    server.editor().post("/api/auth/impersonate", body(&user)).await.problem(403, "role_missing");
    server.stranger().post("/api/auth/impersonate", body(&user)).await.not_found();
    let admin = server.admin_person().id.clone();
    server.admin().post("/api/auth/impersonate", body(&admin)).await.problem(403, "not_allowed");
    let token = server.token(&["admin:write"]).await;
    token.post("/api/auth/impersonate", body(&user)).await.problem(403, "session_required");
}

#[tokio::test]
async fn impersonate_requires_a_reason() {
    let server = TestServer::start().await;
    let body = json!({"user_id": server.user_person().id, "reason": ""});
    assert_eq!(server.admin().post("/api/auth/impersonate", body).await.faults(), ["body.reason"]);
}

/// An account is shared by all tenants, so administrators of one of them may not change it.
#[tokio::test]
async fn impersonation_stays_in_its_tenant() {
    let server = TestServer::start().await;
    let prompt = json!({"custom_prompt": "I am a spy."});
    server.user().put("/api/users/custom-prompt", prompt.clone()).await.ok();
    let (user, elsewhere) = (server.user_person(), server.stranger_person().tenant.clone());
    let place = (user.id.parse::<uuid::Uuid>().unwrap(), elsewhere.parse::<uuid::Uuid>().unwrap());
    let joined = server
        .store()
        .run(move |tx| tx.insert(storage::TenantId::SYSTEM, place, storage::records::Membership::default()));
    joined.await.map(drop).unwrap_or_else(|why: storage::Error| panic!("{why}"));
    assert_eq!(server.user().get("/api/users/me").await.ok()["tenants"].as_array().map(Vec::len), Some(2));
    let acting = act_as_user(&server).await;
    let me = acting.get("/api/users/me").await.ok();
    assert_eq!(me["tenants"].as_array().map(Vec::len), Some(1), "{me}");
    assert!(me["custom_prompt"].is_null() && !me.to_string().contains(&elsewhere), "{me}");
    acting.get("/api/users/custom-prompt").await.problem(403, "impersonation_limited");
    acting.put("/api/users/custom-prompt", prompt).await.problem(403, "impersonation_limited");
    let theme = json!({"theme": "dark"});
    acting.patch("/api/users/preferences", theme).await.problem(403, "impersonation_limited");
}

/// A user who could not be impersonated at the start cannot be later. Logging out everywhere ends the impersonations
/// that the user performs.
#[tokio::test]
async fn impersonation_ends_with_the_rights_it_depends_on() {
    let server = TestServer::start().await;
    let acting = act_as_user(&server).await;
    let role = format!("/api/tenant-admin/users/{}/role", server.user_person().id);
    server.admin().put(&role, json!({"role": "tenant_admin"})).await.ok();
    acting.get("/api/users/me").await.problem(401, "session_ended");
    server.admin().put(&role, json!({"role": "user"})).await.ok();
    let acting = act_as_user(&server).await;
    acting.get("/api/users/me").await.ok();
    server.admin().post("/api/auth/logout/", json!({"all": true})).await.no_content();
    acting.get("/api/users/me").await.problem(401, "session_ended");
    server.user().get("/api/users/me").await.ok();
}

async fn act_as_editor(server: &TestServer) -> Client {
    let body = json!({"user_id": server.editor_person().id, "reason": "ticket 7"});
    let answer = server.admin().post("/api/auth/impersonate", body).await.created();
    server.client(&text(&answer["access_token"]))
}

/// Runs of a user have access to their logins, memories and knowledge, so an impersonation cannot start them.
#[tokio::test]
async fn impersonation_starts_no_runs_that_use_personal_data() {
    let server = TestServer::start().await;
    let (editor, acting) = (server.editor(), act_as_editor(&server).await);
    let skill = upload(&editor, "reach.js", REACHING.as_bytes()).await.created();
    let made =
        acting.post("/api/assistants", json!({"name": "Ada", "skills": [skill["id"]]})).await.created();
    let ada = format!("/api/assistants/{}", text(&made["id"]));
    let (approvals, services) = (format!("{ada}/approved-external-services"), json!({"services": ["web:*"]}));
    acting.put(&approvals, services.clone()).await.problem(403, "impersonation_limited");
    acting.get(&format!("{ada}/tool-servers")).await.problem(403, "impersonation_limited");
    let daily = acting::by_hand(&text(&made["id"]));
    acting.post("/api/automations", daily.clone()).await.problem(403, "impersonation_limited");
    assert_eq!(editor.get(&ada).await.ok()["approved_external_services"], json!([]));
    assert_eq!(editor.get("/api/automations").await.ok()["items"], json!([]));

    let own = acting::make(&editor, daily.clone()).await;
    let path = acting::path(&own);
    acting.put(&path, daily).await.problem(403, "impersonation_limited");
    acting.post(&format!("{path}/run"), json!({})).await.problem(403, "impersonation_limited");
    assert_eq!(editor.get(&path).await.ok()["version"], own["version"]);
    acting.get(&path).await.ok();
    // Stopping a run uses nothing that belongs to the user.
    acting.delete(&path).await.no_content();
    editor.put(&approvals, services).await.ok();
    editor.get(&format!("{ada}/tool-servers")).await.ok();
}

/// A service account is not a person, so administrators may configure it by acting as it.
#[tokio::test]
async fn service_account_can_be_configured_by_impersonation() {
    let server = TestServer::start().await;
    let body = json!({"display_name": "Robot", "role": "editor"});
    let robot = server.admin().post("/api/tenant-admin/service-accounts", body).await.created();
    let path = format!("/api/tenant-admin/service-accounts/{}/login-as", text(&robot["id"]));
    let session = server.admin().post(&path, json!({})).await.created();
    let acting = server.client(&text(&session["access_token"]));
    let skill = upload(&acting, "reach.js", REACHING.as_bytes()).await.created();
    let made =
        acting.post("/api/assistants", json!({"name": "Ada", "skills": [skill["id"]]})).await.created();
    let path = format!("/api/assistants/{}/approved-external-services", text(&made["id"]));
    assert_eq!(acting.put(&path, json!({"services": ["web:*"]})).await.ok()["approved_by"], robot["id"]);
    acting::make(&acting, acting::by_hand(&text(&made["id"]))).await;
}

/// Installing packages does not bypass these limits.
#[tokio::test]
async fn impersonation_installs_neither_automations_nor_approvals() {
    let shop = Shop::open().await;
    shop.put("desk", &desk("1.0.0", &Desk::default()));
    let acting = act_as_editor(&shop.server).await;
    let refused = acting.post(&at(DESK, "install"), json!({})).await;
    refused.problem(403, "impersonation_limited");
    shop.put("plain-desk", &desk("1.0.1", &Desk { with_automation: false, ..Desk::default() }));
    let refused = acting.post(&at(DESK, "install"), json!({"approve_services": ["data"]})).await;
    refused.problem(403, "impersonation_limited");
    assert_eq!(shop.server.editor().get("/api/assistants").await.ok()["items"], json!([]));
    acting.post(&at(DESK, "install"), json!({})).await.created();
}
