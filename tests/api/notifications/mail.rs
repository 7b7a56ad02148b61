//! Notifications by email to the user's own address.

use serde_json::{Value, json};

use super::{ENDPOINTS, endpoints, quick, unregister, until, write};
use crate::api::joining::{provision, sign_up};
use crate::harness::fake_smtp::{FakeSmtp, MailBehaviour};
use crate::harness::{PASSWORD, Person, TestServer};

async fn with_mail() -> (TestServer, FakeSmtp) {
    let smtp = FakeSmtp::start().await;
    let settings = |config: &mut understudy::Config| {
        quick(config);
        smtp.configure(config);
        config.notifications.link_base = Some("https://chat.example.org/app/".to_owned());
    };
    (TestServer::start_with(settings).await, smtp)
}

#[tokio::test]
async fn emails_are_sent_to_the_users_own_address() {
    let (server, smtp) = with_mail().await;
    let user = server.user();
    let made = user.post(ENDPOINTS, json!({"kind": "email", "label": "Post"})).await.created();
    assert_eq!((&made["kind"], &made["secret"]), (&json!("email"), &Value::Null));
    user.post(ENDPOINTS, json!({"kind": "email", "label": "Post"})).await.ok();
    let said = json!({
        "user_ids": [server.user_person().id], "title": "Tides\u{1F30A}", "body": "High at noon.", "link": "/tides",
    });
    server.admin().post("/api/notifications/send", said).await.created();
    let letter = smtp.letter_to("user@example.org").await;
    assert_eq!(letter.subject, "Tides\u{1F30A}");
    assert!(letter.text.starts_with("High at noon."), "{}", letter.text);
    assert!(letter.text.contains("https://chat.example.org/app/tides"), "{}", letter.text);
    assert!(letter.text.contains("of the type message"), "{}", letter.text);
    unregister(&user, json!({"kind": "email"})).await.no_content();
    write(&server, server.user_person(), "not by mail").await;
    write(&server, server.user_person(), "nor this").await;
    assert_eq!(smtp.taken().len(), 1);

    // Without the address of the user interface, links are paths only.
    let server = server.restart_with(|config| config.notifications.link_base = None).await;
    server.user().post(ENDPOINTS, json!({"kind": "email"})).await.created();
    let said =
        json!({"user_ids": [server.user_person().id], "title": "Ebb", "body": "Low at six.", "link": "/ebb"});
    server.admin().post("/api/notifications/send", said).await.created();
    let letter =
        until("the letter", async || smtp.taken().into_iter().find(|letter| letter.subject == "Ebb"));
    let letter = letter.await;
    assert!(letter.text.starts_with("Low at six.") && !letter.text.contains("/ebb"), "{}", letter.text);
}

#[tokio::test]
async fn email_is_retried_if_the_mail_server_is_busy() {
    let (server, smtp) = with_mail().await;
    let user = server.user();
    user.post(ENDPOINTS, json!({"kind": "email"})).await.created();
    smtp.behave(MailBehaviour::Later);
    write(&server, server.user_person(), "Tides").await;
    until("the refusal", async || endpoints(&user).await.pop().filter(|it| it["last_error"].is_string()))
        .await;
    smtp.behave(MailBehaviour::Takes);
    // Whether the first email is still being retried or was given up, the next one is accepted.
    write(&server, server.user_person(), "Ebb").await;
    smtp.letter_to("user@example.org").await;
    until("its good end", async || endpoints(&user).await.pop().filter(|it| it["last_error"].is_null()))
        .await;
    let error = format!("{:?}", endpoints(&user).await);
    assert!(!error.contains("s3cret"), "{error}");
}

#[tokio::test]
async fn unverified_address_gets_no_emails() {
    // Without mail no address can be verified; with it, every sign-up is verified.
    let server = TestServer::start_with(quick).await;
    provision(&server, json!({"mode": "open"})).await;
    sign_up(&server, "anybody@example.org", PASSWORD).await;
    let folder = FakeSmtp::start().await;
    let server = server.restart_with(|config| folder.configure(config)).await;
    let anybody = Person::log_in(&server.url(), "anybody@example.org", PASSWORD).await;
    let refused = server.client(&anybody.access_token).post(ENDPOINTS, json!({"kind": "email"})).await;
    let problem = refused.problem(409, "conflict");
    assert!(problem["detail"].as_str().is_some_and(|why| why.contains("verified")), "{problem}");
}
