use super::{ADMIN, accept, audited, in_session, invite, link, log_in, newcomer};
use crate::harness::{PASSWORD, TestServer, text};
use serde_json::json;
use storage::records::{Governed, Group, GroupMember, Membership};
use storage::{Scan, TenantId, new_id};

#[tokio::test]
async fn removed_member_loses_all_access() {
    let server = TestServer::start().await;
    let editor = server.editor_person().clone();
    let assistant = server.editor().post("/api/assistants", json!({"name": "Kept"})).await.created();
    let path = format!("/api/assistants/{}", text(&assistant["id"]));
    let token = server.editor().post("/api/auth/api-tokens", json!({"name": "x"})).await.created();
    let token = server.client(&text(&token["token"]));
    token.get("/api/users/me").await.ok();
    server.stranger().delete(&format!("{ADMIN}/users/{}", editor.id)).await.not_found();
    server.user().delete(&format!("{ADMIN}/users/{}", editor.id)).await.problem(403, "role_missing");
    server.admin().delete(&format!("{ADMIN}/users/{}", editor.id)).await.no_content();
    assert_eq!(server.editor().get("/api/users/me").await.status, 401);
    token.get("/api/users/me").await.problem(401, "token_revoked");
    let refresh = json!({"refresh_token": editor.refresh_token});
    server.anonymous().post("/api/auth/refresh/", refresh).await.problem(401, "refresh_invalid");
    log_in(&server, &editor.email, PASSWORD).await.problem(403, "not_allowed");
    server.admin().delete(&format!("{ADMIN}/users/{}", editor.id)).await.not_found();
    assert!(audited(&server, &editor.tenant).iter().any(|(action, _)| action == "member.remove"));
    // A member who returns finds their data, but the old credentials stay invalid.
    let back = link(&invite(&server, &editor.email, "editor").await);
    let answer = accept(&server.anonymous(), &back, json!({"password": PASSWORD})).await;
    assert_eq!(answer.ok()["user"]["id"], editor.id);
    in_session(&server, &answer).get(&path).await.ok();
    token.get("/api/users/me").await.problem(401, "token_revoked");
}

#[tokio::test]
async fn removed_member_keeps_other_tenants() {
    let server = TestServer::start().await;
    let there = server.stranger_person().clone();
    let token = link(&invite(&server, &there.email, "user").await);
    let here = in_session(&server, &accept(&server.stranger(), &token, json!({})).await);
    let kept = server.stranger().post("/api/auth/api-tokens", json!({"name": "kept"})).await.created();
    here.get("/api/users/me").await.ok();
    server.admin().delete(&format!("{ADMIN}/users/{}", there.id)).await.no_content();
    here.get("/api/users/me").await.problem(401, "session_ended");
    server.stranger().get("/api/users/me").await.ok();
    server.client(&text(&kept["token"])).get("/api/users/me").await.ok();
}

#[tokio::test]
async fn removed_member_leaves_all_groups() {
    let server = TestServer::start().await;
    let person = server.user_person().clone();
    let (tenant, user) = (TenantId(person.tenant.parse().unwrap()), person.id.parse().unwrap());
    let group = new_id();
    let add = move |tx: &mut storage::Tx| {
        let body =
            Group { name: "Crew".into(), external_id: "crew".into(), member_count: 1, ..Group::default() };
        tx.insert(tenant, group, body)?;
        tx.insert(tenant, (user, group), GroupMember::default())?;
        Governed::note(tx, tenant, |governed| governed.groups = true)
    };
    server.store().run::<_, storage::Error>(add).await.unwrap();
    server.admin().delete(&format!("{ADMIN}/users/{}", person.id)).await.no_content();
    let left = server.store().read_now::<_, storage::Error>(|reader| {
        let members = reader.scan::<GroupMember>(tenant, Scan::table())?.items.len();
        let membership = reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
        Ok((members, reader.require::<Group>(tenant, &group)?.member_count, membership.is_none()))
    });
    assert_eq!(left.unwrap(), (0, 0, true));
    server.stored().await;
}

#[tokio::test]
async fn administrator_can_be_removed_if_another_remains() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "second@example.org", "tenant_admin").await);
    let second = in_session(&server, &accept(&server.anonymous(), &token, newcomer()).await);
    let admin = server.admin_person().id.clone();
    server.admin().delete(&format!("{ADMIN}/users/{admin}")).await.no_content();
    assert_eq!(server.admin().get(&format!("{ADMIN}/settings")).await.status, 401);
    second.get(&format!("{ADMIN}/settings")).await.ok();
}
