//! Logins that must be refused.

use serde_json::json;
use storage::records::LoginFlow;
use storage::{Scan, TenantId, Timestamp};

use super::scene::{
    LOGOUT, PREPARE, StartedLogin, begin, come_back, come_back_to, mark, open, path_of, server, server_with,
    service, standing,
};
use crate::harness::fake_authority::FakeAuthority;
use crate::harness::{Client, TestServer, text};

/// A user who is sent a link to another user's login is asked for confirmation first, and until then nothing happens.
#[tokio::test]
async fn login_in_an_unknown_browser_requires_confirmation() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let StartedLogin { back, .. } = begin(&server, &server.user(), &authority, json!({})).await;
    for planted in [
        None,
        Some("understudy_login=short"),
        Some("understudy_login=0123456789012345678901234567890123456789012"),
    ] {
        let page = come_back(&server, &back, planted).await;
        assert!(page.expect(200).text().contains("user@example.org"), "{page:?}");
    }
    let page = come_back(&server, &back, None).await;
    let said = page.text();
    assert_eq!(
        (
            authority.grants_of("authorization_code"),
            standing(&server.user()).await["status"] == "disconnected"
        ),
        (0, true)
    );
    let onward = said
        .split("href=\"")
        .nth(1)
        .expect("a link")
        .split('"')
        .next()
        .expect("its end")
        .replace("&amp;", "&");
    let given = mark(&page).expect("a mark");
    // The confirmation link works only in the browser that was shown it.
    assert!(come_back_to(&server, &onward, None).await.expect(200).text().contains("asks to use Tracker"));
    assert_eq!(authority.grants_of("authorization_code"), 0);
    assert!(
        come_back_to(&server, &onward, Some(&given)).await.expect(200).text().contains("You are logged in")
    );
    assert_eq!(standing(&server.user()).await["status"], "connected");
}

#[tokio::test]
async fn login_refuses_a_session_of_another_user() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let StartedLogin { back, mark } = begin(&server, &server.user(), &authority, json!({})).await;
    let path = path_of(&back);
    for other in [server.editor(), server.stranger()] {
        let request = other.request(reqwest::Method::GET, &path).header("cookie", &mark);
        Client::send(request).await.problem(403, "login_mismatch");
    }
    assert_eq!(authority.grants_of("authorization_code"), 0);
    // The user's own session works as well as the cookie.
    server.user().get(&path).await.expect(200);
    assert_eq!(standing(&server.user()).await["status"], "connected");
}

#[tokio::test]
async fn login_refuses_responses_of_other_authorities() {
    let authority = FakeAuthority::start().await;
    let other = service(&authority, json!({"client_id": "other"}));
    let server = server_with(&authority, |config| {
        config.external_services.insert("zoo".into(), serde_json::from_value(other).expect("a service"));
    });
    let server = server.await;
    let user = server.user();
    let elsewhere = ["/api/external/callback/zoo", "/api/external/callback", "/api/mcp/oauth/callback"];
    for path in elsewhere {
        let begun = begin(&server, &user, &authority, json!({})).await;
        let path = format!("{path}?{}", begun.back.query().expect("a query"));
        come_back_to(&server, &path, Some(&begun.mark)).await.problem(403, "login_mismatch");
        // The refused attempt used up the login.
        come_back(&server, &begun.back, Some(&begun.mark)).await.problem(410, "login_expired");
    }
    authority.behave(|behaviour| behaviour.names = Some("https://other.example".into()));
    let begun = begin(&server, &user, &authority, json!({})).await;
    come_back(&server, &begun.back, Some(&begun.mark)).await.problem(403, "login_mismatch");
    assert_eq!(authority.grants_of("authorization_code"), 0);
    assert_eq!(standing(&user).await["status"], "disconnected");
}

#[tokio::test]
async fn authority_that_announces_an_issuer_parameter_must_send_it() {
    let authority = FakeAuthority::start().await;
    let issuer = authority.issuer().to_owned();
    authority.behave(|behaviour| behaviour.names = Some(issuer));
    let server = server(&authority).await;
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    let nameless: Vec<_> =
        begun.back.query().expect("a query").split('&').filter(|pair| !pair.starts_with("iss=")).collect();
    let path = format!("{}?{}", begun.back.path(), nameless.join("&"));
    come_back_to(&server, &path, Some(&begun.mark)).await.problem(403, "login_mismatch");
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    come_back(&server, &begun.back, Some(&begun.mark)).await.expect(200);
}

