//! Behaviour that all areas share.

use crate::harness::{Client, PATIENCE, TestServer, client};
use crate::sweep::Called;
use crate::sweep::made_up::fill_path;
use reqwest::Method;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::Instant;

#[tokio::test]
async fn health_endpoints_report_live_and_ready() {
    let server = TestServer::start().await;
    assert_eq!(server.anonymous().get("/healthz").await.ok()["status"], "ok");
    assert_eq!(server.anonymous().get("/readyz").await.ok()["status"], "ready");
}

/// The proxy runs on the same machine as the server; its clients do not.
#[tokio::test]
async fn proxied_requests_are_not_local() {
    let server = TestServer::start().await;
    for name in ["x-forwarded-for", "forwarded", "x-real-ip", "via"] {
        let request = server.anonymous().request(Method::GET, "/metrics").header(name, "127.0.0.1");
        Client::send(request).await.problem(404, "route_not_found");
    }
    let open =
        server.restart_with(|config| config.server.metrics = understudy::config::MetricsAccess::Open).await;
    let request = open.anonymous().request(Method::GET, "/metrics").header("via", "1.1 proxy");
    Client::send(request).await.expect(200);
}

#[tokio::test]
async fn head_returns_the_headers_of_get_without_the_body() {
    let server = TestServer::start().await;
    let head = async |client: &Client, path: &str, accept: &str| {
        Client::send(client.request(Method::HEAD, path).header("accept", accept)).await
    };
    for path in ["/healthz", "/readyz", "/api/users/me"] {
        let (answer, look) = (server.user().get(path).await, head(&server.user(), path, "*/*").await);
        assert_eq!(look.header("content-length"), answer.header("content-length"), "{path}");
        assert_eq!(look.header("content-type"), answer.header("content-type"), "{path}");
        assert_eq!(look.expect(200).text(), "");
    }
    assert_eq!(head(&server.anonymous(), "/api/users/me", "*/*").await.expect(401).text(), "");
    // The response does not start a stream that has no end.
    let look = head(&server.user(), "/api/notifications", "text/event-stream").await;
    assert_eq!(look.expect(200).header("content-type"), Some("text/event-stream"));
    // The connection can be reused afterwards.
    server.user().get("/api/users/me").await.ok();
    // HEAD is refused where the GET costs something or has an effect.
    head(&server.user(), "/api/audio/speech", "*/*").await.expect(405);
    head(&server.user(), "/api/nothing", "*/*").await.expect(404);
}

#[tokio::test]
async fn faults_describe_values_without_type_names() {
    let server = TestServer::start().await;
    let told = server.user().get("/api/conversations?limit=many").await.problem(422, "invalid");
    assert_eq!(told["errors"][0]["msg"], "expected a whole number from 0 on, not a string");
}

#[tokio::test]
async fn unknown_paths_and_methods_are_problems() {
    let server = TestServer::start().await;
    server.user().get("/api/nothing").await.problem(404, "route_not_found");
    server.user().get("/api/auth/nothing").await.problem(404, "route_not_found");
    server.user().get("/automations/1").await.problem(404, "route_not_found");
    let browser =
        |path: &str| server.anonymous().request(Method::GET, path).header("accept", "text/html,*/*;q=0.8");
    Client::send(browser("/api/nothing")).await.problem(404, "route_not_found");
    let page = Client::send(browser("/automations/1")).await;
    assert!(page.expect(200).text().contains("/main.js"), "a browser is shown the console: {page:?}");
    let answer = server.user().delete("/api/auth/api-tokens/").await;
    answer.problem(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), Some("POST, GET"));
}

