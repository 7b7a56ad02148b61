//! Logins at tool servers.

use reqwest::Url;
use serde_json::{Value, json};
use storage::TenantId;
use storage::records::{LoginFlow, Revocation, ServiceConnection};

use crate::api::external::scene::{come_back, mark, path_of};
use crate::harness::fake_authority::{CLIENT, FakeAuthority, SECRET};
use crate::harness::fake_mcp::FakeMcp;
use crate::harness::{Answer, Client, TestServer, text, until};

pub const PREPARE: &str = "/api/mcp/oauth/prepare";

/// Creates an assistant with the authority's tool server, for everyone in the tenant.
pub async fn assistant(author: &Client, url: &str) -> String {
    let body =
        json!({"name": "Ada", "visibility": "tenant", "tool_servers": [{"name": "tracker", "url": url}]});
    text(&author.post("/api/assistants", body).await.created()["id"])
}

pub async fn prepare(who: &Client, assistant: &str) -> Answer {
    who.post(PREPARE, json!({"assistant_id": assistant, "server": "tracker"})).await
}

/// The host of the authority and its tool server.
pub fn host(authority: &FakeAuthority) -> String {
    authority.issuer().trim_start_matches("http://").to_owned()
}

/// Starts a login and completes the authority's page.
pub async fn begin(who: &Client, assistant: &str, authority: &FakeAuthority) -> (Value, Url, String) {
    let answer = prepare(who, assistant).await;
    let mark = mark(&answer).expect("a mark");
    let prepared = answer.ok();
    let back = authority.log_in(&text(&prepared["authorization_url"])).await;
    (prepared, back, mark)
}

pub async fn log_in(server: &TestServer, who: &Client, assistant: &str, authority: &FakeAuthority) -> Value {
    let (prepared, back, mark) = begin(who, assistant, authority).await;
    come_back(server, &back, Some(&mark)).await.expect(200);
    prepared
}

/// The status of a user's login at the assistant's only server.
pub async fn standing(who: &Client, assistant: &str) -> Value {
    who.get(&format!("/api/mcp/oauth/assistants/{assistant}/status")).await.ok()["items"][0].clone()
}

pub async fn disconnect(who: &Client, assistant: &str) -> Answer {
    let path = format!("/api/mcp/oauth/assistants/{assistant}/disconnect");
    who.post(&path, json!({"server": "tracker"})).await
}

#[tokio::test]
async fn login_is_bound_to_one_user_one_assistant_and_one_server() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let (editor, user) = (server.editor(), server.user());
    let (id, other) = (
        assistant(&editor, &authority.tool_server()).await,
        assistant(&editor, &authority.tool_server()).await,
    );
    assert_eq!(standing(&user, &id).await["status"], "login_required");
    let prepared = log_in(&server, &user, &id, &authority).await;
    assert_eq!(
        json!([prepared["issuer"], prepared["resource"], prepared["scopes"], prepared["registration"]]),
        json!([authority.issuer(), authority.tool_server(), ["tools:use"], "dynamic"])
    );
    let asked: Url = text(&prepared["authorization_url"]).parse().expect("an address");
    assert!(
        asked
            .query_pairs()
            .any(|(name, value)| name == "resource" && value == authority.tool_server().as_str())
    );
    let stands = standing(&user, &id).await;
    assert_eq!((&stands["status"], &stands["scopes"]), (&json!("connected"), &json!(["tools:use"])));
    authority.keeps_secrets(&stands.to_string());
    for (who, id) in [(&editor, &id), (&user, &other)] {
        assert_eq!(
            standing(who, id).await["status"],
            "login_required",
            "for this user and this server alone"
        );
    }
    // A registered client is used again by the whole tenant.
    log_in(&server, &editor, &other, &authority).await;
    assert_eq!(authority.seen("/register").len(), 1);
    let about = &authority.seen("/register")[0].json;
    let place = text(&about["redirect_uris"][0]);
    assert!(place.starts_with(&format!("{}/api/mcp/oauth/callback?as=", server.url())), "{place}");
    assert_eq!(
        (&about["token_endpoint_auth_method"], &about["application_type"]),
        (&json!("none"), &json!("native"))
    );

    let ended = disconnect(&user, &id).await.ok();
    assert!(text(&ended["message"]).contains("has revoked the tokens"), "{ended}");
    assert_eq!(authority.tokens_that_hold(), 1);
    assert_eq!(standing(&user, &id).await["status"], "login_required");
    assert!(text(&disconnect(&user, &id).await.ok()["message"]).contains("no login"));
    server.stored().await;
}

