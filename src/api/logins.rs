//! Logins at other servers: the code that external services and tool servers share.
//!
//! A login belongs to the user who started it, but the browser that completes it may be another user's: an
//! attacker who talks a victim into opening a link would get access to the victim's account at the other
//! server. The browser must therefore be the one that started the login (it received a cookie then) or one in
//! which the same user is signed in. Any other browser is shown a page that names the owner of the login, and
//! continues only from that page.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use assist::connections::{AuthorizationResponse, ConnectError, Finished, PendingLogin, digest_of};
use providers::oauth::OAuthErrorKind;
use reqwest::Url;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::App;
use crate::http::{Api, Browser, Code, Faults, Page, Refusal, Validate};

/// Maximum length, in bytes, of the path to which a browser is redirected after a login.
const MAX_PATH_LENGTH: usize = 1_000;

/// Query parameters with which an authorization server redirects a browser back. The values are printable ASCII
/// (RFC 6749, appendix A), but other characters are accepted as well.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginReturn {
    /// Identifies the login.
    #[param(pattern = "^[ -~]*$")]
    pub state: Option<String>,
    /// The authorization code to exchange for tokens.
    #[param(pattern = "^[ -~]*$")]
    pub code: Option<String>,
    /// The error code, if the authorization server issued no authorization code.
    #[param(pattern = "^[ -~]*$")]
    pub error: Option<String>,
    /// A human-readable explanation of why there is no authorization code.
    #[param(pattern = "^[ -~]*$")]
    pub error_description: Option<String>,
    /// The issuer identifier of the authorization server (RFC 9207).
    #[param(pattern = "^[ -~]*$")]
    pub iss: Option<String>,
    /// The authorization server to which this redirect address belongs. Set where this server registered itself
    /// dynamically: each authorization server then has its own redirect address.
    #[param(pattern = "^[ -~]*$")]
    #[serde(rename = "as")]
    pub of_server: Option<String>,
    /// Proves that the user has seen the page that names the owner of the login.
    #[param(pattern = "^[ -~]*$")]
    pub confirm: Option<String>,
}

impl Validate for LoginReturn {
    fn validate(&self, faults: &mut Faults) {
        if self.state.as_deref().unwrap_or_default().is_empty() {
            faults.add(
                ["state"],
                "is missing: only an authorization server may redirect to this address",
                "missing",
            );
        }
    }
}

/// Checks the path to which a browser is redirected after a login: it must be a path of this server.
pub fn check_return_to(faults: &mut Faults, path: Option<&str>) {
    let Some(path) = path else { return };
    let plain = path.len() <= MAX_PATH_LENGTH && path.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if !plain || !path.starts_with('/') || path.starts_with("//") {
        faults.add(["return_to"], "must be a path of this server of at most 1,000 characters", "malformed");
    }
}

/// Converts a login error into a problem response.
pub fn refusal(why: ConnectError) -> Refusal {
    match why {
        ConnectError::NotFound("service") => no_service(),
        ConnectError::NotFound(what) => Refusal::not_found(what),
        ConnectError::NotNeeded(server) => {
            Refusal::new(Code::LoginNotRequired).detail(format!("{server} requires no login"))
        }
        ConnectError::Gone => {
            Refusal::new(Code::LoginExpired).detail("start the login again where you started it")
        }
        ConnectError::NotAllowed(why) => Refusal::new(Code::NotAllowed).detail(why),
        ConnectError::Mismatch(why) => Refusal::new(Code::LoginMismatch).detail(why),
        ConnectError::Denied(words) => Refusal::new(Code::LoginDenied).detail(words),
        ConnectError::Authority(why) if why.kind == OAuthErrorKind::Blocked => {
            Refusal::new(Code::NotAllowed).detail(why.message)
        }
        ConnectError::Authority(why) => Refusal::new(Code::AuthorityFailed).detail(why.message),
        ConnectError::Store(why) => why.into(),
    }
}

/// The problem response for an unknown external service.
pub fn no_service() -> Refusal {
    let why = "the configuration has no external service of this name (`external_services`)";
    Refusal::new(Code::NotFound).detail(why)
}

/// Completes a login in the browser that an authorization server redirected to `path`.
pub async fn complete_login(
    app: &App,
    browser: &Browser,
    path: &str,
    back: LoginReturn,
) -> Api<HttpResponse> {
    let connections = &app.run_context.connections;
    let state = back.state.clone().unwrap_or_default();
    let under_way = connections.under_way(&state).await.map_err(refusal)?;
    match browser_of(browser, &under_way, &back, &state) {
        BrowserOf::SameUser => {}
        BrowserOf::AnotherUser => {
            let why = "another user is signed in to this browser; open the link in the browser where the login started";
            return Err(Refusal::new(Code::LoginMismatch).detail(why));
        }
        BrowserOf::Unknown => return confirmation_page(app, browser, path, &back, &under_way),
    }
    let mut at = format!("{}{path}", connections.settings().base);
    if let Some(server) = &back.of_server {
        at.push_str(&format!("?as={server}"));
    }
    let LoginReturn { code, error, error_description, iss, .. } = back;
    let finished =
        connections.finish(AuthorizationResponse { state, code, error, error_description, iss, at }).await;
    let finished = finished.map_err(refusal)?;
    if let (Ok(()), Some(assistant), Some(url)) =
        (&finished.outcome, under_way.flow.assistant, under_way.flow.url.clone())
    {
        let (tenant, user) = (storage::TenantId(under_way.flow.tenant), under_way.flow.user);
        forget_tools(app, assist::tool_servers::UserToolServer { tenant, user, assistant, url });
    }
    finished_response(finished)
}

