//! Registration: requested, and confirmed through the link of an email.

use std::time::Duration;

use serde_json::{Value, json};

use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::api::streams::reading::unlimited;
use crate::harness::fake_smtp::{FakeSmtp, MAIL_PASSWORD, MailBehaviour};
use crate::harness::{PASSWORD, TestServer};

const REGISTER: &str = "/api/auth/register";
const CONFIRM: &str = "/api/auth/register/confirm";
pub const SECRETS: [&str; 2] = [PASSWORD, MAIL_PASSWORD];

/// Removes the limits on attempts, because mutated requests are failed attempts.
pub fn unthrottled(config: &mut understudy::Config) {
    unlimited(config);
    config.auth.failures_per_account = 1_000_000;
    config.auth.failures_per_account_everywhere = 1_000_000;
    config.auth.failures_per_address = 1_000_000;
}

/// A server on which everyone with an e-mail address can register.
async fn server(smtp: Option<&FakeSmtp>) -> TestServer {
    let configure = |config: &mut understudy::Config| {
        unthrottled(config);
        if let Some(smtp) = smtp {
            smtp.configure(config);
        }
    };
    let server = TestServer::start_with(configure).await;
    server.admin().put("/api/tenant-admin/provisioning-mode", json!({"mode": "open"})).await.ok();
    server
}

fn registering(email: &str) -> Request {
    let body = json!({"tenant": "default", "email": email, "password": PASSWORD, "display_name": "Ada"});
    Request::post(REGISTER, &body)
}

/// The body that confirms a new registration.
async fn signed_up(trial: &mut Trial, server: &TestServer, smtp: &FakeSmtp, email: &str) -> Value {
    let body = json!({"tenant": "default", "email": email, "password": PASSWORD, "display_name": "Ada"});
    server.anonymous().post(REGISTER, body).await.expect(202);
    let token = smtp.letter_to(email).await.token("confirm");
    trial.keep_secret(&token);
    json!({"token": token, "password": PASSWORD})
}

#[tokio::test]
async fn register_handles_mutated_requests() {
    let smtp = FakeSmtp::start().await;
    let server = server(Some(&smtp)).await;
    let mut trial = Trial::of(&server, "auth.register", &SECRETS);
    let valid = registering("ada@example.org");
    trial.valid(&valid, 202).await;
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
    }
    trial.cut_on_the_wire(&valid).await;
    trial.valid(&valid, 202).await;
    // Names and addresses cannot inject headers into the email.
    let taken = smtp.taken();
    assert!(taken.iter().all(|letter| !letter.head.contains("\nInjected:")), "{taken:?}");
    server.stored().await;
    trial.end();
}

#[tokio::test]
async fn register_without_mail_handles_mutated_requests() {
    let server = server(None).await;
    let mut trial = Trial::of(&server, "auth.register", &SECRETS);
    trial.valid(&registering("ada@example.org"), 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&registering(&format!("ada-{round}@example.org")), round).await;
    }
    trial.valid(&registering("eve@example.org"), 200).await;
    // A member logs in again with the same password.
    trial.valid(&registering("ada@example.org"), 200).await;
    server.stored().await;
    trial.end();
}

#[tokio::test]
async fn confirm_registration_handles_mutated_requests() {
    let smtp = FakeSmtp::start().await;
    let server = server(Some(&smtp)).await;
    let mut trial = Trial::of(&server, "auth.confirm_registration", &SECRETS);
    let first = signed_up(&mut trial, &server, &smtp, "first@example.org").await;
    trial.valid(&Request::post(CONFIRM, &first), 200).await;
    let mut body = signed_up(&mut trial, &server, &smtp, "ada@example.org").await;
    for round in 0..trial.rounds {
        let answer = trial.mutated(&Request::post(CONFIRM, &body), round).await;
        if answer.is_some_and(|answer| answer.status < 300) {
            body = signed_up(&mut trial, &server, &smtp, &format!("ada-{round}@example.org")).await;
        }
    }
    let valid = Request::post(CONFIRM, &body);
    trial.cut_on_the_wire(&valid).await;
    // Mutations that were refused have not used up the link.
    trial.valid(&valid, 200).await;
    server.stored().await;
    trial.end();
}

/// The response to a link that is no longer valid is documented.
#[tokio::test]
async fn confirm_registration_documents_expired_links() {
    use storage::records::JoinRequest;
    use storage::{Scan, TenantId, Timestamp};
    let smtp = FakeSmtp::start().await;
    let server = server(Some(&smtp)).await;
    let mut trial = Trial::of(&server, "auth.confirm_registration", &SECRETS);
    let body = signed_up(&mut trial, &server, &smtp, "ada@example.org").await;
    let age = |tx: &mut storage::Tx| {
        for mut row in tx.scan::<JoinRequest>(TenantId::SYSTEM, Scan::table())?.items {
            row.expires_at = Timestamp::from_millis(1);
            tx.update(TenantId::SYSTEM, row)?;
        }
        Ok(())
    };
    server.store().run::<_, storage::Error>(age).await.expect("it is written");
    let answer = trial.checked("a link that is over", &Request::post(CONFIRM, &body), Mutates::Request).await;
    assert_eq!(answer.map(|answer| answer.status), Some(410));
    trial.end();
}

