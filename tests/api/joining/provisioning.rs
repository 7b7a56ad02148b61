use super::{ADMIN, audited, in_session, log_in, provision, sign_up, users_of, with_mail};
use crate::harness::{PASSWORD, TestServer, text};
use serde_json::{Value, json};

#[tokio::test]
async fn sign_up_is_refused_by_default() {
    let server = TestServer::start().await;
    let settings = server.admin().get(&format!("{ADMIN}/settings")).await.ok();
    assert_eq!((&settings["provisioning_mode"], &settings["mail"]), (&json!("invite_only"), &json!(false)));
    let before = server.stored().await;
    let refused = sign_up(&server, "ada@example.org", PASSWORD).await;
    // The response does not reveal whether a tenant exists.
    let told = |mut problem: Value| {
        problem["request_id"].take();
        problem
    };
    for tenant in ["nowhere", "01890000-0000-7000-8000-000000000000", &server.admin_person().tenant] {
        let body =
            json!({"tenant": tenant, "email": "ada@example.org", "password": PASSWORD, "display_name": "A"});
        let answer = server.anonymous().post("/api/auth/register", body).await;
        assert_eq!(
            told(answer.problem(403, "invitation_required")),
            told(refused.problem(403, "invitation_required"))
        );
    }
    assert_eq!(server.stored().await, before);
}

#[tokio::test]
async fn sign_up_is_accepted_by_an_open_tenant() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "open"})).await;
    let answer = sign_up(&server, "Ada@Example.org", PASSWORD).await;
    let login = answer.ok();
    assert_eq!(
        (&login["user"]["email"], &login["tenants"][0]["role"]),
        (&json!("ada@example.org"), &json!("user"))
    );
    in_session(&server, &answer).get("/api/users/me").await.ok();
    log_in(&server, "ada@example.org", PASSWORD).await.ok();
    let made = audited(&server, &server.admin_person().tenant);
    assert!(made.contains(&("user.create".to_owned(), text(&login["user"]["id"]))), "{made:?}");
    // Signing up again creates no second account and requires the password.
    assert_eq!(sign_up(&server, "ada@example.org", PASSWORD).await.ok()["user"]["id"], login["user"]["id"]);
    sign_up(&server, "ada@example.org", "another long password").await.problem(401, "login_failed");
    assert_eq!(users_of(&server, "ada@example.org"), 1);
}

#[tokio::test]
async fn sign_up_with_an_existing_account_requires_its_password() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "open"})).await;
    sign_up(&server, "stranger@example.com", "another long password").await.problem(401, "login_failed");
    let login = sign_up(&server, "stranger@example.com", PASSWORD).await.ok();
    assert_eq!(
        (&login["user"]["id"], &login["tenant"]["name"]),
        (&json!(server.stranger_person().id), &json!("Default"))
    );
    assert_eq!(login["tenants"].as_array().unwrap().len(), 2);
    assert_eq!(users_of(&server, "stranger@example.com"), 1);
}

#[tokio::test]
async fn sign_up_is_limited_to_the_domains_of_the_tenant() {
    let server = TestServer::start().await;
    let now = provision(
        &server,
        json!({"mode": "open", "domains": ["Example.org", "example.org", "acme.example"]}),
    )
    .await;
    assert_eq!(now["domains"], json!(["acme.example", "example.org"]));
    for email in ["ada@example.com", "ada@sub.example.org", "ada@xexample.org"] {
        sign_up(&server, email, PASSWORD).await.problem(403, "domain_not_allowed");
    }
    sign_up(&server, "ada@EXAMPLE.org", PASSWORD).await.ok();
    // If omitted, the domains stay; an empty list allows every domain.
    assert_eq!(provision(&server, json!({"mode": "open"})).await["domains"].as_array().unwrap().len(), 2);
    provision(&server, json!({"mode": "open", "domains": []})).await;
    sign_up(&server, "ada@example.com", PASSWORD).await.ok();
    // An invitation by an administrator is not limited to the domains.
    provision(&server, json!({"mode": "open", "domains": ["acme.example"]})).await;
    assert_eq!(super::invite(&server, "eve@elsewhere.example", "user").await["result"], "invited");
    let put = async |body: Value| server.admin().put(&format!("{ADMIN}/provisioning-mode"), body).await;
    assert_eq!(
        put(json!({"mode": "open", "domains": ["a@b", "x", ".org"]})).await.faults(),
        ["body.domains.0", "body.domains.2"]
    );
    assert_eq!(put(json!({"mode": "closed"})).await.faults(), ["body.mode"]);
}

