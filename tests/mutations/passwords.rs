//! Forgotten passwords: an email is requested, and a new password is set through its link.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::registration::{SECRETS, unthrottled};
use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::harness::fake_smtp::FakeSmtp;
use crate::harness::{TestServer, until};

const FORGOTTEN: &str = "/api/auth/password/forgotten";
const RESET: &str = "/api/auth/password/reset";
const EMAIL: &str = "user@example.org";

async fn server() -> (TestServer, FakeSmtp) {
    let smtp = FakeSmtp::start().await;
    let configure = |config: &mut understudy::Config| {
        unthrottled(config);
        smtp.configure(config);
    };
    (TestServer::start_with(configure).await, smtp)
}

/// The body that sets a new password through a new link.
async fn by_letter(trial: &mut Trial, server: &TestServer, smtp: &FakeSmtp, password: &str) -> Value {
    let before = smtp.taken().len();
    server.anonymous().post(FORGOTTEN, json!({"email": EMAIL})).await.expect(202);
    until("an email was received", async || smtp.taken().len() > before).await;
    let token = smtp.letter_to(EMAIL).await.token("password");
    trial.keep_secret(&token);
    trial.keep_secret(password);
    json!({"token": token, "new_password": password})
}

async fn log_in(server: &TestServer, password: &Value) -> u16 {
    let body = json!({"email": EMAIL, "password": password});
    server.anonymous().post("/api/auth/login/", body).await.status
}

#[tokio::test]
async fn forgot_password_handles_mutated_requests() {
    let (server, smtp) = server().await;
    let mut trial = Trial::of(&server, "auth.forgot_password", &SECRETS);
    let valid = Request::post(FORGOTTEN, &json!({"email": EMAIL}));
    trial.valid(&valid, 202).await;
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
    }
    trial.cut_on_the_wire(&valid).await;
    let body = by_letter(&mut trial, &server, &smtp, "another horse and staple").await;
    let others: Vec<_> = smtp.taken().into_iter().filter(|letter| letter.to != EMAIL).collect();
    assert!(others.is_empty(), "emails to other addresses: {others:?}");
    server.anonymous().post(RESET, body).await.ok();
    server.stored().await;
    trial.end();
}

/// `Upgrade` without `Connection: upgrade` has no meaning (RFC 9110, 7.8): the length of the body is `Content-Length`,
/// and the server does not wait for more.
#[tokio::test]
async fn request_body_with_an_upgrade_header_ends_at_its_content_length() {
    let smtp = FakeSmtp::start().await;
    let configure = |config: &mut understudy::Config| {
        unthrottled(config);
        smtp.configure(config);
        config.limits.body_seconds = 8;
    };
    let server = TestServer::start_with(configure).await;
    let mut trial = Trial::of(&server, "auth.forgot_password", &SECRETS);
    let valid = Request::post(FORGOTTEN, &json!({"email": EMAIL})).header("upgrade", "websocket");
    let began = Instant::now();
    let answer = trial.checked("an upgrade header", &valid, Mutates::Request).await;
    if began.elapsed() > Duration::from_secs(5) {
        trial.note("an upgrade header", format!("answered after {:?}: {answer:?}", began.elapsed()));
    }
    trial.end();
}

#[tokio::test]
async fn reset_password_handles_mutated_requests() {
    let (server, smtp) = server().await;
    let mut trial = Trial::of(&server, "auth.reset_password", &SECRETS);
    let first = by_letter(&mut trial, &server, &smtp, "the first new password").await;
    trial.valid(&Request::post(RESET, &first), 200).await;
    let mut body = by_letter(&mut trial, &server, &smtp, "new password number 0").await;
    for round in 0..trial.rounds {
        let answer = trial.mutated(&Request::post(RESET, &body), round).await;
        if answer.is_some_and(|answer| answer.status < 300) {
            body = by_letter(&mut trial, &server, &smtp, &format!("new password number {round}")).await;
        }
    }
    let valid = Request::post(RESET, &body);
    trial.cut_on_the_wire(&valid).await;
    // Mutations that were refused have neither used up the link nor set a password.
    assert_ne!(log_in(&server, &body["new_password"]).await, 200);
    trial.valid(&valid, 200).await;
    assert_eq!(log_in(&server, &body["new_password"]).await, 200);
    server.stored().await;
    trial.end();
}
