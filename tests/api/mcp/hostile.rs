//! Malicious tool servers, and malicious authorization servers that they name.

use serde_json::{Value, json};

use super::logins::{assistant, begin, disconnect, host, log_in, prepare, standing};
use crate::api::external::scene::{come_back, mark};
use crate::harness::fake_authority::{Behaviour, CLIENT, FakeAuthority, SECRET};
use crate::harness::{Client, TestServer, client, text, until};
use reqwest::Url;

/// Returns a query parameter of an address.
fn parameter(url: &str, name: &str) -> String {
    let url: Url = url.parse().expect("an address");
    url.query_pairs().find(|(it, _)| it == name).expect("the parameter").1.into_owned()
}

/// Moves the query of `url` to the address `place`, with some parameters replaced.
fn elsewhere(url: &str, place: &str, instead: &[(&str, &str)]) -> String {
    let url: Url = url.parse().expect("an address");
    let mut other: Url = place.parse().expect("an address");
    for (name, value) in url.query_pairs() {
        let value = instead.iter().find(|(it, _)| *it == name).map_or(&*value, |(_, value)| value);
        other.query_pairs_mut().append_pair(&name, value);
    }
    other.into()
}

/// The status of the assistant's only tool server for a user.
async fn used(who: &Client, assistant: &str) -> String {
    let list = who.get(&format!("/api/assistants/{assistant}/tool-servers")).await.ok();
    text(&list["items"][0]["status"])
}

async fn approve(owner: &Client, assistant: &str) {
    let path = format!("/api/assistants/{assistant}/approved-external-services");
    owner.put(&path, json!({"services": ["mcp:tracker"]})).await.ok();
}

#[tokio::test]
async fn code_of_one_authority_is_not_sent_to_another() {
    let (honest, evil) = (FakeAuthority::start().await, FakeAuthority::start().await);
    let mut server = TestServer::start().await;
    let (mine, theirs) = (
        assistant(&server.editor(), &honest.tool_server()).await,
        assistant(&server.editor(), &evil.tool_server()).await,
    );
    let known = log_in(&server, &server.editor(), &mine, &honest).await;
    let known = text(&known["authorization_url"]);
    let page = format!("{}/authorize", honest.issuer());

    // The malicious authority announces the authorization page of the honest one as its own.
    evil.behave(|behaviour| behaviour.authorization_endpoint = Some(page.clone()));
    let told = prepare(&server.editor(), &theirs).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("endpoints at another host"), "{told}");
    // It also announces the issuer parameter. The honest authority sends none, or its own name.
    let name = evil.issuer().to_owned();
    evil.behave(|behaviour| behaviour.names = Some(name));
    server = server.restart().await;
    for honest_name in [None, Some(honest.issuer().to_owned())] {
        honest.behave(|behaviour| behaviour.names = honest_name);
        let answer = prepare(&server.editor(), &theirs).await;
        let mark = mark(&answer).expect("a mark");
        let asked = text(&answer.ok()["authorization_url"]);
        // The attacker has registered a client of their own at the honest authority, with the redirect address of this
        // login.
        let about = json!({"redirect_uris": [parameter(&asked, "redirect_uri")], "grant_types": ["refresh_token"],
            "token_endpoint_auth_method": "none"});
        let made = client().post(format!("{}/register", honest.issuer())).json(&about).send().await;
        let made: Value = made.expect("an answer").json().await.expect("a client");
        let sent = elsewhere(&asked, &page, &[("client_id", &text(&made["client_id"]))]);
        let back = honest.log_in(&sent).await;
        come_back(&server, &back, Some(&mark)).await.problem(403, "login_mismatch");
    }

    // It forwards the browser from a page of its own, with the client of the honest authority.
    evil.behave(|behaviour| *behaviour = Behaviour::default());
    honest.behave(|behaviour| behaviour.names = None);
    server = server.restart().await;
    let answer = prepare(&server.editor(), &theirs).await;
    let mark = mark(&answer).expect("a mark");
    let asked = text(&answer.ok()["authorization_url"]);
    assert_ne!(parameter(&asked, "redirect_uri"), parameter(&known, "redirect_uri"));
    let id = parameter(&known, "client_id");
    let own = elsewhere(&asked, &page, &[("client_id", &id)]);
    let told = client().get(&own).send().await.expect("an answer");
    assert_eq!(told.status(), 400, "the redirect address is not registered");
    let place = parameter(&known, "redirect_uri");
    let sent = elsewhere(&asked, &page, &[("client_id", &id), ("redirect_uri", &place)]);
    let back = honest.log_in(&sent).await;
    come_back(&server, &back, Some(&mark)).await.problem(403, "login_mismatch");
    assert_eq!(evil.seen("/token").len(), 0);
    log_in(&server, &server.editor(), &theirs, &evil).await;
}