/// Drops the cached tools of a tool server. Called after a login or logout, since the tools that a server
/// offers can depend on the login.
pub fn forget_tools(app: &App, place: assist::tool_servers::UserToolServer) {
    app.run_context.tool_servers.forget(&place);
}

/// How the browser that completes a login relates to the login's owner.
enum BrowserOf {
    /// The owner of the login uses the browser.
    SameUser,
    /// The user of the browser is not known.
    Unknown,
    /// Another user is signed in to the browser.
    AnotherUser,
}

fn browser_of(browser: &Browser, under_way: &PendingLogin, back: &LoginReturn, state: &str) -> BrowserOf {
    let flow = &under_way.flow;
    if let Some(caller) = &browser.caller {
        let same = caller.user == flow.user && caller.tenant.0 == flow.tenant && caller.act.is_none();
        return if same { BrowserOf::SameUser } else { BrowserOf::AnotherUser };
    }
    let marked = browser.mark.as_deref().is_some_and(|mark| digest_of(mark) == flow.browser_sha256);
    let confirmed =
        browser.mark.as_deref().is_some_and(|mark| back.confirm == Some(confirmation(mark, state)));
    // A failed login gives access to nothing, so there is nothing to confirm.
    let refused = back.error.is_some();
    if marked || confirmed || refused { BrowserOf::SameUser } else { BrowserOf::Unknown }
}

/// The confirmation in the link of the confirmation page. Only the browser that was shown the page knows it.
fn confirmation(mark: &str, state: &str) -> String {
    digest_of(&format!("confirm {mark} {state}"))
}

/// The page that names the owner of the login and asks for confirmation.
fn confirmation_page(
    app: &App,
    browser: &Browser,
    path: &str,
    back: &LoginReturn,
    under_way: &PendingLogin,
) -> Api<HttpResponse> {
    let PendingLogin { name, email, tenant, .. } = under_way;
    let mut marking = HttpResponse::Ok();
    let mark = browser.marked(app, &mut marking)?;
    let confirm = confirmation(&mark, back.state.as_deref().unwrap_or_default());
    let page = Page::new(format!("Use {name} as {email}?"))
        .paragraph(format!(
            "The account {email} in {tenant} on this server asks to use {name} with the login that you have just made \
             there. Its assistants could then do there what you may do."
        ))
        .paragraph("Continue only if that account is yours. If another person sent you this link, close this page.")
        .link(format!("I am {email}: continue"), format!("{}{}", app.config.server.base_path(), onward(path, back, &confirm)?));
    let mut response = page.respond(StatusCode::OK);
    for cookie in marking.finish().cookies() {
        response.add_cookie(&cookie).map_err(|why| Refusal::new(Code::Internal).because(why))?;
    }
    Ok(response)
}

/// The path that the browser requested, with the confirmation added.
fn onward(path: &str, back: &LoginReturn, confirm: &str) -> Api<String> {
    let failed = |why: &dyn std::fmt::Display| Refusal::new(Code::Internal).because(why);
    let mut url = Url::parse("http://here").map_err(|why| failed(&why))?;
    url.set_path(path);
    let LoginReturn { state, code, iss, of_server, .. } = back;
    let fields = [("as", of_server), ("state", state), ("code", code), ("iss", iss)];
    let present = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    url.query_pairs_mut().extend_pairs(present).append_pair("confirm", confirm);
    Ok(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
}

/// The redirect or page at the end of a login.
fn finished_response(finished: Finished) -> Api<HttpResponse> {
    let Finished { name, return_to, outcome } = finished;
    let outcome = outcome.map_err(refusal);
    let Some(path) = return_to else {
        outcome?;
        let page = Page::new(format!("You are logged in at {name}"));
        return Ok(page.paragraph("You can close this page.").respond(StatusCode::OK));
    };
    let (field, value) = match &outcome {
        Ok(()) => ("login", "ok"),
        Err(why) => ("login_error", why.code().as_str()),
    };
    let (before, fragment) =
        path.split_once('#').map_or((path.as_str(), ""), |(before, after)| (before, after));
    let joint = if before.contains('?') { '&' } else { '?' };
    let hash = if fragment.is_empty() { "" } else { "#" };
    let place = format!("{before}{joint}{field}={value}{hash}{fragment}");
    Ok(HttpResponse::SeeOther().insert_header((LOCATION, place)).finish())
}
