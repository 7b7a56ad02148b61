use super::{ADMIN, accept, newcomer, with_mail};
use crate::harness::fake_smtp::{FakeSmtp, MAIL_PASSWORD, MailBehaviour};
use crate::harness::{TestServer, text, until};
use serde_json::{Value, json};

async fn invite_both(server: &TestServer) -> (Value, Value) {
    let body = json!({"emails": ["ada@example.org", "bob@example.org"], "message": "Kommt schön!"});
    let items = server.admin().post(&format!("{ADMIN}/invitations"), body).await.ok()["items"].clone();
    (items[0].clone(), items[1].clone())
}

#[tokio::test]
async fn invitation_link_is_sent_by_email_and_not_returned() {
    let (server, smtp) = with_mail().await;
    let (ada, _) = invite_both(&server).await;
    assert_eq!(
        (&ada["result"], &ada["link"], &ada["detail"]),
        (&json!("mailed"), &Value::Null, &Value::Null)
    );
    let letter = smtp.letter_to("ada@example.org").await;
    assert_eq!(
        (letter.from.as_str(), letter.subject.as_str()),
        ("post@example.org", "Invitation to Default")
    );
    assert_eq!(letter.hello, "example.org");
    assert!(letter.head.contains("Auto-Submitted: auto-generated"), "{}", letter.head);
    assert!(letter.head.contains("@example.org>") && !letter.head.contains("@localhost"), "{}", letter.head);
    assert!(letter.text.contains("Kommt schön!") && letter.text.contains("Administrator"), "{}", letter.text);
    assert!(letter.text.contains("http://understudy.example.org/join#invitation=unl_"), "{}", letter.text);
    let listed = server.admin().get(&format!("{ADMIN}/invitations")).await.ok();
    assert!(listed["items"].as_array().unwrap().iter().all(|item| item["mailed_at"].is_string()), "{listed}");
    accept(&server.anonymous(), &letter.token("invitation"), newcomer()).await.ok();
    assert_eq!(smtp.taken().len(), 2);
}

#[tokio::test]
async fn invitation_link_is_returned_if_the_email_is_refused() {
    let (server, smtp) = with_mail().await;
    smtp.behave(MailBehaviour::Knows(vec!["bob@example.org".to_owned()]));
    let (ada, bob) = invite_both(&server).await;
    assert_eq!((&ada["result"], &bob["result"]), (&json!("mail_failed"), &json!("mailed")));
    assert!(text(&ada["detail"]).contains("no such person"), "{ada}");
    let listed = server.admin().get(&format!("{ADMIN}/invitations")).await.ok();
    let mailed = |email: &str| {
        let items = listed["items"].as_array().unwrap();
        items.iter().find(|item| item["email"] == email).unwrap()["mailed_at"].is_string()
    };
    assert!(!mailed("ada@example.org") && mailed("bob@example.org"));
    let token = crate::harness::fake_smtp::token(&text(&ada["link"]), "invitation");
    accept(&server.anonymous(), &token, newcomer()).await.ok();
}

#[tokio::test]
async fn invitation_is_kept_if_the_mail_server_fails() {
    let (mut server, smtp) = with_mail().await;
    let patience = |seconds: f64| move |config: &mut understudy::Config| config.mail.seconds = seconds;
    for (behaviour, told) in [
        (MailBehaviour::Later, "too busy"),
        (MailBehaviour::Hangs, "did not answer in time"),
        (MailBehaviour::Drops, "cannot be reached"),
        (MailBehaviour::Blurts, "refused the login"),
    ] {
        // A mail server that responds at all gets enough time, however slow the machine is.
        let seconds = if behaviour == MailBehaviour::Hangs { 0.5 } else { 60.0 };
        server = server.restart_with(patience(seconds)).await;
        smtp.behave(behaviour.clone());
        let (ada, bob) = invite_both(&server).await;
        for one in [&ada, &bob] {
            assert_eq!(one["result"], "mail_failed", "{behaviour:?}: {one}");
            assert!(text(&one["detail"]).contains(told), "{behaviour:?}: {one}");
            assert!(!one.to_string().contains(MAIL_PASSWORD), "{behaviour:?}: {one}");
            let token = crate::harness::fake_smtp::token(&text(&one["link"]), "invitation");
            server.anonymous().get(&format!("/api/auth/invitations/{token}")).await.ok();
        }
    }
    smtp.behave(MailBehaviour::Takes);
    assert_eq!(invite_both(&server).await.0["result"], "mailed");
}

#[tokio::test]
async fn invite_reports_an_unreachable_mail_server() {
    let smtp = FakeSmtp::start().await;
    let server = TestServer::start_with(|config| {
        smtp.configure(config);
        config.mail.url = Some("smtp://127.0.0.1:1?tls=none".into());
    })
    .await;
    let (ada, _) = invite_both(&server).await;
    assert_eq!(ada["result"], "mail_failed");
    assert!(text(&ada["detail"]).contains("cannot be reached"), "{ada}");
}

#[tokio::test]
async fn emails_are_sent_after_the_client_disconnects() {
    let (server, smtp) = with_mail().await;
    smtp.hold();
    let (admin, path) = (server.admin(), format!("{ADMIN}/invitations"));
    let body = json!({"emails": ["ada@example.org", "bob@example.org"]});
    let asking = tokio::spawn(async move { admin.post(&path, body).await.status });
    smtp.was_sent(2).await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    smtp.release();
    for email in ["ada@example.org", "bob@example.org"] {
        let token = smtp.letter_to(email).await.token("invitation");
        server.anonymous().get(&format!("/api/auth/invitations/{token}")).await.ok();
    }
    let path = format!("{ADMIN}/invitations");
    until("both are noted as mailed", async || {
        let listed = server.admin().get(&path).await.ok();
        let items = listed["items"].as_array().expect("items");
        items.iter().filter(|item| item["mailed_at"].is_string()).count() == 2
    })
    .await;
}

#[tokio::test]
async fn names_cannot_inject_email_headers() {
    let (server, smtp) = with_mail().await;
    let name = "Acme\r\nBcc: eve@example.org\r\n\r\nHello";
    let refused = server.admin().patch(&format!("{ADMIN}/settings"), json!({"name": name})).await;
    let problem = refused.problem(422, "invalid");
    assert_eq!(problem["errors"][0]["loc"], json!(["body", "name"]), "{problem}");
    invite_both(&server).await;
    let letter = smtp.letter_to("ada@example.org").await;
    assert!(!letter.subject.contains("Acme"), "{}", letter.subject);
    assert!(smtp.taken().iter().all(|letter| letter.to != "eve@example.org"));
}