/// Texts that the mail server sends in place of the expected ones.
const SAID: [&[u8]; 18] = [
    b"",
    b"\r\n\r\n",
    b"250",
    b"250-",
    b"2",
    b"25x ok\r\n",
    b"999 what?\r\n",
    b"-1 no\r\n",
    b"\xff\xfe\x00\r\n",
    b"250 \xc3\x28\r\n",
    b"421 later\r\n",
    b"550 no such person\r\n",
    b"535 no: understudy / s3cret mail w\xc3\xb6rd\r\n",
    b"334 \r\n",
    b"250 ok\r\n250 ok\r\n250 ok\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    b"250-a\r\n550 b\r\n",
    b"99999999999999999999 ok\r\n",
];
const COMMANDS: [&str; 8] = ["", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", ".", "QUIT"];

/// Whatever the mail server sends, a registration is answered in time, and so is a request for a forgotten password.
#[tokio::test]
async fn register_and_forgot_password_handle_mutated_replies() {
    let smtp = FakeSmtp::start().await;
    let server = server(Some(&smtp)).await;
    let mut trial = Trial::of(&server, "auth.register", &SECRETS);
    trial.valid(&registering("ada@example.org"), 202).await;
    // Do not wait long for a mail server that hangs; the valid requests have the normal time limit.
    let server = server.restart_with(|config| config.mail.seconds = 0.4).await;
    let mut trial = Trial::of(&server, "auth.register", &SECRETS);
    let mut forgot_trial = Trial::of(&server, "auth.forgot_password", &SECRETS);
    let forgotten = Request::post("/api/auth/password/forgotten", &json!({"email": "user@example.org"}));
    for round in 0..trial.rounds {
        let (after, said) = (COMMANDS[round % COMMANDS.len()], SAID[round % SAID.len()]);
        let bytes = if round % 9 == 8 { b"250-more\r\n".repeat(100) } else { said.to_vec() };
        smtp.behave(MailBehaviour::Says { after, bytes, hangs_up: round % 6 != 0 });
        let what = format!("after {after:?}: {:?}", String::from_utf8_lossy(said));
        let email = format!("ada-{round}@example.org");
        trial.checked(&what, &registering(&email), Mutates::Reply).await;
        if round % 6 == 1 {
            let answer = forgot_trial.checked(&what, &forgotten, Mutates::Reply).await;
            if answer.is_some_and(|answer| answer.status != 202) {
                forgot_trial.note(&what, "it shows what the mail server does".to_owned());
            }
        }
    }
    smtp.behave(MailBehaviour::Takes);
    let server = server.restart_with(|config| config.mail.seconds = 60.0).await;
    let mut last = Trial::of(&server, "auth.confirm_registration", &SECRETS);
    let body = signed_up(&mut last, &server, &smtp, "eve@example.org").await;
    last.valid(&Request::post(CONFIRM, &body), 200).await;
    server.stored().await;
    trial.include(forgot_trial);
    trial.include(last);
    trial.end();
}

/// A mail server with long replies delays only the request that waits for the email, and for at most `mail.seconds`.
#[tokio::test]
async fn register_responds_in_time_for_any_mail_server_reply() {
    let smtp = FakeSmtp::start().await;
    let server = server(Some(&smtp)).await.restart_with(|config| config.mail.seconds = 0.5).await;
    let mut trial = Trial::of(&server, "auth.register", &SECRETS);
    smtp.behave(MailBehaviour::Says { after: "EHLO", bytes: b"250-more\r\n".repeat(1_100), hangs_up: false });
    let began = std::time::Instant::now();
    let valid = registering("ada@example.org");
    let beside = async {
        // Sent while the email is being delivered, on separate connections, so that they reach all of the server's
        // threads.
        tokio::time::sleep(Duration::from_millis(100)).await;
        for _ in 0..20 {
            server.anonymous().get("/health").await.expect(200);
        }
        began.elapsed()
    };
    let (_, others) = tokio::join!(trial.checked("a long greeting", &valid, Mutates::Reply), beside);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(5), "the response arrived after {took:?}");
    assert!(others < Duration::from_secs(5), "others were answered after {others:?}");
    smtp.behave(MailBehaviour::Takes);
    let server = server.restart_with(|config| config.mail.seconds = 60.0).await;
    let mut last = Trial::of(&server, "auth.register", &SECRETS);
    last.valid(&valid, 202).await;
    trial.include(last);
    trial.end();
}