#[tokio::test]
async fn client_can_be_preregistered_a_metadata_document_or_dynamic() {
    let authority = FakeAuthority::start().await;
    let client = json!({"client_id": CLIENT, "client_secret": SECRET, "hosts": [host(&authority)]});
    let (issuer, known) = (authority.issuer().to_owned(), client.clone());
    let server = TestServer::start_with(move |config| {
        config.tool_servers.clients.insert(issuer, serde_json::from_value(known).expect("a client"));
        config.server.public_url = Some("https://assist.example.org".into());
    });
    let server = server.await;
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    authority.behave(|behaviour| behaviour.documents = true);
    let prepared = log_in(&server, &editor, &id, &authority).await;
    assert_eq!(prepared["registration"], "preregistered");
    assert!(authority.seen("/token")[0].authorization.starts_with("Basic "));

    let server = server.restart_with(|config| config.tool_servers.clients.clear()).await;
    let document = "https://assist.example.org/api/mcp/oauth/client-metadata.json";
    // The document has one redirect address for all authorities, so it is used only with an authority that identifies
    // itself in its response.
    let prepared = prepare(&server.editor(), &id).await.ok();
    assert_eq!(prepared["registration"], "dynamic");
    let name = authority.issuer().to_owned();
    authority.behave(|behaviour| behaviour.names = Some(name));
    let server = server.restart().await;
    let prepared = log_in(&server, &server.editor(), &id, &authority).await;
    assert_eq!(prepared["registration"], "metadata_document");
    assert_eq!(authority.seen("/token")[1].fields["client_id"], document);
    let about = server.anonymous().get("/api/mcp/oauth/client-metadata.json").await.ok();
    assert_eq!(about["client_id"], document);
    assert_eq!(about["redirect_uris"], json!(["https://assist.example.org/api/mcp/oauth/callback"]));
    assert_eq!(about["token_endpoint_auth_method"], "none");

    // A client metadata document is only read over TLS.
    let server = server.restart_with(|config| config.server.public_url = None).await;
    authority.behave(|behaviour| behaviour.methods = vec!["client_secret_post"]);
    let prepared = log_in(&server, &server.editor(), &id, &authority).await;
    assert_eq!(prepared["registration"], "dynamic");
    let exchange = &authority.seen("/token")[2];
    assert!(
        exchange.authorization.is_empty() && exchange.fields.contains_key("client_secret"),
        "{exchange:?}"
    );
    authority.behave(|behaviour| (behaviour.documents, behaviour.registers) = (false, false));
    let other = server.stranger();
    let theirs = assistant(&other, &authority.tool_server()).await;
    // A registration belongs to one tenant. The restart makes the server read the authority's metadata again.
    let server = server.restart().await;
    let told = prepare(&server.stranger(), &theirs).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("has to register it there"), "{told}");
}

#[tokio::test]
async fn concurrent_logins_register_one_client() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    let all = (0..10).map(|_| prepare(&editor, &id));
    for answer in futures::future::join_all(all).await {
        answer.ok();
    }
    assert_eq!(authority.seen("/register").len(), 1);
}

#[tokio::test]
async fn client_rejected_at_the_token_endpoint_is_registered_again() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    let (_, back, mark) = begin(&editor, &id, &authority).await;
    authority.forget_clients();
    let told = come_back(&server, &back, Some(&mark)).await.problem(502, "authority_failed");
    assert!(text(&told["detail"]).contains("invalid_client"), "{told}");
    log_in(&server, &editor, &id, &authority).await;
    assert_eq!((authority.seen("/register").len(), authority.tokens_that_hold()), (2, 1));
}

