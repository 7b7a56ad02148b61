//! The outermost middleware, which applies to every request. It assigns a request id, authenticates the caller, applies
//! rate limits, records metrics and logs.

use super::access::RightsEpoch;
use super::context::{CURRENT, Context};
use super::credentials::{Presented, Verdict};
use super::dispatch::OnBehalfOf;
use super::error::ErrorResponse;
use super::error::RefusalResponse;
use super::state::HttpState;
use super::{headers, traced};
use crate::config::Config;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest};
use domain::{Code, Refusal};
use futures::FutureExt;
use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Once, OnceLock};
use std::time::{Duration, Instant};
use telemetry::metrics::table;
use telemetry::trace;
use tracing::Instrument;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The maximum length of a caller's request id. Longer ids are replaced by generated ones.
const MAX_ID_LENGTH: usize = 64;
/// Prefixes of paths whose errors have the format of the OpenAI interface.
const PARTNER_PATHS: [&str; 2] = ["/api/chat/partner_compatible", "/v1/"];

/// Paths that report the state of the server.
const WATCHED: [&str; 4] = ["/health", "/healthz", "/readyz", "/metrics"];

/// The outermost middleware: request id, tracing, admission, metrics and log lines.
pub(crate) async fn enter<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    // Checked before any of the request is examined: if tracing is off, this branch is its only cost.
    if trace::enabled() {
        return Box::pin(traced::enter(request, next)).await;
    }
    pass(request, next).await
}

/// Serves a request under its request id.
pub(super) async fn pass<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let request_id = request_id(request.headers());
    let partner = PARTNER_PATHS.iter().any(|path| request.path().starts_with(path));
    let context = Context { request_id: request_id.clone(), partner };
    let span = tracing::info_span!("request", id = &*request_id);
    CURRENT.scope(context, serve(request, next, request_id).instrument(span)).await
}

async fn serve<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
    request_id: Arc<str>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let began = Instant::now();
    let Some(state) = request.app_data::<Data<HttpState>>().cloned() else {
        return Err(ErrorResponse(Code::Internal.into()).into());
    };
    let every = state.config.log.requests;
    let mut response = match admit(&request, &state).await {
        Ok(()) => match AssertUnwindSafe(next.call(request)).catch_unwind().await {
            Ok(response) => response?.map_into_left_body(),
            Err(_) => {
                // The request is lost with the handler, but the connection and the worker continue.
                table::HTTP_PANICS.add([], 1);
                tracing::error!("a handler panicked");
                return Err(panicked(&request_id, state.config.server.is_https()));
            }
        },
        Err(refusal) => {
            let answer = refusal.error_response();
            request.into_response(answer).map_into_right_body()
        }
    };
    let took = began.elapsed();
    measure(&response, took);
    headers::finish(response.headers_mut(), &request_id, state.config.server.is_https());
    // Refusals are always logged so that they can be explained.
    if every || response.status() == StatusCode::FORBIDDEN {
        report(&response, took);
    }
    Ok(response)
}

/// The response when a handler panicked. The request is lost, so no regular response can be built; an error can carry
/// one, with the headers of every response.
pub fn panicked(request_id: &str, https: bool) -> Error {
    let mut answer = Refusal::new(Code::Internal).error_response();
    headers::finish(answer.headers_mut(), request_id, https);
    InternalError::from_response("a handler panicked", answer).into()
}

/// Applies the rate limit of the address and authenticates the caller. The caller is charged once the operation is
/// known: see [`limits::charge`](super::limits::charge).
async fn admit(request: &ServiceRequest, state: &HttpState) -> Result<(), Refusal> {
    if let Some(address) = address_of(request.request(), &state.config) {
        state.limits.charge_address(address)?;
    }
    let judged = RightsEpoch(state.store.rights_epoch());
    let delegated = request.extensions_mut().remove::<OnBehalfOf>();
    let verdict = match delegated {
        Some(OnBehalfOf(caller)) => state.identity.verdict_on(&caller).await,
        None => state.identity.verdict(Presented::read(request.request(), &state.config)).await,
    };
    request.extensions_mut().insert(verdict);
    request.extensions_mut().insert(judged);
    Ok(())
}

/// The address of a caller: the peer of the connection, or the address stated by the proxy.
pub(crate) fn address_of(request: &HttpRequest, config: &Config) -> Option<IpAddr> {
    if !config.server.trust_forwarded && request.headers().contains_key(FORWARDED_FOR) {
        static LOGGED: Once = Once::new();
        LOGGED.call_once(|| {
            tracing::warn!(
                "requests contain X-Forwarded-For, but server.trust_forwarded is off: if there is a proxy in front, limits \
                 and failed logins are counted for all of its callers together"
            );
        });
    }
    address(request.peer_addr(), request.headers(), config)
}

pub fn address(peer: Option<SocketAddr>, headers: &HeaderMap, config: &Config) -> Option<IpAddr> {
    if config.server.trust_forwarded {
        // The last entry is the one that our own proxy added.
        let forwarded = headers.get_all(FORWARDED_FOR).filter_map(|value| value.to_str().ok()).last();
        if let Some(address) = forwarded.and_then(|list| list.rsplit(',').next()?.trim().parse().ok()) {
            return Some(address);
        }
    }
    peer.map(|peer| peer.ip())
}

pub fn request_id(headers: &HeaderMap) -> Arc<str> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static START: std::sync::LazyLock<u32> = std::sync::LazyLock::new(rand::random);
    let sound = |id: &&str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        !id.is_empty() && id.len() <= MAX_ID_LENGTH && id.bytes().all(plain)
    };
    match headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(sound) {
        Some(id) => Arc::from(id),
        // The first half distinguishes these ids from ids of other processes.
        None => Arc::from(format!("{:08x}-{:08x}", *START, NEXT.fetch_add(1, Ordering::Relaxed))),
    }
}

