use super::{ADMIN, in_session, log_in, provision, sign_up, users_of, with_mail};
use crate::harness::fake_smtp::{FakeSmtp, MailBehaviour};
use crate::harness::{Answer, PASSWORD, TestServer, text, until};
use serde_json::json;
use storage::records::{DirectoryPerson, Governed, Group, GroupMember, JoinRequest};
use storage::{Scan, TenantId, Timestamp, new_id};

async fn confirm(server: &TestServer, token: &str, password: &str) -> Answer {
    let body = json!({"token": token, "password": password});
    server.anonymous().post("/api/auth/register/confirm", body).await
}

async fn token_for(smtp: &FakeSmtp, email: &str) -> String {
    smtp.letter_to(email).await.token("confirm")
}

#[tokio::test]
async fn sign_up_verifies_the_address_by_email() {
    let (server, smtp) = with_mail().await;
    assert_eq!(provision(&server, json!({"mode": "open"})).await["mail"], true);
    let answer = sign_up(&server, "ada@example.org", PASSWORD).await;
    assert_eq!(answer.expect(202).json(), json!({"status": "mailed"}));
    assert_eq!(users_of(&server, "ada@example.org"), 0);
    log_in(&server, "ada@example.org", PASSWORD).await.problem(401, "login_failed");
    let letter = smtp.letter_to("ada@example.org").await;
    assert!(letter.text.contains("http://understudy.example.org/join#confirm=unl_"), "{}", letter.text);
    let server = server.restart().await;
    let answer = confirm(&server, &letter.token("confirm"), PASSWORD).await;
    in_session(&server, &answer).get("/api/users/me").await.ok();
    // The link works once.
    confirm(&server, &letter.token("confirm"), PASSWORD).await.not_found();
    confirm(&server, "unl_", PASSWORD).await.not_found();
}

#[tokio::test]
async fn confirm_link_of_another_persons_sign_up_gives_no_access() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "open"})).await;
    // Eve signs up with Ada's address. Ada opens the link but does not know Eve's password.
    sign_up(&server, "ada@example.org", "eve's long password").await.expect(202);
    let eves = token_for(&smtp, "ada@example.org").await;
    confirm(&server, &eves, PASSWORD).await.problem(401, "login_failed");
    assert_eq!(users_of(&server, "ada@example.org"), 0);
    // Eve's sign-up does not prevent Ada's own.
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    let adas = token_for(&smtp, "ada@example.org").await;
    sign_up(&server, "ada@example.org", "eve's long password").await.expect(202);
    confirm(&server, &adas, PASSWORD).await.ok();
    // Eve's sign-up is now useless: the address has an account with a different password.
    confirm(&server, &eves, "eve's long password").await.problem(401, "login_failed");
    log_in(&server, "ada@example.org", PASSWORD).await.ok();
}

#[tokio::test]
async fn existing_account_joins_with_the_email_and_its_own_password() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "open"})).await;
    sign_up(&server, "stranger@example.com", "another long password").await.expect(202);
    let token = token_for(&smtp, "stranger@example.com").await;
    confirm(&server, &token, "another long password").await.problem(401, "login_failed");
    let login = confirm(&server, &token, PASSWORD).await.ok();
    assert_eq!(
        (&login["user"]["id"], &login["tenant"]["name"]),
        (&json!(server.stranger_person().id), &json!("Default"))
    );
    assert_eq!(users_of(&server, "stranger@example.com"), 1);
}

#[tokio::test]
async fn verified_address_may_still_need_approval() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "approval"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    let path = format!("{ADMIN}/join-requests");
    assert_eq!(server.admin().get(&path).await.ok()["items"], json!([]));
    let waiting = confirm(&server, &token_for(&smtp, "ada@example.org").await, PASSWORD).await;
    assert_eq!(waiting.expect(202).json(), json!({"status": "waiting"}));
    let list = server.admin().get(&path).await.ok();
    assert_eq!(
        (&list["items"][0]["email"], &list["items"][0]["proved"]),
        (&json!("ada@example.org"), &json!(true))
    );
    let id = text(&list["items"][0]["id"]);
    server.admin().post(&format!("{path}/{id}/approve"), json!({})).await.ok();
    until("ada is welcome", async || smtp.letter_to("ada@example.org").await.subject == "Welcome to Default")
        .await;
    log_in(&server, "ada@example.org", PASSWORD).await.ok();
}

