//! Logins at other servers: what the doors of external services and of tool servers have in common.
//!
//! A login belongs to whoever asked for it, and the browser that comes back with it may be somebody else's: who is
//! talked into opening a link would give their own account elsewhere to whoever sent the link. So the browser has to be
//! the one that asked (it was given a mark then), or one in which the same user is logged in; any other is shown whose
//! login this will be, and goes on only from that page.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use assist::connections::{ConnectError, Finished, Returned, UnderWay, digest_of};
use providers::oauth::OAuthErrorKind;
use reqwest::Url;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::App;
use crate::http::{Api, Browser, Code, Faults, Page, Refusal, Validate};

/// The longest path that a browser is sent to at the end.
const LONGEST_PATH: usize = 1_000;

/// What an authorization server sends a browser back with: texts of printable ASCII (RFC 6749, appendix A). Others are taken
/// as well.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ComingBack {
    /// Which login it is.
    #[param(pattern = "^[ -~]*$")]
    pub state: Option<String>,
    /// What is given for tokens.
    #[param(pattern = "^[ -~]*$")]
    pub code: Option<String>,
    /// Why there is no code.
    #[param(pattern = "^[ -~]*$")]
    pub error: Option<String>,
    /// The same in words.
    #[param(pattern = "^[ -~]*$")]
    pub error_description: Option<String>,
    /// Who the authorization server is (RFC 9207).
    #[param(pattern = "^[ -~]*$")]
    pub iss: Option<String>,
    /// Whose place this is, where this server has registered by itself: each authorization server has its own.
    #[param(pattern = "^[ -~]*$")]
    #[serde(rename = "as")]
    pub of_server: Option<String>,
    /// That the user has seen whose login it will be.
    #[param(pattern = "^[ -~]*$")]
    pub confirm: Option<String>,
}

impl Validate for ComingBack {
    fn validate(&self, faults: &mut Faults) {
        if self.state.as_deref().unwrap_or_default().is_empty() {
            faults.add(["state"], "is missing: this address is opened by browsers that come back", "missing");
        }
    }
}

/// Says what is wrong with a place to go to at the end: it has to be a path of this server.
pub fn check_return_to(faults: &mut Faults, path: Option<&str>) {
    let Some(path) = path else { return };
    let plain = path.len() <= LONGEST_PATH && path.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if !plain || !path.starts_with('/') || path.starts_with("//") {
        faults.add(["return_to"], "has to be a path of this server, 1,000 characters at most", "malformed");
    }
}

