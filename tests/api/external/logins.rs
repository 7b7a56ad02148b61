//! Successful logins at external services, and how they end.

use serde_json::{Value, json};
use storage::TenantId;
use storage::records::{LoginFlow, Revocation, ServiceConnection};

use super::scene::{
    LOGOUT, PREPARE, begin, come_back, come_back_to, log_in, open, server, server_with, standing,
};
use crate::harness::fake_authority::FakeAuthority;
use crate::harness::{Client, TestServer, text, until};

/// Whether the store contains no data of any login.
async fn nothing_kept(server: &TestServer) -> bool {
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    let read = server.store().read(move |reader| {
        let flows = reader.scan::<LoginFlow>(TenantId::SYSTEM, storage::Scan::table())?.items.len();
        let rest = reader.scan::<Revocation>(TenantId::SYSTEM, storage::Scan::table())?.items.len();
        let logins = reader.scan::<ServiceConnection>(tenant, storage::Scan::table())?.items.len();
        Ok::<_, storage::Error>(flows + rest + logins == 0)
    });
    read.await.expect("it reads")
}

#[tokio::test]
async fn login_is_created_usable_by_its_user_only_and_ended() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let user = server.user();
    let begun = begin(&server, &user, &authority, json!({})).await;
    let path = begun.back.path().to_owned();
    assert_eq!(path, "/api/external/callback/tracker", "each service has its own callback");
    let page = come_back(&server, &begun.back, Some(&begun.mark)).await;
    assert!(page.expect(200).text().contains("You are logged in at Tracker"), "{page:?}");
    assert!(page.header("content-security-policy").expect("a policy").contains("default-src 'none'"));
    let stands = standing(&user).await;
    assert_eq!(stands["status"], "connected");
    let login = &stands["connection"];
    assert_eq!(
        (&login["account"], &login["scopes"]),
        (&json!("ada@tracker.example"), &json!(["issues:read"]))
    );
    assert_eq!(login["expires_at"], Value::Null, "the login has no end");
    for other in [server.editor(), server.stranger()] {
        assert_eq!(standing(&other).await["status"], "disconnected");
    }
    let exchange = &authority.seen("/token")[0];
    assert!(exchange.authorization.starts_with("Basic "), "{exchange:?}");
    assert_eq!(exchange.fields["redirect_uri"], format!("{}{path}", server.url()));

    for said in [user.get("/api/users/external-services").await.text(), page.text()] {
        authority.keeps_secrets(&said);
    }
    let ended = user.post(LOGOUT, json!({})).await.ok();
    assert_eq!(ended, json!({"logged_out": true, "revoked": true}));
    assert_eq!(authority.tokens_that_hold(), 0);
    assert_eq!(standing(&user).await["status"], "disconnected");
    assert!(nothing_kept(&server).await);
    assert_eq!(user.post(LOGOUT, json!({})).await.ok(), json!({"logged_out": false}));
    server.stored().await;
}

#[tokio::test]
async fn nonces_and_states_work_once() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let answer = server.user().post(PREPARE, json!({})).await;
    let mark = super::scene::mark(&answer);
    let prepared = answer.ok();
    assert_eq!(
        text(&prepared["login_url"]),
        format!("{}/api/external/login?nonce={}", server.url(), text(&prepared["nonce"]))
    );
    let opened = open(&server, &text(&prepared["login_url"])).await;
    let back = authority.log_in(opened.expect(302).header("location").expect("a place")).await;
    open(&server, &text(&prepared["login_url"])).await.problem(410, "login_expired");
    open(&server, &format!("{}/api/external/login?nonce=made-up", server.url()))
        .await
        .problem(410, "login_expired");
    server.anonymous().get("/api/external/login").await.expect(422);

    come_back(&server, &back, mark.as_deref()).await.expect(200);
    let spent = come_back(&server, &back, mark.as_deref()).await.problem(410, "login_expired");
    assert!(text(&spent["detail"]).contains("again"), "{spent}");
    let unknown = server.user().post("/api/external/login/zoo/prepare/", json!({})).await;
    let unknown = unknown.problem(404, "not_found");
    assert!(text(&unknown["detail"]).contains("external_services"), "{unknown}");
    assert_eq!((authority.grants_of("authorization_code"), authority.tokens_that_hold()), (1, 1));
    come_back_to(&server, "/api/external/callback/tracker?code=x", None).await.expect(422);
    come_back_to(&server, "/api/external/callback?state=made-up&code=x", None)
        .await
        .problem(410, "login_expired");
}

#[tokio::test]
async fn only_the_latest_pending_logins_are_retained() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let first = begin(&server, &server.user(), &authority, json!({})).await;
    for _ in 0..20 {
        server.user().post(PREPARE, json!({})).await.ok();
    }
    come_back(&server, &first.back, Some(&first.mark)).await.problem(410, "login_expired");
    let last = begin(&server, &server.user(), &authority, json!({})).await;
    come_back(&server, &last.back, Some(&last.mark)).await.expect(200);
}