/// An account that another person has since created with the address does not belong to the person who waits.
#[tokio::test]
async fn verification_by_another_person_gives_no_access() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "approval"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    confirm(&server, &token_for(&smtp, "ada@example.org").await, PASSWORD).await.expect(202);
    let thief = json!({"email": "ada@example.org", "password": "the-password-of-a-thief", "role": "user"});
    server.admin_elsewhere().await.post("/api/auth/users", thief).await.created();
    let path = format!("{ADMIN}/join-requests");
    let id = text(&server.admin().get(&path).await.ok()["items"][0]["id"]);
    server.admin().post(&format!("{path}/{id}/approve"), json!({})).await.problem(409, "conflict");
}

#[tokio::test]
async fn confirm_applies_the_settings_at_the_time_of_confirmation() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "open"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    let token = token_for(&smtp, "ada@example.org").await;
    provision(&server, json!({"mode": "invite_only"})).await;
    confirm(&server, &token, PASSWORD).await.problem(403, "invitation_required");
    provision(&server, json!({"mode": "open", "domains": ["acme.example"]})).await;
    confirm(&server, &token, PASSWORD).await.problem(403, "domain_not_allowed");
    provision(&server, json!({"mode": "open", "domains": []})).await;
    confirm(&server, &token, PASSWORD).await.ok();
}

#[tokio::test]
async fn directory_mode_admits_listed_people() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "directory"})).await;
    let tenant = TenantId(server.admin_person().tenant.parse().unwrap());
    let group = new_id();
    let list = move |tx: &mut storage::Tx| {
        tx.insert(
            tenant,
            group,
            Group { name: "Crew".into(), external_id: "crew".into(), ..Group::default() },
        )?;
        let person = DirectoryPerson { name: "Ada L.".into(), groups: vec![group] };
        tx.insert(tenant, "ada@example.org".to_owned(), person)?;
        Governed::note(tx, tenant, |governed| governed.groups = true)
    };
    server.store().run::<_, storage::Error>(list).await.unwrap();
    for email in ["ada@example.org", "eve@example.org"] {
        assert_eq!(sign_up(&server, email, PASSWORD).await.expect(202).json(), json!({"status": "mailed"}));
    }
    let eve = token_for(&smtp, "eve@example.org").await;
    confirm(&server, &eve, PASSWORD).await.problem(403, "not_in_directory");
    assert_eq!(users_of(&server, "eve@example.org"), 0);
    let answer = confirm(&server, &token_for(&smtp, "ada@example.org").await, PASSWORD).await;
    let user = text(&answer.ok()["user"]["id"]).parse().unwrap();
    let listed = server
        .store()
        .read_now::<_, storage::Error>(|reader| reader.get::<GroupMember>(tenant, &(user, group)));
    assert!(listed.unwrap().is_some(), "the user is a member of the group that lists the address");
}

#[tokio::test]
async fn sign_up_reports_an_email_that_was_not_sent() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "open"})).await;
    smtp.behave(MailBehaviour::Later);
    let problem = sign_up(&server, "ada@example.org", PASSWORD).await;
    problem.problem(502, "mail_failed");
    // The response of the mail server is written to the log only.
    assert!(!problem.text().contains("421"), "{problem:?}");
}

#[tokio::test]
async fn confirm_links_expire_after_a_day_and_are_swept() {
    let (server, smtp) = with_mail().await;
    provision(&server, json!({"mode": "open"})).await;
    sign_up(&server, "ada@example.org", PASSWORD).await.expect(202);
    let token = token_for(&smtp, "ada@example.org").await;
    let age = |tx: &mut storage::Tx| {
        for mut row in tx.scan::<JoinRequest>(TenantId::SYSTEM, Scan::table())?.items {
            row.expires_at = Timestamp::now();
            tx.update(TenantId::SYSTEM, row)?;
        }
        Ok(())
    };
    server.store().run::<_, storage::Error>(age).await.unwrap();
    confirm(&server, &token, PASSWORD).await.problem(410, "invitation_expired");
    let server = server.restart().await;
    until("they are swept at the start", async || {
        let rows = |reader: &storage::Reader| reader.scan::<JoinRequest>(TenantId::SYSTEM, Scan::table());
        server.store().read_now::<_, storage::Error>(rows).unwrap().items.is_empty()
    })
    .await;
}