#[tokio::test]
async fn authorization_page_with_login_parameters_of_its_own_is_refused() {
    let (evil, server) = (FakeAuthority::start().await, TestServer::start().await);
    let id = assistant(&server.editor(), &evil.tool_server()).await;
    let page = format!("{}/authorize?redirect_uri=https://evil.example/", evil.issuer());
    evil.behave(|behaviour| behaviour.authorization_endpoint = Some(page));
    let told = prepare(&server.editor(), &id).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("a redirect_uri of its own"), "{told}");
}

#[tokio::test]
async fn registered_client_is_used_only_for_its_tool_servers() {
    let authority = FakeAuthority::start().await;
    let issuer = authority.issuer().to_owned();
    let client = move |hosts: Value| {
        let client = json!({"client_id": CLIENT, "client_secret": SECRET, "hosts": hosts});
        let issuer = issuer.clone();
        move |config: &mut understudy::Config| {
            let client = serde_json::from_value(client).expect("a client");
            config.tool_servers.clients.insert(issuer, client);
        }
    };
    authority.behave(|behaviour| behaviour.registers = false);
    let server = TestServer::start_with(client(json!(["mcp.tracker.example"]))).await;
    let id = assistant(&server.editor(), &authority.tool_server()).await;
    let told = prepare(&server.editor(), &id).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("has to register it there"), "{told}");
    let server = server.restart_with(client(json!([host(&authority)]))).await;
    let prepared = log_in(&server, &server.editor(), &id, &authority).await;
    assert_eq!(prepared["registration"], "preregistered");
    approve(&server.editor(), &id).await;
    // The client is also not used to renew tokens that it obtained for another host earlier.
    let server = server.restart_with(client(json!(["mcp.tracker.example"]))).await;
    authority.expire_access();
    assert_eq!(used(&server.editor(), &id).await, "login_required");
    assert_eq!(authority.grants_of("refresh_token"), 0);
    assert_eq!(standing(&server.editor(), &id).await["status"], "expired");
}

#[tokio::test]
async fn token_resource_is_the_server_or_its_host_as_the_server_states() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let id = assistant(&server.editor(), &authority.tool_server()).await;
    let whole = authority.issuer().to_owned();
    authority.behave(|behaviour| behaviour.resource = Some(whole));
    let told = prepare(&server.editor(), &id).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("about another one"), "{told}");
    for points in [true, false] {
        authority.behave(|behaviour| (behaviour.at_root, behaviour.points) = (true, points));
        let prepared = log_in(&server, &server.editor(), &id, &authority).await;
        assert_eq!(prepared["resource"], authority.issuer());
    }
}

#[tokio::test]
async fn long_lists_of_scopes_are_cut() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let id = assistant(&server.editor(), &authority.tool_server()).await;
    let many: Vec<_> = (0..90).map(|n| format!("{n:0>150}")).collect();
    let asked = format!("tools:use {} {}", "x".repeat(9_000), many.join(" "));
    authority.behave(|behaviour| behaviour.challenge_scope = Some(asked));
    let prepared = prepare(&server.editor(), &id).await.ok();
    let scopes: Vec<_> = prepared["scopes"].as_array().expect("scopes").iter().map(text).collect();
    assert_eq!(scopes[0], "tools:use");
    assert!(scopes.iter().map(String::len).sum::<usize>() <= 4_000, "{scopes:?}");
}