#[tokio::test]
async fn client_rejected_at_the_authorization_endpoint_is_registered_again() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    log_in(&server, &editor, &id, &authority).await;
    // The authority has forgotten the client: the user sees its error page and never comes back.
    authority.forget_clients();
    let prepared = prepare(&editor, &id).await.ok();
    let page =
        crate::harness::client().get(text(&prepared["authorization_url"])).send().await.expect("a page");
    assert_eq!(page.status(), 400);
    log_in(&server, &editor, &id, &authority).await;
    assert_eq!(authority.seen("/register").len(), 2);
    // A login that was merely abandoned does not register a new client.
    prepare(&editor, &id).await.ok();
    prepare(&editor, &id).await.ok();
    log_in(&server, &editor, &id, &authority).await;
    assert_eq!(authority.seen("/register").len(), 2);
}

#[tokio::test]
async fn token_request_with_basic_authentication_contains_the_client_id() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    authority.behave(|behaviour| behaviour.methods = vec!["client_secret_basic"]);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    log_in(&server, &editor, &id, &authority).await;
    let asked = &authority.seen("/token")[0];
    assert!(asked.authorization.starts_with("Basic "), "{asked:?}");
    assert!(
        asked.fields.contains_key("client_id") && !asked.fields.contains_key("client_secret"),
        "{asked:?}"
    );
}

#[tokio::test]
async fn login_refuses_authorities_and_servers_with_mismatched_metadata() {
    let (authority, mut server) = (FakeAuthority::start().await, TestServer::start().await);
    let id = assistant(&server.editor(), &authority.tool_server()).await;
    type Change = fn(&mut crate::harness::fake_authority::Behaviour);
    let cases: [(Change, &str); 4] = [
        (|behaviour| behaviour.issuer = Some("https://other.example".into()), "another issuer"),
        (|behaviour| behaviour.resource = Some("https://other.example/mcp".into()), "about another one"),
        (|behaviour| behaviour.resource = Some("http://127.0.0.1:1/mcp".into()), "about another one"),
        (|behaviour| behaviour.s256 = false, "S256"),
    ];
    for (change, words) in cases {
        authority.behave(|behaviour| {
            *behaviour = Default::default();
            change(behaviour);
        });
        let told = prepare(&server.editor(), &id).await.problem(502, "authority_failed");
        assert!(text(&told["detail"]).contains(words), "{told}");
        server = server.restart().await;
    }
    assert_eq!(authority.seen("/authorize").len() + authority.seen("/register").len(), 0);
    // If the challenge does not name the metadata, the server uses the well-known address. The scopes of the challenge
    // take precedence.
    authority.behave(|behaviour| {
        *behaviour = Default::default();
        (behaviour.points, behaviour.challenge_scope) = (false, Some("tools:read tools:write".into()));
    });
    let prepared = log_in(&server, &server.editor(), &id, &authority).await;
    assert_eq!(prepared["scopes"], json!(["tools:read", "tools:write"]));
}

#[tokio::test]
async fn login_status_distinguishes_servers() {
    let (authority, server, open) =
        (FakeAuthority::start().await, TestServer::start().await, FakeMcp::start().await);
    let editor = server.editor();
    let servers = json!([
        {"name": "open", "url": open.url()}, {"name": "closed", "url": authority.tool_server()},
        {"name": "unreachable", "url": "http://127.0.0.1:9/mcp"},
    ]);
    let made =
        editor.post("/api/assistants", json!({"name": "Ada", "tool_servers": servers})).await.created();
    let id = text(&made["id"]);
    let stands = editor.get(&format!("/api/mcp/oauth/assistants/{id}/status")).await.ok();
    let states: Vec<_> =
        stands["items"].as_array().expect("items").iter().map(|one| text(&one["status"])).collect();
    assert_eq!(states, ["not_required", "login_required", "unreachable"]);
    open.no_complaints();
    let ask = async |name: &str| editor.post(PREPARE, json!({"assistant_id": id, "server": name})).await;
    ask("open").await.problem(409, "login_not_required");
    ask("unreachable").await.problem(502, "authority_failed");
    ask("other").await.not_found();
}