#[tokio::test]
async fn errors_of_the_authority_are_shown_escaped_and_have_no_effect() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    authority.behave(|behaviour| behaviour.denies = true);
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    let path = path_of(&begun.back);
    let request = server.anonymous().request(reqwest::Method::GET, &path).header("accept", "text/html");
    let page = Client::send(request).await;
    assert!(
        page.expect(403).text().contains("access_denied: the &lt;b&gt;user&lt;/b&gt; said no"),
        "{page:?}"
    );
    authority.behave(|behaviour| behaviour.denies = false);

    for (answer, words) in [
        ((400, r#"{"error": "invalid_grant", "error_description": "no"}"#), "invalid_grant: no"),
        ((200, r#"{"error": "bad_verification_code"}"#), "bad_verification_code"),
        ((500, "{}"), "answered 500"),
        ((200, "{}"), "has no token"),
        ((200, r#"{"access_token": "x", "token_type": "mac"}"#), "of an unsupported type"),
    ] {
        let begun = begin(&server, &server.user(), &authority, json!({})).await;
        authority.behave(|behaviour| behaviour.token_answer = Some((answer.0, answer.1.to_owned())));
        let told = come_back(&server, &begun.back, Some(&begun.mark)).await.problem(502, "authority_failed");
        assert!(text(&told["detail"]).contains(words), "{told}");
        authority.behave(|behaviour| behaviour.token_answer = None);
    }
    // The authority repeats in its error what the server sent.
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    let (_, code) = begun.back.query_pairs().find(|(name, _)| name == "code").expect("a code");
    let said = json!({"error": "invalid_grant", "error_description": format!("what is {code}?")}).to_string();
    authority.behave(|behaviour| behaviour.token_answer = Some((400, said)));
    let told = come_back(&server, &begun.back, Some(&begun.mark)).await;
    authority.keeps_secrets(&told.text());
    assert_eq!(standing(&server.user()).await["status"], "disconnected");
}

#[tokio::test]
async fn login_of_a_user_removed_during_it_is_refused() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let (first, second) = (
        begin(&server, &server.user(), &authority, json!({})).await,
        begin(&server, &server.user(), &authority, json!({})).await,
    );
    let switch = async |to: &str| {
        let path = "/api/tenant-admin/features/external/visibility";
        server.admin().put(path, json!({"visibility": to})).await.ok();
    };
    switch("nobody").await;
    server.user().post(PREPARE, json!({})).await.problem(403, "feature_disabled");
    server.user().post(LOGOUT, json!({})).await.problem(403, "feature_disabled");
    come_back(&server, &first.back, Some(&first.mark)).await.problem(403, "not_allowed");
    switch("everyone").await;
    server.admin().delete(&format!("/api/tenant-admin/users/{}", server.user_person().id)).await.expect(204);
    come_back(&server, &second.back, Some(&second.mark)).await.problem(403, "not_allowed");
    assert_eq!(authority.grants_of("authorization_code"), 0);
}

#[tokio::test]
async fn pending_login_expires_after_ten_minutes() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    let prepared = server.user().post(PREPARE, json!({})).await.ok();
    late(&server).await;
    open(&server, &text(&prepared["login_url"])).await.problem(410, "login_expired");
    let begun = begin(&server, &server.user(), &authority, json!({})).await;
    late(&server).await;
    come_back(&server, &begun.back, Some(&begun.mark)).await.problem(410, "login_expired");
    assert_eq!(authority.grants_of("authorization_code"), 0);
}

/// Lets all pending logins expire.
async fn late(server: &TestServer) {
    let aged = server.store().run(|tx| {
        for mut row in tx.scan::<LoginFlow>(TenantId::SYSTEM, Scan::table())?.items {
            if row.expires_at > Timestamp::now() {
                let left = row.expires_at.since(Timestamp::now()).as_secs();
                assert!((500..=600).contains(&left), "{left} s");
            }
            row.expires_at = Timestamp::from_millis(1);
            tx.update(TenantId::SYSTEM, row)?;
        }
        Ok::<_, storage::Error>(())
    });
    aged.await.expect("it is written");
}

#[tokio::test]
async fn login_operations_require_the_account_scope() {
    let authority = FakeAuthority::start().await;
    let server = server(&authority).await;
    for path in [PREPARE, LOGOUT] {
        server.token(&["account:read"]).await.post(path, json!({})).await.problem(403, "scope_missing");
        server.anonymous().post(path, json!({})).await.problem(401, "credentials_missing");
        server.token(&["account:write"]).await.post(path, json!({})).await.ok();
        let unknown = path.replace("tracker", "unknown");
        server.user().post(&unknown, json!({})).await.not_found();
    }
    let whom = json!({"user_id": server.user_person().id, "reason": "ticket 5"});
    let session = server.admin().post("/api/auth/impersonate", whom).await.created();
    let acting = server.client(&text(&session["access_token"]));
    acting.post(PREPARE, json!({})).await.problem(403, "impersonation_limited");
    let hidden = server.editor().post("/api/assistants", json!({"name": "Mine"})).await.created();
    server.user().post(PREPARE, json!({"assistant_id": hidden["id"]})).await.not_found();
    assert_eq!(server.user().post(PREPARE, json!({"more": 1})).await.faults(), ["body.more"]);
}
