//! Tests that credentials are sent only to their server.

use providers::web::{WebClient, WebErrorKind, WebRequest};
use uuid::Uuid;

use super::counting_server::{CountingServer, Reply};
use super::{client, with_secret};

const TENANT: Uuid = Uuid::from_u128(7);

fn asking(url: String, tenant: Uuid) -> WebRequest {
    let secrets = vec![("Authorization".to_owned(), "acme".to_owned())];
    WebRequest { secrets, tenant: Some(tenant), ..WebRequest::new("GET", url) }
}

#[tokio::test]
async fn secret_is_sent_to_its_host_and_removed_from_responses() {
    let server = CountingServer::start().await;
    let client = WebClient::new(&with_secret(&server.url(""), &TENANT.to_string())).unwrap();
    let echo = "you sent Bearer very-secret-0123, that is very-secret-0123";
    server.script("/x", [Reply::body("text/plain", echo).header("x-echo", "very-secret-0123")]);
    let answer = client.send(asking(server.url("/x"), TENANT)).await.unwrap();
    assert_eq!(server.seen()[0].headers["authorization"], "Bearer very-secret-0123");
    assert_eq!(answer.body, "you sent [secret], that is [secret]");
    assert_eq!(answer.headers["x-echo"], "[secret]");
    let shown = format!("{client:?}");
    assert!(!shown.contains("very-secret"), "{shown}");
}

#[tokio::test]
async fn secret_of_another_tenant_or_host_is_not_sent() {
    let (server, other) = (CountingServer::start().await, CountingServer::start().await);
    let client = WebClient::new(&with_secret(&server.url(""), &TENANT.to_string())).unwrap();
    for request in [asking(server.url("/x"), Uuid::from_u128(8)), asking(other.url("/x"), TENANT)] {
        let error = client.send(request).await.unwrap_err();
        assert_eq!((error.kind, error.unsent), (WebErrorKind::Secret, true), "{error}");
    }
    assert_eq!((server.seen().len(), other.seen().len()), (0, 0));
}

#[tokio::test]
async fn redirect_to_another_server_drops_credentials() {
    let (server, other) = (CountingServer::start().await, CountingServer::start().await);
    let sent = |server: &CountingServer| {
        let pairs = [
            ("Authorization", "Basic eA=="),
            ("Cookie", "a=b"),
            ("X-Api-Key", "k"),
            ("Accept", "text/plain"),
        ];
        let headers = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        WebRequest { headers, ..WebRequest::new("GET", server.url("/x")) }
    };
    server.script("/x", [Reply::redirect(302, &other.url("/there")), Reply::redirect(302, "/here")]);
    client().send(sent(&server)).await.unwrap();
    let there = other.seen().remove(0).headers;
    assert!(
        ["authorization", "cookie", "x-api-key"].iter().all(|name| !there.contains_key(*name)),
        "{there:?}"
    );
    assert_eq!(there["accept"], "text/plain");
    client().send(sent(&server)).await.unwrap();
    let here = server.seen_at("/here").remove(0).headers;
    assert_eq!((here["authorization"].as_str(), here["x-api-key"].as_str()), ("Basic eA==", "k"));
}

#[tokio::test]
async fn redirect_to_another_server_drops_secrets_in_any_header() {
    let (server, other) = (CountingServer::start().await, CountingServer::start().await);
    let client = WebClient::new(&with_secret(&server.url(""), &TENANT.to_string())).unwrap();
    let headers = ["Accept", "Accept-Language", "Content-Type", "Idempotency-Key", "User-Agent", "X-Key"];
    let ask = || {
        let secrets = headers.map(|name| (name.to_owned(), "acme".to_owned())).to_vec();
        let key = Some(("Accept-Encoding".to_owned(), providers::Secret::from("a-key-of-a-user")));
        WebRequest { secrets, key, tenant: Some(TENANT), ..WebRequest::new("GET", server.url("/x")) }
    };
    for status in [301, 302, 303, 307, 308] {
        server.script("/x", [Reply::redirect(status, &other.url("/there"))]);
        client.send(ask()).await.unwrap();
        let there = other.seen().pop().unwrap().headers;
        let leaked = there.values().any(|value| value.contains("very-secret") || value.contains("a-key-of"));
        assert!(!leaked, "{status}: {there:?}");
    }
    assert_eq!(other.seen().len(), 5);
    // A redirect on the same server preserves it.
    server.script("/x", [Reply::redirect(302, "/here")]);
    client.send(ask()).await.unwrap();
    assert_eq!(server.seen_at("/here")[0].headers["idempotency-key"], "Bearer very-secret-0123");
}

#[tokio::test]
async fn secret_that_is_not_set_is_a_configuration_fault() {
    let mut config = with_secret("api.example.org", "*");
    config.secrets.get_mut("acme").unwrap().value = "env:ACME_TOKEN".into();
    let error = WebClient::new(&config).unwrap_err().to_string();
    assert!(error.contains("workflows.secrets.acme") && error.contains("ACME_TOKEN"), "{error}");
    let config = config.with_environment(|name| (name == "ACME_TOKEN").then(|| "Bearer x".into()));
    assert!(WebClient::new(&config).is_ok());
}

#[tokio::test]
async fn bearer_token_is_sent_only_to_its_server_and_removed_from_responses() {
    let (server, elsewhere) = (CountingServer::start().await, CountingServer::start().await);
    let token = || Some(providers::Secret::from("a-token-of-a-user"));
    server.always("/echo", Reply::body("text/plain", "you sent a-token-of-a-user"));
    server.always("/away", Reply::status(307).header("location", &elsewhere.url("/x")));
    let ask = |path: &str| WebRequest { bearer: token(), ..WebRequest::new("GET", server.url(path)) };
    let answer = client().send(ask("/echo")).await.unwrap();
    assert_eq!(answer.body, "you sent [secret]");
    assert_eq!(server.seen()[0].headers["authorization"], "Bearer a-token-of-a-user");
    client().send(ask("/away")).await.unwrap();
    assert!(!elsewhere.seen()[0].headers.contains_key("authorization"));
    // Without permission to follow redirects, the redirect response is returned.
    let answer = client().send(WebRequest { redirects: false, ..ask("/away") }).await.unwrap();
    assert_eq!((answer.status, elsewhere.seen().len()), (307, 1));
}
