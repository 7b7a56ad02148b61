//! Changing passwords with the old one or with an emailed link, and the sessions that end as a result.

use serde_json::{Value, json};

use crate::api::joining::{audited, in_session, log_in, with_mail};
use crate::harness::{Answer, Client, PASSWORD, TestServer, text};

const MINE: &str = "/api/auth/password";
const NEW: &str = "another horse and staple";
const EMAIL: &str = "user@example.org";

async fn change(client: &Client, current: &str, new: &str) -> Answer {
    client.put(MINE, json!({"current_password": current, "new_password": new})).await
}

async fn forget(client: &Client, email: &str) -> Answer {
    client.post(&format!("{MINE}/forgotten"), json!({"email": email})).await
}

async fn reset(client: &Client, token: &str, new: &str) -> Answer {
    client.post(&format!("{MINE}/reset"), json!({"token": token, "new_password": new})).await
}

fn passwords_audited(server: &TestServer) -> usize {
    let tenant = server.user_person().tenant.clone();
    audited(server, &tenant).iter().filter(|(action, _)| action == "user.password").count()
}

#[tokio::test]
async fn change_password_requires_the_old_one() {
    let server = TestServer::start().await;
    let elsewhere = in_session(&server, &log_in(&server, EMAIL, PASSWORD).await);
    let token = server.user().post("/api/auth/api-tokens", json!({"name": "kept"})).await.created();
    let before = server.stored().await;
    let refused = change(&server.user(), "not the one there is", NEW).await;
    assert_eq!(refused.faults(), ["body.current_password"]);
    assert_eq!(change(&server.user(), PASSWORD, "short").await.faults(), ["body.new_password"]);
    assert_eq!(server.stored().await, before);

    change(&server.user(), PASSWORD, NEW).await.no_content();
    server.user().get("/api/users/me").await.ok();
    elsewhere.get("/api/users/me").await.problem(401, "session_ended");
    server.client(&text(&token["token"])).get("/api/users/me").await.ok();
    log_in(&server, EMAIL, PASSWORD).await.problem(401, "login_failed");
    log_in(&server, EMAIL, NEW).await.ok();
    // The session that changed the password can still be renewed, and other users are not affected.
    let renew = json!({"refresh_token": server.user_person().refresh_token});
    server.anonymous().post("/api/auth/refresh/", renew).await.ok();
    log_in(&server, "editor@example.org", PASSWORD).await.ok();
    assert_eq!(passwords_audited(&server), 1);
}

#[tokio::test]
async fn change_password_requires_a_session_of_the_user() {
    let server = TestServer::start().await;
    change(&server.anonymous(), PASSWORD, NEW).await.problem(401, "credentials_missing");
    change(&server.token(&["account:write"]).await, PASSWORD, NEW).await.problem(403, "session_required");
    let wish = json!({"user_id": server.user_person().id, "reason": "to see"});
    let acting = server.admin().post("/api/auth/impersonate", wish).await.created();
    let acting = server.client(&text(&acting["access_token"]));
    change(&acting, PASSWORD, NEW).await.problem(403, "impersonation_limited");
    log_in(&server, EMAIL, PASSWORD).await.ok();
}

#[tokio::test]
async fn change_password_throttles_guesses_together_with_logins() {
    let server = TestServer::start_with(|config| config.auth.failures_per_account = 3).await;
    for _ in 0..3 {
        assert_eq!(change(&server.user(), "a guess of no use", NEW).await.status, 422);
    }
    change(&server.user(), PASSWORD, NEW).await.problem(429, "login_throttled");
    log_in(&server, EMAIL, PASSWORD).await.problem(429, "login_throttled");
}

