use super::{ADMIN, accept, audited, in_session, invite, link, log_in, newcomer, users_of};
use crate::harness::{PASSWORD, TestServer, text};
use serde_json::{Value, json};
use storage::records::Invitation;
use storage::{TenantId, Timestamp};

#[tokio::test]
async fn invitation_link_creates_a_new_user() {
    let server = TestServer::start().await;
    let invited = invite(&server, "Ada@Example.org", "editor").await;
    assert_eq!((&invited["email"], &invited["result"]), (&json!("ada@example.org"), &json!("invited")));
    let token = link(&invited);
    let path = format!("/api/auth/invitations/{token}");
    let shown = server.anonymous().get(&path).await.ok();
    assert_eq!(
        (
            &shown["tenant"]["name"],
            &shown["email"],
            &shown["role"],
            &shown["account_exists"],
            &shown["invited_by"]
        ),
        (
            &json!("Default"),
            &json!("ada@example.org"),
            &json!("editor"),
            &json!(false),
            &json!("Administrator")
        )
    );
    // All faults are reported at once, and the link remains valid.
    let faults = accept(&server.anonymous(), &token, json!({"password": "short"})).await.faults();
    assert_eq!(faults, ["body.display_name", "body.password"]);
    let answer = accept(&server.anonymous(), &token, newcomer()).await;
    assert_eq!(answer.ok()["tenants"][0]["role"], "editor");
    let me = in_session(&server, &answer).get("/api/users/me").await.ok();
    assert_eq!((&me["email"], &me["display_name"]), (&json!("ada@example.org"), &json!("Ada")));
    log_in(&server, "ada@example.org", PASSWORD).await.ok();
    // The link works once.
    server.anonymous().get(&path).await.not_found();
    accept(&server.anonymous(), &token, newcomer()).await.not_found();
    let admin = server.admin_person();
    let audited = audited(&server, &admin.tenant);
    let by = |action: &str| audited.iter().find(|(done, _)| done == action).map(|(_, by)| by.clone());
    assert_eq!(by("invitation.create"), Some(admin.id.clone()));
    assert_eq!(by("invitation.accept"), Some(text(&me["id"])));
}

#[tokio::test]
async fn invitation_keeps_an_existing_account() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "stranger@example.com", "user").await);
    assert_eq!(
        server.anonymous().get(&format!("/api/auth/invitations/{token}")).await.ok()["account_exists"],
        true
    );
    let guest = server.anonymous();
    assert_eq!(accept(&guest, &token, newcomer()).await.ok()["tenant"]["name"], "Default");
    assert_eq!(users_of(&server, "stranger@example.com"), 1);
    let login = log_in(&server, "stranger@example.com", PASSWORD).await.ok();
    let tenants = login["tenants"].as_array().unwrap().len();
    assert_eq!((tenants, &login["user"]["display_name"]), (2, &json!("stranger@example.com")));
}

#[tokio::test]
async fn invitation_requires_proof_of_an_existing_account() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "stranger@example.com", "user").await);
    let guest = server.anonymous();
    assert_eq!(accept(&guest, &token, json!({"display_name": "Eve"})).await.faults(), ["body.password"]);
    let wrong = json!({"display_name": "Eve", "password": "another long password"});
    accept(&guest, &token, wrong).await.problem(401, "login_failed");
    // A session of another user does not prove ownership of the account.
    assert_eq!(accept(&server.editor(), &token, json!({})).await.faults(), ["body.password"]);
    // An API token of the account's owner does not replace a session.
    let made = server.stranger().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let by_token = server.client(&text(&made["token"]));
    assert_eq!(accept(&by_token, &token, json!({})).await.faults(), ["body.password"]);
    let answer = accept(&server.stranger(), &token, json!({})).await;
    assert_eq!(answer.ok()["tenant"]["name"], "Default");
}

#[tokio::test]
async fn invitation_throttles_wrong_passwords_like_the_login() {
    let server = TestServer::start_with(|config| config.auth.failures_per_account = 3).await;
    let token = link(&invite(&server, "stranger@example.com", "user").await);
    let wrong = json!({"password": "another long password"});
    for _ in 0..3 {
        accept(&server.anonymous(), &token, wrong.clone()).await.problem(401, "login_failed");
    }
    accept(&server.anonymous(), &token, json!({"password": PASSWORD})).await.problem(429, "login_throttled");
    log_in(&server, "stranger@example.com", PASSWORD).await.problem(429, "login_throttled");
}