#[tokio::test]
async fn tokens_of_earlier_logins_are_revoked() {
    let authority = FakeAuthority::start().await;
    // A restart changes the port, and clients are registered for an address, so the public address is fixed.
    let address = "http://localhost:8080".to_owned();
    let server = TestServer::start_with(|config| config.server.public_url = Some(address)).await;
    let id = assistant(&server.editor(), &authority.tool_server()).await;
    for logins in 1..4 {
        log_in(&server, &server.editor(), &id, &authority).await;
        assert_eq!(authority.tokens_that_hold(), logins, "many authorities treat them as one grant");
    }
    disconnect(&server.editor(), &id).await.ok();
    assert_eq!(authority.tokens_that_hold(), 0);

    // With a different client it is certainly a different grant.
    log_in(&server, &server.editor(), &id, &authority).await;
    let client = json!({"client_id": CLIENT, "client_secret": SECRET, "hosts": [host(&authority)]});
    let issuer = authority.issuer().to_owned();
    let server = server.restart_with(move |config| {
        config.tool_servers.clients.insert(issuer, serde_json::from_value(client).expect("a client"));
    });
    let server = server.await;
    log_in(&server, &server.editor(), &id, &authority).await;
    until("the old ones are given back", async || authority.tokens_that_hold() == 1).await;
    assert_eq!(standing(&server.editor(), &id).await["status"], "connected");
    server.stored().await;
}

#[tokio::test]
async fn tokens_that_arrive_too_late_are_revoked() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    let path = format!("/api/assistants/{id}");
    let tools = json!({"tool_servers": [{"name": "tracker", "url": authority.tool_server()}]});
    // A login, while the assistant is changed to another tool server.
    let (_, back, mark) = begin(&editor, &id, &authority).await;
    authority.close_gate();
    let change = async {
        until("the code is shown", async || authority.grants_of("authorization_code") == 1).await;
        editor.patch(&path, json!({"tool_servers": []})).await.ok();
        authority.open_gate();
    };
    let (answer, ()) = tokio::join!(come_back(&server, &back, Some(&mark)), change);
    answer.problem(403, "not_allowed");
    until("its tokens are given back", async || authority.tokens_that_hold() == 0).await;
    assert_eq!(authority.grants_of("authorization_code"), 1);

    // A renewal, while the login is removed. The first attempt to revoke the old tokens fails.
    editor.patch(&path, tools).await.ok();
    approve(&editor, &id).await;
    log_in(&server, &editor, &id, &authority).await;
    authority.expire_access();
    authority.close_gate();
    let change = async {
        until("a renewal", async || authority.grants_of("refresh_token") == 1).await;
        let told = authority.seen("/revoke").len();
        authority.behave(|behaviour| behaviour.revokes = Some(503));
        editor.patch(&path, json!({"tool_servers": []})).await.ok();
        until("it is told", async || authority.seen("/revoke").len() > told).await;
        authority.behave(|behaviour| behaviour.revokes = Some(200));
        authority.open_gate();
    };
    let (status, ()) = tokio::join!(used(&editor, &id), change);
    assert_eq!(status, "login_required");
    until("the new tokens are given back", async || authority.tokens_that_hold() == 0).await;
}

#[tokio::test]
async fn tool_server_without_encryption_receives_no_tokens() {
    let server = TestServer::start_with(|config| config.web.allow.push("tools.internal".into())).await;
    let editor = server.editor();
    let id = assistant(&editor, "http://tools.internal/mcp").await;
    approve(&editor, &id).await;
    let server = server.restart_with(|config| drop(config.web.allow.pop())).await;
    let editor = server.editor();
    assert_eq!(used(&editor, &id).await, "tool_server_refused");
    let told = prepare(&editor, &id).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("would not be encrypted"), "{told}");
}