#[tokio::test]
async fn body_headers_are_checked_before_the_body_is_read() {
    let server = TestServer::start_with(|config| config.limits.json_bytes = 1000).await;
    let send = async |content_type: &str, body: &str| {
        let request = server.user().request(Method::POST, "/api/auth/api-tokens");
        Client::send(request.header("content-type", content_type).body(body.to_owned())).await
    };
    send("application/json", "{\"name\":").await.problem(400, "malformed_body");
    send("application/json", "{\"name\": \"\u{1}\"}").await.problem(400, "malformed_body");
    send("text/plain", "{\"name\": \"x\"}").await.problem(415, "wrong_content_type");
    send("application/x-www-form-urlencoded", "name=x").await.problem(415, "wrong_content_type");
    send("application/json", &json!({"name": "x".repeat(1000)}).to_string()).await.problem(413, "too_large");
    send("application/json", &"[".repeat(900)).await.problem(400, "malformed_body");
    send("application/merge-patch+json; charset=utf-8", "{\"name\": \"x\"}").await.expect(201);
    let request = server
        .user()
        .request(Method::POST, "/api/auth/api-tokens")
        .header("content-type", "application/json");
    Client::send(request.header("content-encoding", "gzip").body("x"))
        .await
        .problem(415, "wrong_content_type");
    assert_eq!(server.user().post("/api/auth/api-tokens", json!(null)).await.faults(), ["body"]);
}

/// A PUT whose body was lost on the way must not reset the object: every operation that requires a body refuses a
/// request without one and changes nothing.
#[tokio::test]
async fn every_operation_that_requires_a_body_refuses_a_missing_one() {
    let server = TestServer::start().await;
    let document = understudy::INDEX.document();
    let mut tried = 0;
    for (path, method, operation) in crate::openapi::operations(&document) {
        let body = &operation["requestBody"];
        if body["required"] != true {
            continue;
        }
        let id = operation["operationId"].as_str().unwrap_or_default();
        let named = |name: &str| match name.ends_with("id") {
            true => "00000000-0000-7000-8000-000000000000".to_owned(),
            false => "x".to_owned(),
        };
        let at = fill_path(&path, named);
        let method: Method = method.to_uppercase().parse().expect("a method");
        for client in [server.admin(), server.anonymous()] {
            let request = client.request(method.clone(), &at);
            // The body is also required if the content type announces one.
            let media =
                body["content"].as_object().and_then(|content| content.keys().next()).expect("a media type");
            let request = request.header("content-type", media.replace("*/*", "image/png"));
            let answer = Client::send(request).await;
            // The object in the path is looked up before the body is read.
            let want: &[u16] = if path.contains('{') {
                &[400, 401, 403, 404, 409, 415, 422]
            } else {
                &[400, 401, 403, 415, 422]
            };
            assert!(want.contains(&answer.status), "{id}: {} {}", answer.status, answer.text());
        }
        tried += 1;
    }
    assert!(tried > 100, "{tried}");

    let user = server.user();
    user.put("/api/users/custom-prompt", json!({"custom_prompt": "Be brief."})).await.ok();
    let missing = Client::send(user.request(Method::PUT, "/api/users/custom-prompt")).await;
    assert_eq!(missing.faults(), ["body"]);
    assert_eq!(user.get("/api/users/custom-prompt").await.ok()["custom_prompt"], "Be brief.");
}

#[tokio::test]
async fn if_match_that_is_not_ascii_is_refused() {
    let server = TestServer::start().await;
    let user = server.user();
    let made = user.post("/api/projects", json!({"name": "Before"})).await.created();
    let path = format!("/api/projects/{}", crate::harness::text(&made["id"]));
    let send = async |tags: &[&[u8]]| {
        let mut request = user.request(Method::PUT, &path).json(&json!({"name": "After"}));
        for tag in tags {
            request =
                request.header("if-match", reqwest::header::HeaderValue::from_bytes(tag).expect("a value"));
        }
        Client::send(request).await
    };
    send(&["\"é\"".as_bytes()]).await.problem(400, "bad_request");
    send(&[b"\"\xff\""]).await.problem(400, "bad_request");
    send(&[b"\"77\"", b"\"78\""]).await.problem(412, "stale");
    assert_eq!(user.get(&path).await.ok()["name"], "Before");
    // A list may be sent as several header lines.
    send(&[b"\"77\"", b"\"1\""]).await.ok();
}