#[tokio::test]
async fn login_requires_access_to_the_assistant() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let tool = json!([{"name": "tracker", "url": authority.tool_server()}]);
    let mine = editor.post("/api/assistants", json!({"name": "Mine", "tool_servers": tool})).await.created();
    let id = text(&mine["id"]);
    for other in [server.user(), server.stranger()] {
        prepare(&other, &id).await.not_found();
        other.get(&format!("/api/mcp/oauth/assistants/{id}/status")).await.not_found();
        disconnect(&other, &id).await.not_found();
    }
    let token = server.token(&["account:read", "assistants:write"]).await;
    prepare(&token, &id).await.problem(403, "scope_missing");
    disconnect(&token, &id).await.problem(403, "scope_missing");
    token.get(&format!("/api/mcp/oauth/assistants/{id}/status")).await.problem(403, "scope_missing");
    let (_, back, mark) = begin(&editor, &id, &authority).await;
    // The assistant is changed to another tool server before the user comes back.
    let elsewhere =
        json!({"tool_servers": [{"name": "tracker", "url": format!("{}/other", authority.issuer())}]});
    editor.patch(&format!("/api/assistants/{id}"), elsewhere).await.ok();
    come_back(&server, &back, Some(&mark)).await.problem(403, "not_allowed");
    assert_eq!(authority.grants_of("authorization_code"), 0);
    let other = server.stranger();
    let answer = other.request(reqwest::Method::GET, &path_of(&back)).send().await.expect("an answer");
    assert_eq!(answer.status(), 410, "the state is used up for every user");
}

#[tokio::test]
async fn logins_are_removed_with_their_server_and_assistant() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let (editor, user) = (server.editor(), server.user());
    let gone = async |left: usize| {
        until("the tokens are given back", async || authority.tokens_that_hold() == left).await;
    };
    let id = assistant(&editor, &authority.tool_server()).await;
    for who in [&editor, &user] {
        log_in(&server, who, &id, &authority).await;
    }
    editor.patch(&format!("/api/assistants/{id}"), json!({"tool_servers": []})).await.ok();
    gone(0).await;
    let id = assistant(&editor, &authority.tool_server()).await;
    log_in(&server, &user, &id, &authority).await;
    editor.delete(&format!("/api/assistants/{id}")).await;
    assert_eq!(authority.tokens_that_hold(), 1, "the assistant can be restored from the bin");
    editor.delete(&format!("/api/assistants/{id}/permanent")).await;
    gone(0).await;
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    until("nothing is kept", async || {
        let read = server.store().read(move |reader| {
            let flows = reader.scan::<LoginFlow>(TenantId::SYSTEM, storage::Scan::table())?.items.len();
            let due = reader.scan::<Revocation>(TenantId::SYSTEM, storage::Scan::table())?.items.len();
            let logins = reader.scan::<ServiceConnection>(tenant, storage::Scan::table())?.items.len();
            Ok::<_, storage::Error>(flows + due + logins)
        });
        read.await.expect("it reads") == 0
    })
    .await;
    server.stored().await;
}

#[tokio::test]
async fn login_requests_the_scopes_that_the_previous_one_lacked() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start().await);
    let editor = server.editor();
    let id = assistant(&editor, &authority.tool_server()).await;
    let approve = format!("/api/assistants/{id}/approved-external-services");
    editor.put(&approve, json!({"services": ["mcp:tracker"]})).await.ok();
    let used = async || {
        let list = editor.get(&format!("/api/assistants/{id}/tool-servers")).await.ok();
        text(&list["items"][0]["status"])
    };
    assert_eq!(used().await, "login_required");
    log_in(&server, &editor, &id, &authority).await;
    authority.behave(|behaviour| behaviour.wants = Some("tools:admin".into()));
    assert_eq!(used().await, "login_required");
    let stands = standing(&editor, &id).await;
    assert_eq!(stands["status"], "login_required");
    assert_eq!(stands["reason"], "the server asks for more: tools:admin");
    assert_eq!(authority.grants_of("refresh_token"), 0, "a renewal would not add scopes");
    let prepared = log_in(&server, &editor, &id, &authority).await;
    assert_eq!(prepared["scopes"], json!(["tools:use", "tools:admin"]));
    assert_eq!(standing(&editor, &id).await["status"], "connected");
    assert_ne!(used().await, "login_required");
}
