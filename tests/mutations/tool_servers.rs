//! Logins at tool servers: prepared, and ended by the callback.

use reqwest::Url;
use serde_json::{Value, json};

use super::logins::{SECRETS, coming_back, mark};
use super::requests::Request;
use super::trial::{Mutates, Trial};
use crate::api::streams::reading::unlimited;
use crate::harness::fake_authority::FakeAuthority;
use crate::harness::{Answer, Client, TestServer, client, text};

/// The id of a new assistant with the tool server of an authority.
async fn assistant(author: &Client, authority: &FakeAuthority) -> String {
    let tools = json!([{"name": "tracker", "url": authority.tool_server()}]);
    let body = json!({"name": "Ada", "visibility": "tenant", "tool_servers": tools});
    text(&author.post("/api/assistants", body).await.created()["id"])
}

fn preparing(assistant: &str, who: &Client) -> Request {
    let body = json!({"assistant_id": assistant, "server": "tracker", "return_to": "/join?a=1#b"});
    Request::post("/api/mcp/oauth/prepare", &body).by(who)
}

/// The URL to which the authority's page redirects the browser, if it does.
async fn through_the_page(prepared: &Value) -> Option<Url> {
    let page = client().get(text(&prepared["authorization_url"])).send().await.ok()?;
    let place = page.headers().get("location")?.to_str().ok()?.parse::<Url>().ok()?;
    place.path().starts_with("/api/mcp/oauth/callback").then_some(place)
}

/// The request with which a browser returns from a prepared login.
async fn begun(answer: &Answer) -> Option<Request> {
    Some(coming_back(&through_the_page(&answer.json()).await?, &mark(answer)))
}

/// Starts a login without a return address.
async fn begin(who: &Client, assistant: &str) -> Request {
    let body = json!({"assistant_id": assistant, "server": "tracker"});
    begun(&who.post("/api/mcp/oauth/prepare", body).await).await.expect("the page sends the browser back")
}

/// Checks that a login at the tool server succeeds and can be ended.
async fn works(server: &TestServer, who: &Client, assistant: &str) {
    let back = begin(who, assistant).await;
    Client::send(back.build(&client(), &server.url())).await.expect(200);
    let standing = who.get(&format!("/api/mcp/oauth/assistants/{assistant}/status")).await.ok();
    assert_eq!(standing["items"][0]["status"], "connected", "{standing}");
    let path = format!("/api/mcp/oauth/assistants/{assistant}/disconnect");
    who.post(&path, json!({"server": "tracker"})).await.ok();
    server.stored().await;
}

#[tokio::test]
async fn mcp_prepare_handles_mutated_requests() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start_with(unlimited).await);
    let assistant = assistant(&server.editor(), &authority).await;
    let mut trial = Trial::of(&server, "mcp.prepare", &SECRETS);
    let valid = preparing(&assistant, &server.user());
    trial.valid(&valid, 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&valid, round).await;
    }
    trial.cut_on_the_wire(&valid).await;
    trial.valid(&valid, 200).await;
    works(&server, &server.user(), &assistant).await;
    trial.end();
}

#[tokio::test]
async fn mcp_callback_handles_mutated_requests() {
    let (authority, server) = (FakeAuthority::start().await, TestServer::start_with(unlimited).await);
    let (assistant, user) = (assistant(&server.editor(), &authority).await, server.user());
    let mut trial = Trial::of(&server, "mcp.callback", &SECRETS);
    trial.valid(&begin(&user, &assistant).await, 200).await;
    for round in 0..trial.rounds {
        trial.mutated(&begin(&user, &assistant).await, round).await;
    }
    trial.valid(&begin(&user, &assistant).await, 200).await;
    works(&server, &user, &assistant).await;
    trial.end();
}

/// The tool server's reply to `initialize`, the metadata of the tool server and of its authority, and the
/// replies to a registration and to a code. Metadata is cached for a while, so each round uses another
/// authority.
#[tokio::test]
async fn mcp_prepare_and_callback_handle_mutated_replies() {
    const ASKED: [&str; 6] = [
        "POST /mcp",
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-authorization-server",
        "POST /register",
        "POST /token",
        "GET /authorize",
    ];
    let server = TestServer::start_with(unlimited).await;
    let (editor, user) = (server.editor(), server.user());
    let mut trial = Trial::of(&server, "mcp.prepare", &SECRETS);
    let mut back_trial = Trial::of(&server, "mcp.callback", &SECRETS);
    let untouched = FakeAuthority::start().await;
    let with_untouched = assistant(&editor, &untouched).await;
    for round in 0..trial.rounds {
        let authority = FakeAuthority::start().await;
        // Secrets of registered clients are sent in the body.
        authority.behave(|behaviour| behaviour.methods = vec!["client_secret_post"]);
        let assistant = assistant(&editor, &authority).await;
        let asked = ASKED[round % ASKED.len()];
        trial.mutate_reply(&authority.alteration, asked, 0, round);
        let prepared = trial.checked(asked, &preparing(&assistant, &user), Mutates::Reply).await;
        let Some(prepared) = prepared.filter(|prepared| prepared.status == 200) else { continue };
        if asked == "GET /authorize" {
            // If a login was started and not completed, the server requests the page to check whether the
            // authority still knows the client.
            trial.checked(asked, &preparing(&assistant, &user), Mutates::Reply).await;
        } else if let Some(back) = begun(&prepared).await {
            back_trial.told_by(&trial);
            back_trial.checked(asked, &back, Mutates::Reply).await;
        }
    }
    works(&server, &user, &with_untouched).await;
    trial.include(back_trial);
    trial.end();
}