#[tokio::test]
async fn guesses_of_invitation_links_are_throttled() {
    let server = TestServer::start_with(|config| config.auth.failures_per_address = 5).await;
    let good = link(&invite(&server, "ada@example.org", "user").await);
    let path = |secret: &str| format!("/api/auth/invitations/{secret}");
    let wrong = format!("{}{}", &good[..good.len() - 4], "0000");
    for _ in 0..20 {
        server.anonymous().get(&path(&good)).await.ok();
    }
    for _ in 0..5 {
        server.anonymous().get(&path(&wrong)).await.not_found();
    }
    server.anonymous().get(&path(&good)).await.problem(429, "login_throttled");
}

#[tokio::test]
async fn inviting_again_invalidates_the_previous_link() {
    let server = TestServer::start().await;
    let first = invite(&server, "ada@example.org", "user").await;
    let second = invite(&server, "ADA@example.org", "editor").await;
    assert_eq!((&second["result"], &second["invitation_id"]), (&json!("renewed"), &first["invitation_id"]));
    accept(&server.anonymous(), &link(&first), newcomer()).await.not_found();
    let answer = accept(&server.anonymous(), &link(&second), newcomer()).await.ok();
    assert_eq!(answer["tenants"][0]["role"], "editor");
}

#[tokio::test]
async fn invite_is_refused_if_one_address_is_invalid() {
    let server = TestServer::start().await;
    let path = format!("{ADMIN}/invitations");
    let call = async |body: Value| server.admin().post(&path, body).await;
    let emails = json!(["a@example.org", "user@example.org", "A@example.org ", "b@example.org"]);
    let items = call(json!({"emails": emails})).await.ok()["items"].clone();
    let results: Vec<_> = items.as_array().unwrap().iter().map(|item| text(&item["result"])).collect();
    assert_eq!(results, ["invited", "already_member", "invited"]);
    assert_eq!(items[1]["link"], Value::Null);
    let before = server.stored().await;
    let body = json!({"emails": ["c@example.org", "none", "d@", "e@f@g"], "message": "", "role": "king"});
    let faults = ["body.emails.1", "body.emails.2", "body.emails.3", "body.message", "body.role"];
    assert_eq!(call(body).await.faults(), faults);
    assert_eq!(call(json!({"emails": []})).await.faults(), ["body.emails"]);
    let many: Vec<_> = (0..101).map(|n| format!("x{n}@example.org")).collect();
    assert_eq!(call(json!({"emails": many})).await.faults(), ["body.emails"]);
    assert_eq!(server.stored().await, before);
    assert_eq!(call(json!({"emails": many[..100]})).await.ok()["items"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn invitation_link_expires_after_seven_days() {
    let server = TestServer::start().await;
    let invited = invite(&server, "ada@example.org", "user").await;
    let id = text(&invited["invitation_id"]).parse().unwrap();
    let ends: Timestamp = text(&invited["expires_at"]).parse().unwrap();
    let days = ends.since(Timestamp::now()).as_secs_f64() / 86_400.0;
    assert!((6.9..=7.0).contains(&days), "{days}");
    let age = move |tx: &mut storage::Tx| {
        let mut row = tx.require::<Invitation>(TenantId::SYSTEM, &id)?;
        row.expires_at = Timestamp::now();
        tx.update(TenantId::SYSTEM, row).map(drop)
    };
    server.store().run::<_, storage::Error>(age).await.unwrap();
    accept(&server.anonymous(), &link(&invited), newcomer()).await.problem(410, "invitation_expired");
    let listed = server.admin().get(&format!("{ADMIN}/invitations")).await.ok();
    assert_eq!(listed["items"][0]["expired"], true);
    let again = invite(&server, "ada@example.org", "user").await;
    assert_eq!(again["result"], "renewed");
    accept(&server.anonymous(), &link(&again), newcomer()).await.ok();
}

#[tokio::test]
async fn invitations_are_listed_and_revoked_by_the_tenants_administrators() {
    let server = TestServer::start().await;
    let path = format!("{ADMIN}/invitations");
    let mut links = Vec::new();
    for name in ["a", "b", "c"] {
        links.push(invite(&server, &format!("{name}@example.org"), "user").await);
    }
    let page = server.admin().get(&format!("{path}?limit=2")).await.ok();
    let emails = |page: &Value| -> Vec<_> {
        page["items"].as_array().unwrap().iter().map(|item| text(&item["email"])).collect()
    };
    assert_eq!(emails(&page), ["c@example.org", "b@example.org"]);
    let cursor = text(&page["next_cursor"]);
    let rest = server.admin().get(&format!("{path}?limit=2&cursor={cursor}")).await.ok();
    assert_eq!((emails(&rest), rest.get("next_cursor")), (vec!["a@example.org".to_owned()], None));
    assert!(!page.to_string().contains("sha256") && !page.to_string().contains("unl_"));
    let one = format!("{path}/{}", text(&links[0]["invitation_id"]));
    assert_eq!(server.stranger().get(&path).await.ok()["items"], json!([]));
    server.stranger().delete(&one).await.not_found();
    for client in [server.editor(), server.user()] {
        client.delete(&one).await.problem(403, "role_missing");
        client.get(&path).await.problem(403, "role_missing");
        client.post(&path, json!({"emails": ["x@y"]})).await.problem(403, "role_missing");
    }
    server.token(&["admin:read"]).await.delete(&one).await.problem(403, "scope_missing");
    server.admin().delete(&one).await.no_content();
    server.admin().delete(&one).await.not_found();
    accept(&server.anonymous(), &link(&links[0]), newcomer()).await.not_found();
}

#[tokio::test]
async fn invitation_accepted_concurrently_creates_one_account() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "ada@example.org", "user").await);
    let guest = server.anonymous();
    let all = futures::future::join_all((0..8).map(|_| accept(&guest, &token, newcomer()))).await;
    assert_eq!(all.iter().filter(|answer| answer.status == 200).count(), 1, "{all:?}");
    assert!(all.iter().all(|answer| matches!(answer.status, 200 | 404)), "{all:?}");
    assert_eq!(users_of(&server, "ada@example.org"), 1);
}

