//! A server that clients reach under a base path, behind proxies that pass it on or strip it.

use crate::api::joining::invite;
use crate::api::streams::reading::asking;
use crate::harness::fake_smtp::FakeSmtp;
use crate::harness::{Answer, Client, PASSWORD, TestServer, text};
use reqwest::Method;
use serde_json::json;

async fn server() -> TestServer {
    TestServer::start_with(|config| {
        config.server.public_url = Some("https://example.org/team/ai/".to_owned())
    })
    .await
}

fn cookies(answer: &Answer) -> Vec<String> {
    answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|cookie| cookie.to_str().expect("text").to_owned())
        .collect()
}

/// The value of an attribute of a cookie.
fn path_of(cookie: &str) -> &str {
    cookie.split("; ").find_map(|part| part.strip_prefix("Path=")).expect("a path")
}

#[tokio::test]
async fn requests_are_served_with_and_without_the_base_path() {
    let server = server().await;
    let user = server.user();
    for base in ["", "/team/ai"] {
        user.get(&format!("{base}/api/users/me")).await.ok();
        server.anonymous().get(&format!("{base}/healthz")).await.ok();
        let made = user
            .post(&format!("{base}/api/conversations"), json!({"title": format!("Below {base}.")}))
            .await
            .created();
        let found = user.get(&format!("{base}/api/conversations/{}?limit=1", text(&made["id"]))).await.ok();
        assert_eq!(found["title"], json!(format!("Below {base}.")));
    }
    for other in ["/team/aid/healthz", "/team/healthz", "/team/ai/team/ai/healthz", "/ai/healthz"] {
        server.anonymous().get(other).await.problem(404, "route_not_found");
    }
}

#[tokio::test]
async fn cookies_have_the_base_path() {
    let server = server().await;
    let body = json!({"email": "user@example.org", "password": PASSWORD});
    let log_in = |base: &str| format!("{base}/api/auth/login/");
    for base in ["", "/team/ai"] {
        let login = server.anonymous().post(&log_in(base), body.clone()).await;
        let set = cookies(&login);
        let paths: Vec<_> = set.iter().map(|cookie| path_of(cookie)).collect();
        assert_eq!(paths, ["/team/ai", "/team/ai/api/auth"], "{set:?}");
        let header = set.iter().map(|cookie| cookie.split(';').next().expect("a pair"));
        let header = header.collect::<Vec<_>>().join("; ");
        let logout = server
            .anonymous()
            .request(Method::POST, "/api/auth/logout")
            .header("cookie", header)
            .header("origin", "https://example.org");
        let cleared = cookies(&Client::send(logout).await);
        let paths: Vec<_> = cleared.iter().map(|cookie| path_of(cookie)).collect();
        assert_eq!(paths, ["/team/ai", "/team/ai/api/auth"], "{cleared:?}");
    }
}

#[tokio::test]
async fn locations_have_the_base_path() {
    let server = server().await;
    let user = server.user();
    for base in ["", "/team/ai"] {
        let home = text(&user.post("/api/conversations", json!({})).await.created()["id"]);
        let request = asking(&user, &home, json!({"message": "Hello"}));
        let answer = request.send().await.expect("a response");
        let location = answer.headers()["content-location"].to_str().expect("text").to_owned();
        assert!(location.starts_with(&format!("/team/ai/api/conversations/{home}/streams/")), "{location}");
        answer.text().await.expect("the stream");
        user.get(&location).await.expect(200);
        let document = server.anonymous().get(&format!("{base}/api/openapi.json")).await.ok();
        assert_eq!(document["servers"][0]["url"], "/team/ai");
        let upload = json!({"filename": "a.txt", "media_type": "text/plain", "size": 1});
        let signed = user.post(&format!("/api/conversations/{home}/signed-upload-url"), upload).await.ok();
        let url = text(&signed["url"]);
        assert!(url.starts_with(&format!("{}/team/ai/api/conversations/", server.url())), "{url}");
        Client::send(user.request(Method::PUT, url.strip_prefix(&server.url()).expect("ours")).body("x"))
            .await
            .expect(201);
    }
}

#[tokio::test]
async fn links_in_emails_have_the_base_path() {
    let smtp = FakeSmtp::start().await;
    let server = TestServer::start_with(|config| {
        smtp.configure(config);
        config.server.public_url = Some("https://example.org/team/ai".to_owned());
    })
    .await;
    invite(&server, "ada@example.org", "user").await;
    let email = smtp.letter_to("ada@example.org").await.text;
    assert!(email.contains("https://example.org/team/ai/join#invitation="), "{email}");
}

#[test]
fn public_url_paths_must_be_unambiguous() {
    let load = |url: &str| {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("my.toml");
        std::fs::write(&file, format!("[server]\npublic_url = \"{url}\"\n")).expect("a file");
        understudy::Config::load(Some(&file))
    };
    for url in
        ["https://example.org", "https://example.org/", "https://example.org/ai", "http://h:1/a/b-c_d.e~/"]
    {
        load(url).unwrap_or_else(|error| panic!("{url}: {error}"));
    }
    for url in [
        "https://example.org/a b",
        "https://example.org/a?b",
        "https://h/a//b",
        "https://h/../b",
        "https://h/ä",
    ] {
        let error = load(url).expect_err(url).to_string();
        assert!(error.contains("the path of server.public_url may contain only"), "{url}: {error}");
    }
    for url in ["https://example.org/api", "https://example.org/v1/x", "https://example.org/join"] {
        assert!(load(url).expect_err(url).to_string().contains("must not begin like a path"), "{url}");
    }
}