#[tokio::test]
async fn reset_password_accepts_an_emailed_link_once() {
    let (server, smtp) = with_mail().await;
    let elsewhere = server.user();
    let asked = forget(&server.anonymous(), "User@Example.org").await;
    assert_eq!(asked.expect(202).json(), json!({"status": "mailed"}));
    let letter = smtp.letter_to(EMAIL).await;
    assert!(letter.text.contains("/join#password=unp_"), "{}", letter.text);
    let link = letter.token("password");
    elsewhere.get("/api/users/me").await.ok();
    log_in(&server, EMAIL, PASSWORD).await.ok();

    assert_eq!(reset(&server.anonymous(), &link, "short").await.faults(), ["body.new_password"]);
    let answer = reset(&server.anonymous(), &link, NEW).await;
    assert_eq!(answer.ok()["user"]["email"], EMAIL);
    assert!(answer.headers.get_all("set-cookie").iter().count() == 2);
    in_session(&server, &answer).get("/api/users/me").await.ok();
    elsewhere.get("/api/users/me").await.problem(401, "session_ended");
    log_in(&server, EMAIL, PASSWORD).await.problem(401, "login_failed");
    log_in(&server, EMAIL, NEW).await.ok();
    reset(&server.anonymous(), &link, "yet another password").await.problem(404, "not_found");
    log_in(&server, EMAIL, NEW).await.ok();
    assert_eq!(passwords_audited(&server), 1);
}

#[tokio::test]
async fn reset_link_is_invalid_after_a_password_change() {
    let (server, smtp) = with_mail().await;
    forget(&server.anonymous(), EMAIL).await.expect(202);
    let link = smtp.letter_to(EMAIL).await.token("password");
    change(&server.user(), PASSWORD, NEW).await.no_content();
    reset(&server.anonymous(), &link, "yet another password").await.problem(404, "not_found");
    // Neither an invented token nor one for another user works.
    let (editor, user) = (server.editor_person(), server.user_person());
    let plain = |id: &str| id.replace('-', "");
    let others = link.replace(&plain(&user.id), &plain(&editor.id));
    for token in [others.as_str(), "unp_x", &link[1..], "unl_x"] {
        reset(&server.anonymous(), token, "yet another password").await.problem(404, "not_found");
    }
    log_in(&server, &editor.email, PASSWORD).await.ok();
}

#[tokio::test]
async fn reset_link_used_twice_concurrently_succeeds_once() {
    let (server, smtp) = with_mail().await;
    forget(&server.anonymous(), EMAIL).await.expect(202);
    let link = smtp.letter_to(EMAIL).await.token("password");
    let client = server.anonymous();
    let (one, two) = tokio::join!(reset(&client, &link, "the first of them"), reset(&client, &link, NEW));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert!(statuses[0] == 200 && [404, 409].contains(&statuses[1]), "{one:?} {two:?}");
    let won = if one.status == 200 { "the first of them" } else { NEW };
    log_in(&server, EMAIL, won).await.ok();
    assert_eq!(passwords_audited(&server), 1);
}

#[tokio::test]
async fn reset_password_does_not_reveal_accounts() {
    let (server, smtp) = with_mail().await;
    let service = json!({"display_name": "CI", "role": "user"});
    let service = server.admin().post("/api/tenant-admin/service-accounts", service).await.created();
    for email in ["unknown@example.org", &text(&service["email"]), EMAIL] {
        assert_eq!(forget(&server.anonymous(), email).await.expect(202).json(), json!({"status": "mailed"}));
    }
    smtp.letter_to(EMAIL).await;
    assert!(smtp.taken().iter().all(|letter| letter.to == EMAIL), "{:?}", smtp.taken());
    assert_eq!(forget(&server.anonymous(), "no address").await.faults(), ["body.email"]);
}

#[tokio::test]
async fn reset_password_is_refused_without_mail() {
    let server = TestServer::start().await;
    let refused = forget(&server.anonymous(), EMAIL).await.problem(409, "mail_missing");
    assert!(text(&refused["detail"]).contains("understudy user password"), "{refused}");
}

#[tokio::test]
async fn reset_password_lets_a_throttled_user_sign_in() {
    let smtp = crate::harness::fake_smtp::FakeSmtp::start().await;
    let server = TestServer::start_with(|config| {
        smtp.configure(config);
        config.auth.failures_per_account = 2;
    })
    .await;
    for _ in 0..2 {
        log_in(&server, EMAIL, "a guess of no use").await.problem(401, "login_failed");
    }
    log_in(&server, EMAIL, PASSWORD).await.problem(429, "login_throttled");
    forget(&server.anonymous(), EMAIL).await.expect(202);
    let link = smtp.letter_to(EMAIL).await.token("password");
    assert_ne!(reset(&server.anonymous(), &link, NEW).await.ok()["access_token"], Value::Null);
    log_in(&server, EMAIL, NEW).await.ok();
}