#[tokio::test]
async fn credentials_are_checked_before_bodies() {
    let server = TestServer::start().await;
    let request = server.anonymous().request(Method::POST, "/api/auth/api-tokens");
    Client::send(request.header("content-type", "application/json").body("{"))
        .await
        .problem(401, "credentials_missing");
    let request = server.token(&["usage:read"]).await.request(Method::POST, "/api/auth/api-tokens");
    Client::send(request.header("content-type", "application/json").body("{"))
        .await
        .problem(403, "scope_missing");
}

#[tokio::test]
async fn every_response_has_a_request_id() {
    let server = TestServer::start().await;
    let request =
        server.anonymous().request(Method::GET, "/api/users/me").header("x-request-id", "from-the-proxy.1");
    let answer = Client::send(request).await;
    assert_eq!(answer.problem(401, "credentials_missing")["request_id"], "from-the-proxy.1");
    let ids: Vec<_> = [server.anonymous().get("/healthz").await, server.anonymous().get("/x").await]
        .iter()
        .map(|answer| answer.header("x-request-id").unwrap().to_owned())
        .collect();
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn responses_have_security_headers() {
    let server = TestServer::start().await;
    let answer = server.user().get("/api/users/me").await;
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert_eq!(answer.header("content-encoding"), None);
}

#[tokio::test]
async fn long_json_is_compressed_and_short_json_is_not() {
    let server = TestServer::start().await;
    let get = async |path: &str| {
        let request = client().get(format!("{}{path}", server.url())).header("accept-encoding", "gzip");
        Client::send(request).await
    };
    let document = get("/api/openapi.json").await;
    assert_eq!(document.header("content-encoding"), Some("gzip"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&document.body[..]).read_to_string(&mut text).unwrap();
    assert!(text.len() > 4 * document.body.len());
    assert_eq!(get("/healthz").await.header("content-encoding"), None);
}

#[tokio::test]
async fn cors_allows_configured_origins() {
    let server =
        TestServer::start_with(|config| config.cors.origins = vec!["https://app.example.org".into()]).await;
    let preflight = async |origin: &str| {
        let request = client().request(Method::OPTIONS, format!("{}/api/users/me", server.url()));
        let request = request.header("origin", origin).header("access-control-request-method", "PATCH");
        Client::send(request.header("access-control-request-headers", "authorization,idempotency-key")).await
    };
    let allowed = preflight("https://app.example.org").await;
    assert_eq!(allowed.expect(200).header("access-control-allow-origin"), Some("https://app.example.org"));
    assert_eq!(allowed.header("access-control-allow-credentials"), Some("true"));
    assert_eq!(preflight("https://evil.example.com").await.header("access-control-allow-origin"), None);
    // Client libraries send headers of their own.
    let request = client().request(Method::OPTIONS, format!("{}/api/users/me", server.url()));
    let request =
        request.header("origin", "https://app.example.org").header("access-control-request-method", "GET");
    let taken =
        Client::send(request.header("access-control-request-headers", "x-stainless-lang,if-none-match"))
            .await;
    let taken = taken.expect(200).header("access-control-allow-headers").unwrap_or_default().to_owned();
    assert!(taken.contains("x-stainless-lang") && taken.contains("if-none-match"), "{taken}");
    // The page can read error responses, too.
    let request =
        client().get(format!("{}/api/users/me", server.url())).header("origin", "https://app.example.org");
    let refused = Client::send(request).await;
    let shown = refused.header("access-control-expose-headers").unwrap_or_default();
    assert!(shown.contains("content-disposition"), "names of downloads can be read: {shown}");
    assert_eq!(refused.expect(401).header("access-control-allow-origin"), Some("https://app.example.org"));
}

#[tokio::test]
async fn requests_are_limited_per_credential() {
    let server = TestServer::start_with(|config| {
        (config.limits.credential_per_second, config.limits.credential_burst) = (1, 20);
    })
    .await;
    let (user, began, mut taken) = (server.user(), Instant::now(), 0);
    let refused = loop {
        let answer = user.get("/api/users/me").await;
        if answer.status != 200 {
            break answer;
        }
        taken += 1;
        // The limit allows one more request for each second that has passed.
        assert!(taken <= 21 + began.elapsed().as_secs(), "{taken}");
    };
    assert!(taken >= 20, "{taken}");
    refused.problem(429, "rate_limited");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    server.editor().get("/api/users/me").await.ok();
}

#[tokio::test]
async fn requests_are_limited_per_address() {
    let server = TestServer::start_with(|config| {
        config.server.trust_forwarded = true;
        (config.limits.address_per_second, config.limits.address_burst) = (1, 5);
    })
    .await;
    let http = client();
    let from = async |address: &str| {
        let request = http.get(format!("{}/healthz", server.url())).header("x-forwarded-for", address);
        Client::send(request).await.status
    };
    let (began, mut taken) = (Instant::now(), 0);
    while from("192.0.2.1").await == 200 {
        taken += 1;
        assert!(taken <= 6 + began.elapsed().as_secs(), "{taken}");
    }
    assert!(taken >= 5, "{taken}");
    assert_eq!(from("192.0.2.2").await, 200);
}

#[tokio::test]
async fn request_head_that_never_ends_times_out() {
    let server = TestServer::start().await;
    // Set after the logins, which may be slow.
    let server = server.restart_with(|config| config.server.head_seconds = 1).await;
    let addr = server.addr();
    let closed = tokio::task::spawn_blocking(move || {
        let mut socket = std::net::TcpStream::connect(addr).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).map(|_| String::from_utf8_lossy(&answer).into_owned())
    });
    let answer = closed.await.unwrap().expect("the server closes the connection");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn request_body_that_never_ends_times_out() {
    let server = TestServer::start().await;
    let server = server.restart_with(|config| config.limits.body_seconds = 1).await;
    let (sender, body) = futures::channel::mpsc::unbounded::<Result<Vec<u8>, std::io::Error>>();
    sender.unbounded_send(Ok(b"{\"name\":".to_vec())).unwrap();
    let request = server
        .user()
        .request(Method::POST, "/api/auth/api-tokens")
        .header("content-type", "application/json");
    let answer = Client::send(request.body(reqwest::Body::wrap_stream(body))).await;
    answer.problem(408, "request_timeout");
    drop(sender);
}

#[tokio::test]
async fn query_parameters_are_limited_in_length_and_number() {
    let server = TestServer::start().await;
    let user = server.user();
    let long = "x".repeat(4_097);
    assert_eq!(user.get(&format!("/api/projects?cursor={long}")).await.faults(), ["query.cursor"]);
    let export = "/api/chat/partner_compatible/export/coding_agent_a";
    let refused =
        user.get(&format!("{export}?model_ids=a&model_ids={}", "y".repeat(201))).await.expect(422).text();
    assert!(
        refused.contains("model_ids") && refused.contains("must have at most 200 characters"),
        "{refused}"
    );
    let refused = user.get(&format!("{export}?{}", "model_ids=a&".repeat(201))).await.expect(422).text();
    assert!(refused.contains("must have at most 200 items"), "{refused}");
}

#[tokio::test]
async fn api_reference_loads_nothing_from_other_hosts() {
    let server = TestServer::start().await;
    let page = server.anonymous().get("/api/docs").await;
    let text = page.expect(200).text();
    assert!(
        !text.contains("http://") && !text.contains("https://") && !text.contains("src="),
        "a foreign address"
    );
    assert!(page.header("content-security-policy").unwrap().contains("connect-src 'self'"));
    let document: Value = server.anonymous().get("/api/openapi.json").await.ok();
    assert_eq!(document["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_path_works_with_and_without_a_trailing_slash() {
    let server = TestServer::start().await;
    for called in Called::all(&understudy::INDEX.document()) {
        let path = fill_path(&called.path, |_| storage::new_id().to_string());
        let other = match path.strip_suffix('/') {
            Some(bare) => bare.to_owned(),
            None => format!("{path}/"),
        };
        let answer = Client::send(server.anonymous().request(called.method.clone(), &other)).await;
        let there = answer.status != 405 && !answer.text().contains("route_not_found");
        // A URL whose id is empty by mistake must not delete the parent object.
        let kept = called.method == Method::DELETE && other.ends_with('/');
        assert!(there || kept, "{} {other}: {answer:?}", called.method);
    }
}