#[tokio::test]
async fn login_returns_to_the_requested_page() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let how = json!({"return_to": "/join?a=1#b"});
    let begun = begin(&server, &server.user(), &authority, how.clone()).await;
    let back = come_back(&server, &begun.back, Some(&begun.mark)).await;
    assert_eq!(back.expect(303).header("location"), Some("/join?a=1&login=ok#b"));
    authority.behave(|behaviour| behaviour.denies = true);
    let begun = begin(&server, &server.user(), &authority, how).await;
    let back = come_back(&server, &begun.back, None).await;
    assert_eq!(back.expect(303).header("location"), Some("/join?a=1&login_error=login_denied#b"));
    for wrong in
        ["https://evil.example/", "//evil.example/", "/\\evil.example", "join", "/a b", "javascript:x"]
    {
        let faults = server.user().post(PREPARE, json!({"return_to": wrong})).await.faults();
        assert_eq!(faults, ["body.return_to"], "{wrong}");
    }
}

#[tokio::test]
async fn login_survives_a_restart_and_is_removed_with_its_user() {
    let authority = FakeAuthority::start().await;
    // The port changes with the restart, but the public address does not.
    let address =
        |config: &mut understudy::Config| config.server.public_url = Some("http://here.example".into());
    let server = server_with(&authority, address).await;
    log_in(&server, &server.user(), &authority).await;
    let begun = begin(&server, &server.editor(), &authority, json!({})).await;
    let server = server.restart().await;
    assert_eq!(standing(&server.user()).await["status"], "connected");
    come_back(&server, &begun.back, Some(&begun.mark)).await.expect(200);
    assert_eq!(authority.tokens_that_hold(), 2);

    // The authority is down when the user is removed; the tokens are revoked once it is back.
    authority.behave(|behaviour| behaviour.revokes = Some(503));
    let gone = format!("/api/tenant-admin/users/{}", server.user_person().id);
    server.admin().delete(&gone).await.expect(204);
    // The failed attempt is recorded, with the time of the next one.
    let noted = async || {
        let all =
            server.store().read(|reader| reader.scan::<Revocation>(TenantId::SYSTEM, storage::Scan::table()));
        let all: storage::Result<_> = all.await;
        all.expect("rows").items.iter().any(|row| row.attempts > 0)
    };
    until("it was tried", noted).await;
    assert_eq!(authority.tokens_that_hold(), 2);
    authority.behave(|behaviour| behaviour.revokes = Some(200));
    let due = server.store().run(move |tx| {
        for mut row in tx.scan::<Revocation>(TenantId::SYSTEM, storage::Scan::table())?.items {
            row.due_at = storage::Timestamp::from_millis(0);
            tx.update(TenantId::SYSTEM, row)?;
        }
        Ok::<_, storage::Error>(())
    });
    due.await.expect("it is written");
    until("the tokens are given back", async || authority.tokens_that_hold() == 1).await;
    server.stored().await;
}

#[tokio::test]
async fn logout_reports_that_the_revocation_failed() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    log_in(&server, &server.user(), &authority).await;
    authority.behave(|behaviour| behaviour.revokes = Some(500));
    let ended = server.user().post(LOGOUT, json!({})).await;
    authority.keeps_secrets(&ended.text());
    let ended = ended.ok();
    assert_eq!((&ended["logged_out"], &ended["revoked"]), (&json!(true), &json!(false)));
    assert!(text(&ended["detail"]).contains("500"), "{ended}");
    assert_eq!(standing(&server.user()).await["status"], "disconnected");
    authority.behave(|behaviour| behaviour.revokes = None);
    // The metadata of an authority are cached for a while, so the test restarts the server.
    let server = server.restart().await;
    log_in(&server, &server.user(), &authority).await;
    let ended = server.user().post(LOGOUT, json!({})).await.ok();
    assert_eq!((&ended["logged_out"], &ended["revoked"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn authority_without_metadata_can_be_used() {
    let authority = FakeAuthority::start().await;
    let ends = json!({"issuer": null, "authorization_endpoint": format!("{}/authorize", authority.issuer()),
        "token_endpoint": format!("{}/token", authority.issuer()), "unified_callback": true,
        "revocation_endpoint": format!("{}/revoke", authority.issuer())});
    let settings = super::scene::service(&authority, ends);
    let server = TestServer::start_with(|config| {
        config
            .external_services
            .insert("tracker".into(), serde_json::from_value(settings).expect("a service"));
    });
    let server = server.await;
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    assert_eq!(begun.back.path(), "/api/external/callback");
    come_back(&server, &begun.back, Some(&begun.mark)).await.expect(200);
    let ended: Client = server.user();
    assert_eq!(ended.post(LOGOUT, json!({})).await.ok()["revoked"], true);
}
