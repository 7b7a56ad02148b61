//! Messages of administrators to users.

use reqwest::Method;
use serde_json::{Value, json};
use storage::Scan;
use storage::records::AuditRecord;

use super::{PATH, listed, server, titles};
use crate::api::people::company::{group, join, tenant};
use crate::harness::{Client, TestServer, text};

fn path() -> String {
    format!("{PATH}/send")
}

async fn recipients(server: &TestServer, mut body: Value) -> u64 {
    body["title"] = body.get("title").cloned().unwrap_or(json!("Tides"));
    server.admin().post(&path(), body).await.created()["recipients"].as_u64().expect("a number")
}

#[tokio::test]
async fn send_notifies_each_recipient_once() {
    let server = server().await;
    let (ada, ada_is) = join(&server, "ada").await;
    let (bob, bob_is) = join(&server, "bob").await;
    let group = group(&server, "Sailors", &[&ada_is, &bob_is]).await;
    let member = |kind: &str, id: &str| json!({"kind": kind, "id": id});
    let members = [member("group", &group), member("user", &server.user_person().id)];
    let team = json!({"name": "Harbour", "members": members});
    let team = text(&server.editor().post("/api/teams", team).await.created()["id"]);
    let all = json!({"user_ids": [ada_is.id, ada_is.id], "group_ids": [group], "team_ids": [team]});
    // Ada and Bob, the user, and the editor, who owns the team.
    assert_eq!(recipients(&server, all).await, 4);
    for client in [&ada, &bob, &server.user(), &server.editor()] {
        assert_eq!(titles(client, "").await, ["Tides"]);
    }
    assert_eq!(listed(&server.admin(), "").await.len(), 0);
    let said = json!({
        "everyone": true, "type": "announcement", "severity": "warning", "title": " All ", "body": "hands",
        "link": "https://example.org/deck",
    });
    assert_eq!(recipients(&server, said).await, 5);
    let one = listed(&ada, "").await.remove(0);
    assert_eq!((&one["type"], &one["severity"]), (&json!("announcement"), &json!("warning")));
    assert_eq!((&one["title"], &one["link"]), (&json!("All"), &json!("https://example.org/deck")));
    assert_eq!(listed(&server.stranger(), "").await.len(), 0, "another tenant");
    let here = tenant(&server);
    let written = server.store().read(move |reader| reader.scan::<AuditRecord>(here, Scan::table()));
    let written: Vec<_> = written.await.expect("read").items;
    let sent: Vec<_> = written.iter().filter(|row| row.action == "notification.send").collect();
    assert_eq!((sent.len(), &sent[1].detail["recipients"]), (2, &json!(5)));
    assert_eq!(sent[0].actor.to_string(), server.admin_person().id);
}

#[tokio::test]
async fn send_names_unknown_recipients_and_sends_nothing() {
    let server = server().await;
    let (unknown, stranger) = (uuid::Uuid::now_v7(), server.stranger_person().id.clone());
    let body = json!({
        "user_ids": [server.user_person().id, unknown, stranger], "group_ids": [unknown], "team_ids": [unknown],
        "title": "Tides",
    });
    assert_eq!(
        server.admin().post(&path(), body).await.faults(),
        ["body.group_ids.0", "body.team_ids.0", "body.user_ids.1", "body.user_ids.2"]
    );
    assert_eq!(listed(&server.user(), "").await.len(), 0);
    let faults = async |body: Value| server.admin().post(&path(), body).await.faults();
    assert_eq!(faults(json!({"title": "x"})).await, ["body.user_ids"]);
    assert_eq!(faults(json!({"everyone": true})).await, ["body.title"]);
    assert_eq!(
        faults(json!({"everyone": true, "title": "Tides\r\nBcc: x@example.org"})).await,
        ["body.title"]
    );
    let both = json!({"everyone": true, "user_ids": [unknown], "title": "x"});
    assert_eq!(faults(both).await, ["body.user_ids"]);
    for link in ["javascript:alert(1)", "//evil.example", "http://a.example"] {
        let body = json!({"everyone": true, "title": "x", "link": link});
        assert_eq!(faults(body).await, ["body.link"], "{link}");
    }
    let long = json!({"everyone": true, "title": "x".repeat(201), "body": "x".repeat(4_001), "type": "video.completed"});
    assert_eq!(faults(long).await, ["body.body", "body.title", "body.type"]);
}

