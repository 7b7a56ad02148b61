//! Logins at authorization servers, step by step, as a browser performs them.

use reqwest::Url;
use serde_json::{Value, json};

use super::requests::Request;
use crate::harness::fake_authority::{CLIENT, FakeAuthority, SECRET};
use crate::harness::{Answer, Client, TestServer, text};

/// Texts that no response may contain: the client secret, the prefixes of all tokens of the fake authority, and
/// passwords.
pub const SECRETS: [&str; 5] = [SECRET, "access-0", "refresh-0", "client-secret-0", crate::harness::PASSWORD];

/// The settings of an external service at an authority.
pub fn settings(authority: &FakeAuthority, has_unified_callback: bool) -> Value {
    json!({
        "display_name": "Tracker", "issuer": authority.issuer(), "client_id": CLIENT, "client_secret": SECRET,
        "scopes": ["issues:read"], "hosts": [authority.issuer()], "unified_callback": has_unified_callback,
        "userinfo_endpoint": format!("{}/me", authority.issuer()),
    })
}

/// The request that prepares a login at a service.
pub fn preparing(service: &str, who: &Client) -> Request {
    let body = json!({"return_to": "/join?a=1#b", "assistant_id": null});
    Request::post(&format!("/api/external/login/{{{service}}}/prepare/"), &body).by(who)
}

/// The request that opens a prepared login.
pub fn opening(prepared: &Value) -> Request {
    Request::get("/api/external/login").query("nonce", &text(&prepared["nonce"]))
}

/// The cookie in a response by which the server recognises the browser.
pub fn mark(answer: &Answer) -> String {
    let mut set = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let ours = set.rfind(|cookie| cookie.contains("understudy_login=")).expect("a mark");
    ours.split(';').next().unwrap_or_default().to_owned()
}

/// The request with which a browser returns from the authority. In the path, the name of a service is the parameter.
pub fn coming_back(back: &Url, mark: &str) -> Request {
    let path = match back.path().split_once("/callback/") {
        Some((before, service)) => format!("{before}/callback/{{{service}}}"),
        None => back.path().to_owned(),
    };
    let request = Request::get(&path).header("cookie", mark);
    back.query_pairs().fold(request, |request, (name, value)| request.query(&name, &value))
}

/// Starts a login at a service and goes through the authority's page. Returns the request with which the browser
/// returns.
pub async fn begin(server: &TestServer, who: &Client, authority: &FakeAuthority, service: &str) -> Request {
    let path = format!("/api/external/login/{service}/prepare/");
    let answer = who.post(&path, json!({})).await;
    let mark = mark(&answer);
    let opened = server.anonymous().get(&opening(&answer.ok()).target()).await;
    let page = opened.expect(302).header("location").expect("a place").to_owned();
    coming_back(&authority.log_in(&page).await, &mark)
}