/// Why a login did not come about, as answers have it.
pub fn refusal(why: ConnectError) -> Refusal {
    match why {
        ConnectError::NotFound("service") => no_service(),
        ConnectError::NotFound(what) => Refusal::not_found(what),
        ConnectError::NotNeeded(server) => {
            Refusal::new(Code::LoginNotRequired).detail(format!("{server} lets everyone in"))
        }
        ConnectError::Gone => Refusal::new(Code::LoginExpired).detail("begin it anew where you began it"),
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

/// There is no external service of that name.
pub fn no_service() -> Refusal {
    let why = "the settings name no external service of this name (`external_services`)";
    Refusal::new(Code::NotFound).detail(why)
}

/// Takes a browser back that an authorization server sends; `path` is where it came to.
pub async fn come_back(app: &App, browser: &Browser, path: &str, back: ComingBack) -> Api<HttpResponse> {
    let connections = &app.run_context.connections;
    let state = back.state.clone().unwrap_or_default();
    let under_way = connections.under_way(&state).await.map_err(refusal)?;
    match whose(browser, &under_way, &back, &state) {
        Whose::Theirs => {}
        Whose::SomebodyElses => {
            let why = "somebody else is logged in here; open it in the browser where it began";
            return Err(Refusal::new(Code::LoginMismatch).detail(why));
        }
        Whose::Unknown => return ask(app, browser, path, &back, &under_way),
    }
    let mut at = format!("{}{path}", connections.settings().base);
    if let Some(server) = &back.of_server {
        at.push_str(&format!("?as={server}"));
    }
    let ComingBack { code, error, error_description, iss, .. } = back;
    let finished = connections.finish(Returned { state, code, error, error_description, iss, at }).await;
    let finished = finished.map_err(refusal)?;
    if let (Ok(()), Some(assistant), Some(url)) =
        (&finished.outcome, under_way.flow.assistant, under_way.flow.url.clone())
    {
        let (tenant, user) = (storage::TenantId(under_way.flow.tenant), under_way.flow.user);
        forget_tools(app, assist::tool_servers::UserToolServer { tenant, user, assistant, url });
    }
    told(finished)
}

/// What a tool server offered before somebody logged in, or out, is not what it offers now.
pub fn forget_tools(app: &App, place: assist::tool_servers::UserToolServer) {
    app.run_context.tool_servers.forget(&place);
}

/// Whose browser it is.
enum Whose {
    /// That of the user whose login it will be.
    Theirs,
    /// Nobody knows.
    Unknown,
    /// Another user is logged in there.
    SomebodyElses,
}

fn whose(browser: &Browser, under_way: &UnderWay, back: &ComingBack, state: &str) -> Whose {
    let flow = &under_way.flow;
    if let Some(caller) = &browser.caller {
        let same = caller.user == flow.user && caller.tenant.0 == flow.tenant && caller.act.is_none();
        return if same { Whose::Theirs } else { Whose::SomebodyElses };
    }
    let marked = browser.mark.as_deref().is_some_and(|mark| digest_of(mark) == flow.browser_sha256);
    let confirmed =
        browser.mark.as_deref().is_some_and(|mark| back.confirm == Some(confirmation(mark, state)));
    // Where nothing is gained for anybody, nobody has to be asked.
    let refused = back.error.is_some();
    if marked || confirmed || refused { Whose::Theirs } else { Whose::Unknown }
}

/// What the page leads on with: only the browser that was shown it can have it.
fn confirmation(mark: &str, state: &str) -> String {
    digest_of(&format!("confirm {mark} {state}"))
}

/// The page that says whose login it will be.
fn ask(
    app: &App,
    browser: &Browser,
    path: &str,
    back: &ComingBack,
    under_way: &UnderWay,
) -> Api<HttpResponse> {
    let UnderWay { name, email, tenant, .. } = under_way;
    let mut marking = HttpResponse::Ok();
    let mark = browser.marked(app, &mut marking)?;
    let confirm = confirmation(&mark, back.state.as_deref().unwrap_or_default());
    let page = Page::new(format!("Use {name} as {email}?"))
        .says(format!(
            "The account {email} in {tenant} on this server asks to use {name} with the login that you have just made \
             there. Its assistants could then do there what you may do."
        ))
        .says("Go on only if that account is yours. If somebody has sent you a link to here, close this page.")
        .leads(format!("{email} is me: go on"), onward(path, back, &confirm)?);
    let mut response = page.respond(StatusCode::OK);
    for cookie in marking.finish().cookies() {
        response.add_cookie(&cookie).map_err(|why| Refusal::new(Code::Internal).because(why))?;
    }
    Ok(response)
}

/// The path that the browser came to, with the confirmation.
fn onward(path: &str, back: &ComingBack, confirm: &str) -> Api<String> {
    let failed = |why: &dyn std::fmt::Display| Refusal::new(Code::Internal).because(why);
    let mut url = Url::parse("http://here").map_err(|why| failed(&why))?;
    url.set_path(path);
    let ComingBack { state, code, iss, of_server, .. } = back;
    let fields = [("as", of_server), ("state", state), ("code", code), ("iss", iss)];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    url.query_pairs_mut().extend_pairs(given).append_pair("confirm", confirm);
    Ok(format!("{}?{}", url.path(), url.query().unwrap_or_default()))
}

/// Where the browser is sent, or what it is shown.
fn told(finished: Finished) -> Api<HttpResponse> {
    let Finished { name, return_to, outcome } = finished;
    let outcome = outcome.map_err(refusal);
    let Some(path) = return_to else {
        outcome?;
        let page = Page::new(format!("You are logged in at {name}"));
        return Ok(page.says("You can close this page.").respond(StatusCode::OK));
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