#[tokio::test]
async fn send_requires_an_administrator_and_is_rate_limited() {
    let server = server().await;
    let body = json!({"user_ids": [server.user_person().id], "title": "Tides"});
    for client in [server.user(), server.editor()] {
        client.post(&path(), body.clone()).await.problem(403, "role_missing");
    }
    // The stranger administers another tenant, which has no such user.
    assert_eq!(server.stranger().post(&path(), body.clone()).await.faults(), ["body.user_ids.0"]);
    let mut sent = 0;
    let refused = loop {
        let answer = server.admin().post(&path(), body.clone()).await;
        match answer.status {
            201 => sent += 1,
            _ => break answer,
        }
        assert!(sent < 200, "no request is refused");
    };
    refused.problem(429, "rate_limited");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(listed(&server.user(), "?limit=200").await.len(), sent);
}

#[tokio::test]
async fn send_can_notify_a_whole_tenant() {
    let server = server().await;
    let (here, many) = (tenant(&server), 2_000);
    let seat = server.store().run::<_, storage::Error>(move |tx| {
        use storage::records::{Membership, User};
        for at in 0..many {
            let user = storage::new_id();
            let email = format!("sailor-{at}@example.org");
            tx.insert(storage::TenantId::SYSTEM, user, User { email, ..User::default() })?;
            tx.insert(storage::TenantId::SYSTEM, (user, here.0), Membership::default())?;
        }
        Ok(())
    });
    seat.await.expect("stored");
    assert_eq!(recipients(&server, json!({"everyone": true})).await, many + 3);
    server.stored().await;
}

/// A client retries a request after a timeout.
#[tokio::test]
async fn send_repeated_with_its_idempotency_key_notifies_once() {
    let server = server().await;
    let send = async |client: &Client, key: &str, body: &Value| {
        let request = client.request(Method::POST, &path()).header("idempotency-key", key).json(body);
        Client::send(request).await
    };
    let admin = server.admin();
    let body = json!({"user_ids": [server.user_person().id], "title": "Tides"});
    let first = send(&admin, "tides", &body).await.created();
    assert_eq!(first, json!({"recipients": 1}));
    // More often than the rate limit allows messages, and after a restart, too.
    for _ in 0..25 {
        assert_eq!(send(&admin, "tides", &body).await.created(), first);
    }
    let server = server.restart().await;
    let admin = server.admin();
    assert_eq!(send(&admin, "tides", &body).await.created(), first);
    assert_eq!(titles(&server.user(), "").await, ["Tides"]);
    let here = tenant(&server);
    let written = server.store().read(move |reader| reader.scan::<AuditRecord>(here, Scan::table()));
    let written: Vec<_> = written.await.expect("read").items;
    assert_eq!(written.iter().filter(|row| row.action == "notification.send").count(), 1);

    let other = json!({"user_ids": [server.user_person().id], "title": "Storm"});
    send(&admin, "tides", &other).await.problem(422, "idempotency_mismatch");
    let asked = json!({"message": "x", "model": "builtin/scribe"});
    let home = text(&admin.post("/api/conversations", json!({})).await.created()["id"]);
    let request = admin.request(Method::POST, &format!("/api/conversations/{home}/completion"));
    Client::send(request.header("idempotency-key", "tides").json(&asked))
        .await
        .problem(422, "idempotency_mismatch");
    for key in ["", "ümlaut", &"x".repeat(256)] {
        let request =
            admin.request(Method::POST, &path()).header("idempotency-key", key.as_bytes()).json(&other);
        assert_eq!(Client::send(request).await.faults(), ["header.Idempotency-Key"], "{key}");
    }
    assert_eq!(titles(&server.user(), "").await, ["Tides"]);
    // Requests with another key or without one are separate requests.
    send(&admin, "storm", &other).await.created();
    admin.post(&path(), other.clone()).await.created();
    assert_eq!(titles(&server.user(), "").await.len(), 3);
    // A refused request does not use up its key.
    let unknown = json!({"user_ids": [uuid::Uuid::now_v7()], "title": "Fog"});
    assert_eq!(send(&admin, "fog", &unknown).await.faults(), ["body.user_ids.0"]);
    send(&admin, "fog", &other).await.created();
}

#[tokio::test]
async fn concurrent_sends_with_one_idempotency_key_notify_once() {
    let server = server().await;
    let body = json!({"everyone": true, "title": "Tides"});
    let send = || {
        let request =
            server.admin().request(Method::POST, &path()).header("idempotency-key", "k").json(&body);
        Client::send(request)
    };
    let answers = futures::future::join_all((0..8).map(|_| send())).await;
    let first = answers[0].created();
    assert!(answers.iter().all(|answer| answer.created() == first), "{answers:?}");
    assert_eq!(titles(&server.user(), "").await, ["Tides"]);
}
