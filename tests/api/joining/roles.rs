use super::{ADMIN, accept, audited, in_session, invite, link, newcomer};
use crate::harness::{Answer, Client, TestServer, text};
use serde_json::json;
use storage::records::{Membership, Role, User, UserKind};
use storage::{TenantId, new_id};

async fn give(client: &Client, user: &str, role: &str) -> Answer {
    client.put(&format!("{ADMIN}/users/{user}/role"), json!({"role": role})).await
}

/// Adds another administrator, and returns their client and id.
async fn second(server: &TestServer, name: &str) -> (Client, String) {
    let token = link(&invite(server, &format!("{name}@example.org"), "tenant_admin").await);
    let answer = accept(&server.anonymous(), &token, newcomer()).await;
    (in_session(server, &answer), text(&answer.ok()["user"]["id"]))
}

#[tokio::test]
async fn role_change_applies_at_once_to_existing_credentials() {
    let server = TestServer::start().await;
    let user = server.user_person().id.clone();
    let token = server.user().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let token = server.client(&text(&token["token"]));
    let make = async |client: &Client| client.post("/api/assistants", json!({"name": "A"})).await;
    make(&server.user()).await.problem(403, "role_missing");
    make(&token).await.problem(403, "role_missing");
    let changed = give(&server.admin(), &user, "editor").await.ok();
    assert_eq!(
        (&changed["role"], &changed["origin"], &changed["kind"]),
        (&json!("editor"), &json!("added"), &json!("human"))
    );
    make(&server.user()).await.created();
    make(&token).await.created();
    give(&server.admin(), &user, "user").await.ok();
    make(&server.user()).await.problem(403, "role_missing");
    make(&token).await.problem(403, "role_missing");
    let roles = audited(&server, &server.admin_person().tenant);
    assert_eq!(roles.iter().filter(|(action, _)| action == "member.role").count(), 2);
}

#[tokio::test]
async fn role_change_requires_an_administrator_of_the_same_tenant() {
    let server = TestServer::start().await;
    let user = server.user_person().id.clone();
    give(&server.stranger(), &user, "tenant_admin").await.not_found();
    give(&server.admin(), &server.stranger_person().id, "user").await.not_found();
    give(&server.admin(), "01890000-0000-7000-8000-000000000000", "user").await.not_found();
    for client in [server.user(), server.editor()] {
        give(&client, &user, "tenant_admin").await.problem(403, "role_missing");
    }
    give(&server.token(&["admin:read"]).await, &user, "editor").await.problem(403, "scope_missing");
    give(&server.token(&["admin:write"]).await, &user, "editor").await.ok();
    assert_eq!(give(&server.admin(), &user, "king").await.faults(), ["body.role"]);
}

#[tokio::test]
async fn last_administrator_who_can_log_in_cannot_be_demoted() {
    let server = TestServer::start().await;
    let (admin, tenant) = (server.admin_person().id.clone(), server.admin_person().tenant.parse().unwrap());
    give(&server.admin(), &admin, "editor").await.problem(409, "last_admin");
    // Setting the same role again is not a demotion.
    give(&server.admin(), &admin, "tenant_admin").await.ok();
    // Service accounts, disabled users, and users without a password do not count.
    let add = move |tx: &mut storage::Tx| {
        for (email, kind, disabled) in [
            ("p@x", UserKind::ServiceAccount, false),
            ("d@x", UserKind::Human, true),
            ("n@x", UserKind::Human, false),
        ] {
            let user = User { email: email.to_owned(), kind, disabled, ..User::default() };
            let row = tx.insert(TenantId::SYSTEM, new_id(), user)?;
            let membership = Membership { role: Role::TenantAdmin, ..Membership::default() };
            tx.insert(TenantId::SYSTEM, (row.id, tenant), membership)?;
        }
        Ok(())
    };
    server.store().run::<_, storage::Error>(add).await.unwrap();
    give(&server.admin(), &admin, "user").await.problem(409, "last_admin");
    server.admin().delete(&format!("{ADMIN}/users/{admin}")).await.problem(409, "last_admin");
    let (second, id) = second(&server, "second").await;
    give(&server.admin(), &admin, "user").await.ok();
    server.admin().get(&format!("{ADMIN}/settings")).await.problem(403, "role_missing");
    give(&second, &id, "editor").await.problem(409, "last_admin");
}

#[tokio::test]
async fn two_administrators_demoting_each_other_leave_one() {
    for round in 0..8 {
        let server = TestServer::start().await;
        let admin = server.admin_person().id.clone();
        let (other, id) = second(&server, "second").await;
        let first = server.admin();
        let (a, b) = match round % 2 {
            0 => tokio::join!(give(&first, &id, "user"), give(&other, &admin, "editor")),
            _ => tokio::join!(give(&other, &admin, "editor"), give(&first, &id, "user")),
        };
        let won = [&a, &b].iter().filter(|answer| answer.status == 200).count();
        assert_eq!(won, 1, "{a:?} {b:?}");
        // The other request came too late: its sender was no longer an administrator, or was the last one.
        assert!([&a, &b].iter().any(|answer| matches!(answer.status, 403 | 409)), "{a:?} {b:?}");
        let left =
            [first.get(&format!("{ADMIN}/settings")).await, other.get(&format!("{ADMIN}/settings")).await];
        assert_eq!(left.iter().filter(|answer| answer.status == 200).count(), 1);
    }
}

#[tokio::test]
async fn three_administrators_demoting_each_other_in_a_ring_leave_at_least_one() {
    let server = TestServer::start().await;
    let admin = server.admin_person().id.clone();
    let (b, b_id) = second(&server, "b").await;
    let (c, c_id) = second(&server, "c").await;
    let a = server.admin();
    let answers = tokio::join!(give(&a, &b_id, "user"), give(&b, &c_id, "user"), give(&c, &admin, "user"));
    let won = [&answers.0, &answers.1, &answers.2].iter().filter(|answer| answer.status == 200).count();
    assert!((1..=2).contains(&won), "{answers:?}");
    let mut left = 0;
    for client in [&a, &b, &c] {
        left += usize::from(client.get(&format!("{ADMIN}/settings")).await.status == 200);
    }
    assert_eq!(left, 3 - won);
}