#[tokio::test]
async fn invitation_links_survive_a_restart() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "ada@example.org", "tenant_admin").await);
    let server = server.restart().await;
    let answer = accept(&server.anonymous(), &token, newcomer()).await;
    in_session(&server, &answer).get(&format!("{ADMIN}/settings")).await.ok();
}

#[tokio::test]
async fn impersonation_cannot_send_invitations() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "second@example.org", "tenant_admin").await);
    let second = accept(&server.anonymous(), &token, newcomer()).await.ok();
    let id = text(&second["user"]["id"]);
    // An administrator cannot be impersonated, and an impersonation ends when its user becomes an administrator.
    server.admin().put(&format!("{ADMIN}/users/{id}/role"), json!({"role": "editor"})).await.ok();
    let body = json!({"user_id": id, "reason": "a question"});
    let acting = server.admin().post("/api/auth/impersonate", body).await.created();
    server.admin().put(&format!("{ADMIN}/users/{id}/role"), json!({"role": "tenant_admin"})).await.ok();
    let acting = server.client(&text(&acting["access_token"]));
    let answer = acting.post(&format!("{ADMIN}/invitations"), json!({"emails": ["x@example.org"]})).await;
    answer.problem(401, "session_ended");
}

/// An invitation is valid only while its sender may invite: a removed administrator cannot return by their own
/// invitation.
#[tokio::test]
async fn invitation_is_invalid_once_its_sender_is_no_administrator() {
    let server = TestServer::start().await;
    let first = link(&invite(&server, "second@example.org", "tenant_admin").await);
    let second = accept(&server.anonymous(), &first, newcomer()).await.ok();
    let boss = server.client(&text(&second["access_token"]));
    let (path, wish) =
        (format!("{ADMIN}/invitations"), json!({"emails": ["back@example.org"], "role": "tenant_admin"}));
    let back = boss.post(&path, wish);
    let back = link(&back.await.ok()["items"][0]);
    let away = format!("{ADMIN}/users/{}", text(&second["user"]["id"]));
    server.admin().delete(&away).await.no_content();
    accept(&server.anonymous(), &back, newcomer()).await.problem(410, "invitation_expired");
}