#[tokio::test]
async fn join_requests_are_approved_or_refused_by_an_administrator() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "approval"})).await;
    for email in ["ada@example.org", "bob@example.org", "stranger@example.com"] {
        let answer = sign_up(&server, email, PASSWORD).await;
        assert_eq!(answer.expect(202).json(), json!({"status": "waiting"}));
    }
    sign_up(&server, "stranger@example.com", "another long password").await.problem(401, "login_failed");
    // A second sign-up does not replace a waiting one.
    sign_up(&server, "ada@example.org", "another long password").await.expect(202);
    log_in(&server, "ada@example.org", PASSWORD).await.problem(401, "login_failed");
    let path = format!("{ADMIN}/join-requests");
    let list = server.admin().get(&path).await;
    assert!(!list.text().contains("argon2"), "{list:?}");
    let list = list.ok();
    let one = |at: usize| text(&list["items"][at]["id"]);
    let emails: Vec<_> = list["items"].as_array().unwrap().iter().map(|item| text(&item["email"])).collect();
    assert_eq!(emails, ["ada@example.org", "bob@example.org", "stranger@example.com"]);
    assert_eq!(server.stranger().get(&path).await.ok()["items"], json!([]));
    server.stranger().post(&format!("{path}/{}/approve", one(0)), json!({})).await.not_found();
    server.stranger().post(&format!("{path}/{}/refuse", one(0)), json!({})).await.not_found();
    server.editor().post(&format!("{path}/{}/approve", one(0)), json!({})).await.problem(403, "role_missing");
    let server = server.restart().await;
    let member =
        server.admin().post(&format!("{path}/{}/approve", one(0)), json!({"role": "editor"})).await.ok();
    assert_eq!((&member["role"], &member["origin"]), (&json!("editor"), &json!("signed_up")));
    assert_eq!(log_in(&server, "ada@example.org", PASSWORD).await.ok()["tenants"][0]["role"], "editor");
    server.admin().post(&format!("{path}/{}/refuse", one(1)), json!({})).await.no_content();
    log_in(&server, "bob@example.org", PASSWORD).await.problem(401, "login_failed");
    let joined = server.admin().post(&format!("{path}/{}/approve", one(2)), json!({})).await.ok();
    assert_eq!(joined["user_id"], server.stranger_person().id);
    for at in 0..3 {
        server.admin().post(&format!("{path}/{}/approve", one(at)), json!({})).await.not_found();
    }
    assert_eq!(server.admin().get(&path).await.ok()["items"], json!([]));
    let actions = audited(&server, &server.admin_person().tenant);
    let count = |action: &str| actions.iter().filter(|(done, _)| done == action).count();
    assert_eq!((count("join_request.approve"), count("join_request.refuse")), (2, 1));
}

#[tokio::test]
async fn invitation_replaces_a_waiting_join_request() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "approval"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    let token = super::link(&super::invite(&server, "ada@example.org", "editor").await);
    super::accept(&server.anonymous(), &token, super::newcomer()).await.ok();
    assert_eq!(server.admin().get(&format!("{ADMIN}/join-requests")).await.ok()["items"], json!([]));
}

#[tokio::test]
async fn join_request_is_refused_if_its_address_got_an_account_since() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "approval"})).await;
    sign_up(&server, "ada@example.org", "the first one's word").await.expect(202);
    // In the meantime another person got this address in another tenant.
    let body = json!({"email": "ada@example.org", "password": PASSWORD});
    server.admin_elsewhere().await.post("/api/auth/users", body).await.created();
    let path = format!("{ADMIN}/join-requests");
    let id = text(&server.admin().get(&path).await.ok()["items"][0]["id"]);
    server.admin().post(&format!("{path}/{id}/approve"), json!({})).await.problem(409, "conflict");
    log_in(&server, "ada@example.org", "the first one's word").await.problem(401, "login_failed");
}

#[tokio::test]
async fn concurrent_sign_ups_with_one_address_create_one_user() {
    let server = TestServer::start().await;
    provision(&server, json!({"mode": "open"})).await;
    let all = futures::future::join_all((0..8).map(|_| sign_up(&server, "ada@example.org", PASSWORD))).await;
    assert!(all.iter().all(|answer| matches!(answer.status, 200 | 409)), "{all:?}");
    assert!(all.iter().any(|answer| answer.status == 200));
    assert_eq!(users_of(&server, "ada@example.org"), 1);
    server.stored().await;
}

#[tokio::test]
async fn sign_ups_are_throttled() {
    let server = TestServer::start_with(|config| config.auth.failures_per_address = 4).await;
    provision(&server, json!({"mode": "open"})).await;
    for n in 0..4 {
        sign_up(&server, &format!("x{n}@example.org"), PASSWORD).await.ok();
    }
    sign_up(&server, "y@example.org", PASSWORD).await.problem(429, "login_throttled");
    assert_eq!(users_of(&server, "y@example.org"), 0);
}

/// Signing up with a user's address does not lock that user out.
#[tokio::test]
async fn sign_ups_do_not_lock_out_the_user() {
    let server = TestServer::start_with(|config| {
        (config.auth.failures_per_account, config.auth.failures_per_address) = (3, 1_000);
    });
    let server = server.await;
    provision(&server, json!({"mode": "invite_only"})).await;
    let email = server.user_person().email.clone();
    for _ in 0..3 {
        sign_up(&server, &email, "not-the-password").await.problem(403, "invitation_required");
    }
    sign_up(&server, &email, "not-the-password").await.problem(429, "login_throttled");
    log_in(&server, &email, PASSWORD).await.ok();
}

#[tokio::test]
async fn sign_up_reports_all_faults_at_once() {
    let server = TestServer::start().await;
    let body = json!({"tenant": "", "email": "x", "password": "short", "display_name": ""});
    let faults = server.anonymous().post("/api/auth/register", body).await.faults();
    assert_eq!(faults, ["body.display_name", "body.email", "body.password", "body.tenant"]);
}

#[tokio::test]
async fn directory_mode_requires_mail() {
    let server = TestServer::start().await;
    let put = server.admin().put(&format!("{ADMIN}/provisioning-mode"), json!({"mode": "directory"})).await;
    put.problem(409, "mail_missing");
    assert_eq!(
        server.admin().get(&format!("{ADMIN}/settings")).await.ok()["provisioning_mode"],
        "invite_only"
    );
    // A tenant in directory mode refuses sign-ups once mail is no longer configured.
    let (server, _smtp) = with_mail().await;
    provision(&server, json!({"mode": "directory"})).await;
    let server = server.restart_with(|config| config.mail.url = None).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.problem(409, "mail_missing");
}