/// The metrics of one path, by method.
pub(crate) struct Measures(Vec<(Method, Measure)>);

/// The metrics of one operation. They are registered on first use because most operations of a server are never called.
struct Measure {
    operation: String,
    method: String,
    /// The template of the path, which does not contain ids and therefore keeps the number of label values bounded.
    route: String,
    /// Counters by status class, `1xx` first.
    requests: [OnceLock<metrics::Counter>; 5],
    seconds: OnceLock<metrics::Histogram>,
}

impl Measure {
    fn new(operation: String, method: String, route: String) -> Self {
        Self { operation, method, route, requests: Default::default(), seconds: OnceLock::new() }
    }

    fn record(&self, status: StatusCode, took: Duration) {
        let at = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        let class = ["1xx", "2xx", "3xx", "4xx", "5xx"][at];
        let (operation, method, route) = (&*self.operation, &*self.method, &*self.route);
        let requests =
            self.requests[at].get_or_init(|| table::HTTP_REQUESTS.with([operation, method, route, class]));
        requests.increment(1);
        let seconds = || table::HTTP_DURATION.with([operation, method, route]);
        self.seconds.get_or_init(seconds).record(took);
    }
}

impl Measures {
    /// The operation and the path template for a method.
    pub fn names(&self, method: &Method) -> Option<(&str, &str)> {
        let (_, measure) = self.0.iter().find(|(known, _)| known == method)?;
        Some((&measure.operation, &measure.route))
    }

    /// Creates the metrics of a path with these methods and operations.
    pub fn new(path: &str, operations: impl Iterator<Item = (Method, String)>) -> Self {
        let measure = |(method, operation)| {
            let measure = Measure::new(operation, Method::to_string(&method), path.to_owned());
            (method, measure)
        };
        Self(operations.map(measure).collect())
    }
}

fn measure<B>(response: &ServiceResponse<B>, took: Duration) {
    let (request, status) = (response.request(), response.status());
    let measures = request.app_data::<Measures>();
    let of_method =
        measures.and_then(|measures| measures.0.iter().find(|(method, _)| method == request.method()));
    match of_method {
        Some((_, measure)) => measure.record(status, took),
        // One series for all unknown paths: text chosen by clients must not become a label.
        None => {
            static NONE: LazyLock<Measure> =
                LazyLock::new(|| Measure::new("none".to_owned(), "any".to_owned(), "none".to_owned()));
            NONE.record(status, took);
        }
    }
    if status.is_client_error() || status == StatusCode::INSUFFICIENT_STORAGE {
        count_refusal(response, of_method.map(|(_, measure)| &*measure.operation));
    }
}

/// Counts requests that were refused because of credentials or limits, by error code.
fn count_refusal<B>(response: &ServiceResponse<B>, operation: Option<&str>) {
    let error =
        response.response().error().and_then(|error| error.as_error::<ErrorResponse>()).map(|error| &error.0);
    let code = error.map_or("none", |error| error.code().as_str());
    let of_login = matches!(operation, Some("auth.login"));
    match response.status() {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS if of_login => {
            table::LOGINS_REFUSED.add([code], 1);
        }
        StatusCode::UNAUTHORIZED => table::CREDENTIALS_REFUSED.add([code], 1),
        _ => {}
    }
    let by_limit = [
        StatusCode::PAYMENT_REQUIRED,
        StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::INSUFFICIENT_STORAGE,
    ];
    if by_limit.contains(&response.status()) {
        table::LIMIT_REFUSALS.add([code], 1);
    }
}

/// Removes the secrets of links from a path: more people read the log than an email.
pub fn without_secrets(path: &str) -> Cow<'_, str> {
    let Some((before, rest)) = path.split_once("/unl_") else { return path.into() };
    let after = rest.find('/').map_or("", |at| &rest[at..]);
    format!("{before}/unl_...{after}").into()
}

fn report<B>(response: &ServiceResponse<B>, took: Duration) {
    let (method, path) = (response.request().method(), without_secrets(response.request().path()));
    let path = &*path;
    let status = response.status().as_u16();
    let ms = took.as_micros() as f64 / 1000.0;
    let error =
        response.response().error().and_then(|error| error.as_error::<ErrorResponse>()).map(|error| &error.0);
    let caller = response.request().extensions().get::<Verdict>().and_then(|verdict| match verdict {
        Verdict::Known(caller) => Some(caller.user),
        _ => None,
    });
    let caller = caller.map(tracing::field::display);
    let client = response
        .request()
        .app_data::<Data<HttpState>>()
        .and_then(|state| address_of(response.request(), &state.config).map(tracing::field::display));
    let code = error.map(|error| error.code().as_str());
    let refused = error.filter(|_| status == 403).map(Refusal::shown_detail);
    let cause = error.and_then(Refusal::cause).or(refused);
    match status {
        500.. if error.is_some_and(|error| error.code().is_external()) => {
            let cause = cause.or(error.map(Refusal::shown_detail));
            tracing::warn!(%method, path, status, ms, client, caller, code, cause, "answered");
        }
        500.. => tracing::error!(%method, path, status, ms, client, caller, code, cause, "answered"),
        // Monitoring systems request these paths every few seconds.
        ..400 if WATCHED.contains(&path) => tracing::debug!(%method, path, status, ms, client, "answered"),
        _ => tracing::info!(%method, path, status, ms, client, caller, code, cause, "answered"),
    }
}
