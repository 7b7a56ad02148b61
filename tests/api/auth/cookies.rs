use crate::harness::{Answer, Client, PASSWORD, TestServer};
use reqwest::Method;
use serde_json::json;
use understudy::config::CookieSameSite;

/// Returns the cookies that a browser stores from a response, as `name=value; name=value`.
fn jar(answer: &Answer) -> String {
    let cookies = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    cookies.map(|cookie| cookie.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
}

async fn log_in(server: &TestServer) -> Answer {
    let body = json!({"email": "user@example.org", "password": PASSWORD});
    server.anonymous().post("/api/auth/login/", body).await
}

#[tokio::test]
async fn login_sets_http_only_cookies() {
    let server = TestServer::start().await;
    let login = log_in(&server).await;
    let cookies: Vec<_> =
        login.headers.get_all("set-cookie").iter().map(|c| c.to_str().unwrap().to_owned()).collect();
    assert_eq!(cookies.len(), 2);
    for cookie in &cookies {
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        assert!(!cookie.contains("Secure"), "plain http here: {cookie}");
    }
    assert!(cookies[1].starts_with("understudy_refresh=") && cookies[1].contains("Path=/api/auth"));
}

#[tokio::test]
async fn cookies_are_secure_behind_https() {
    let server = TestServer::start_with(|config| {
        config.server.public_url = Some("https://understudy.example.org".into())
    })
    .await;
    let login = log_in(&server).await;
    assert!(login.headers.get_all("set-cookie").iter().all(|c| c.to_str().unwrap().contains("Secure")));
    assert!(login.header("strict-transport-security").is_some());
}

/// For a user interface on another domain, the cookies are sent to that domain only.
#[tokio::test]
async fn cookies_are_sent_to_other_sites_if_the_settings_allow_it() {
    let page = "https://app.example.com";
    let server = TestServer::start_with(|config| {
        config.server.public_url = Some("https://understudy.example.org".into());
        config.cors.origins = vec![page.into()];
        config.auth.cookie_same_site = CookieSameSite::None;
    })
    .await;
    let login = log_in(&server).await;
    for cookie in login.headers.get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.contains("SameSite=None") && cookie.contains("Secure"), "{cookie}");
    }
    let cookies = jar(&login);
    let send = async |method: Method, path: &str, origin: Option<&str>, mode: &str| {
        let request = server.anonymous().request(method, path).header("cookie", &cookies);
        let request = request.header("sec-fetch-site", "cross-site").header("sec-fetch-mode", mode);
        let request = match origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        };
        Client::send(request.json(&json!({"name": "from a page"}))).await
    };
    let me = "/api/users/me";
    send(Method::GET, me, Some(page), "cors").await.ok();
    send(Method::POST, "/api/auth/api-tokens", Some(page), "cors").await.created();
    for (origin, mode) in [(Some("https://evil.example"), "cors"), (None, "no-cors"), (Some("null"), "cors")]
    {
        send(Method::GET, me, origin, mode).await.problem(401, "credentials_missing");
        let refused = send(Method::POST, "/api/auth/api-tokens", origin, mode).await;
        refused.problem(403, "origin_refused");
    }
    // Following a link keeps the user logged in.
    send(Method::GET, me, None, "navigate").await.ok();
}

/// A browser drops the cookies of a login from a page of another site without reporting it.
#[tokio::test]
async fn login_from_another_site_reports_why_its_cookies_are_lost() {
    let page = "http://localhost:3000";
    let server = TestServer::start_with(|config| config.cors.origins = vec![page.into()]).await;
    let send = async |site: &str, origin: &str| {
        let request = server.anonymous().request(Method::GET, "/api/users/me");
        Client::send(request.header("sec-fetch-site", site).header("origin", origin)).await
    };
    let told = send("cross-site", page).await.problem(401, "cookies_withheld");
    let why = told["detail"].as_str().unwrap();
    assert!(why.contains(page) && why.contains("cookie_same_site"), "{why}");
    send("same-site", page).await.problem(401, "credentials_missing");
    send("cross-site", "http://evil.example").await.problem(401, "credentials_missing");
}

#[tokio::test]
async fn unsafe_methods_with_cookies_require_the_same_origin() {
    let server = TestServer::start().await;
    let cookies = jar(&log_in(&server).await);
    let send = async |method: Method, path: &str, origin: Option<&str>| {
        let request = server.anonymous().request(method, path).header("cookie", &cookies);
        let request = match origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        };
        Client::send(request.json(&json!({"name": "from a page"}))).await
    };
    let (ours, theirs) = (server.url(), "https://evil.example.com");
    send(Method::GET, "/api/users/me", None).await.ok();
    send(Method::GET, "/api/users/me", Some(theirs)).await.ok();
    send(Method::POST, "/api/auth/api-tokens", None).await.problem(403, "origin_refused");
    send(Method::POST, "/api/auth/api-tokens", Some(theirs)).await.problem(403, "origin_refused");
    send(Method::POST, "/api/auth/api-tokens", Some("null")).await.problem(403, "origin_refused");
    send(Method::POST, "/api/auth/api-tokens", Some(&ours)).await.created();
}

#[tokio::test]
async fn websocket_with_cookies_requires_the_same_origin() {
    let server = TestServer::start().await;
    let cookies = jar(&log_in(&server).await);
    let path = "/api/conversations/01890000-0000-7000-8000-000000000000/streams/active";
    let request = server.anonymous().request(Method::GET, path).header("cookie", &cookies);
    let request = request.header("upgrade", "websocket").header("origin", "https://evil.example.com");
    Client::send(request).await.problem(403, "origin_refused");
}

#[tokio::test]
async fn refresh_cookie_renews_the_session_and_logout_clears_it() {
    let server = TestServer::start().await;
    let cookies = jar(&log_in(&server).await);
    let send = async |path: &str, cookies: &str, origin: &str| {
        let request =
            server.anonymous().request(Method::POST, path).header("cookie", cookies).header("origin", origin);
        Client::send(request).await
    };
    send("/api/auth/refresh/", &cookies, "https://evil.example.com").await.problem(403, "origin_refused");
    let renewed = send("/api/auth/refresh/", &cookies, &server.url()).await;
    renewed.ok();
    let cookies = jar(&renewed);
    let gone = send("/api/auth/logout/", &cookies, &server.url()).await;
    gone.no_content();
    assert_eq!(jar(&gone), "understudy_access=; understudy_refresh=");
    let request = server.anonymous().request(Method::GET, "/api/users/me").header("cookie", &cookies);
    Client::send(request).await.problem(401, "session_ended");
}

#[tokio::test]
async fn authorization_header_takes_precedence_over_the_cookie() {
    let server = TestServer::start().await;
    let cookies = jar(&log_in(&server).await);
    let request = server.editor().request(Method::GET, "/api/users/me").header("cookie", &cookies);
    assert_eq!(Client::send(request).await.ok()["email"], "editor@example.org");
}
