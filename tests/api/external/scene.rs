//! A service at which users log in, and their browsers.

use reqwest::{Method, Url};
use serde_json::{Value, json};
use understudy::Config;

use crate::harness::fake_authority::{CLIENT, FakeAuthority, SECRET};
use crate::harness::{Answer, Client, TestServer, text};

pub const PREPARE: &str = "/api/external/login/tracker/prepare/";
pub const LOGOUT: &str = "/api/external/logout/tracker/";

/// Starts a server with the service `tracker`.
pub async fn server(authority: &FakeAuthority) -> TestServer {
    server_with(authority, |_| {}).await
}

/// Like `server`, with further settings.
pub async fn server_with(authority: &FakeAuthority, settings: impl FnOnce(&mut Config)) -> TestServer {
    let tracker = service(authority, json!({}));
    let start = TestServer::start_with(|config| {
        config
            .external_services
            .insert("tracker".into(), serde_json::from_value(tracker).expect("a service"));
        settings(config);
    });
    start.await
}

/// The settings of a service at an authority.
pub fn service(authority: &FakeAuthority, more: Value) -> Value {
    let mut service = json!({
        "display_name": "Tracker", "issuer": authority.issuer(), "client_id": CLIENT, "client_secret": SECRET,
        "scopes": ["issues:read"], "hosts": [authority.issuer()],
        "userinfo_endpoint": format!("{}/me", authority.issuer()),
    });
    for (name, value) in more.as_object().expect("an object") {
        service[name] = value.clone();
    }
    service
}

/// A login in progress: the cookie of the browser, and the address to which the authority redirects it.
pub struct StartedLogin {
    pub mark: String,
    pub back: Url,
}

/// Starts a login and completes the authority's page.
pub async fn begin(server: &TestServer, who: &Client, authority: &FakeAuthority, how: Value) -> StartedLogin {
    let answer = who.post(PREPARE, how).await;
    let mark = mark(&answer).expect("a mark");
    let prepared = answer.ok();
    let opened = open(server, &text(&prepared["login_url"])).await;
    let page = opened.expect(302).header("location").expect("a place").to_owned();
    StartedLogin { mark, back: authority.log_in(&page).await }
}

/// Returns the part of the URL after the host.
pub fn path_of(url: &Url) -> String {
    url.as_str()[url.origin().ascii_serialization().len()..].to_owned()
}

/// Opens an address of the server in a browser without a session.
pub async fn open(server: &TestServer, url: &str) -> Answer {
    let url: Url = url.parse().expect("an address");
    server.anonymous().get(&path_of(&url)).await
}

/// Follows the redirect in a browser that has this cookie.
pub async fn come_back(server: &TestServer, back: &Url, mark: Option<&str>) -> Answer {
    come_back_to(server, &path_of(back), mark).await
}

/// Like `come_back`, for a path.
pub async fn come_back_to(server: &TestServer, path: &str, mark: Option<&str>) -> Answer {
    let request = server.anonymous().request(Method::GET, path);
    Client::send(match mark {
        Some(mark) => request.header("cookie", mark),
        None => request,
    })
    .await
}

/// Returns the cookie that identifies the browser, in the form in which the browser sends it.
pub fn mark(answer: &Answer) -> Option<String> {
    let set = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let mut ours = set.filter(|cookie| cookie.contains("understudy_login="));
    ours.next_back().map(|cookie| cookie.split(';').next().unwrap_or_default().to_owned())
}

/// Completes a login.
pub async fn log_in(server: &TestServer, who: &Client, authority: &FakeAuthority) {
    log_in_for(server, who, authority, json!({})).await;
}

/// Like `log_in`, with these options.
pub async fn log_in_for(server: &TestServer, who: &Client, authority: &FakeAuthority, how: Value) {
    let begun = begin(server, who, authority, how).await;
    come_back(server, &begun.back, Some(&begun.mark)).await.expect(200);
}

/// The status of a user's login at `tracker`.
pub async fn standing(who: &Client) -> Value {
    who.get("/api/users/external-services").await.ok()["items"][0].clone()
}
