//! The base path: the path of `server.public_url`, under which a proxy makes the server available.
//!
//! Some proxies pass the base path on, others strip it. The server accepts both, and addresses itself with it.

use super::state::HttpState;
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Uri;
use actix_web::http::header::{CONTENT_LOCATION, HeaderValue, LOCATION};
use actix_web::http::uri::PathAndQuery;
use actix_web::middleware::Next;
use actix_web::web::Data;

/// Middleware. Removes the base path from requests, and adds it to the headers of responses that contain a path.
pub(super) async fn relative<B: MessageBody>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let Some(state) = request.app_data::<Data<HttpState>>().cloned() else { return next.call(request).await };
    let base = state.config.server.base_path();
    if let Some(uri) = without_base(request.uri(), base) {
        request.match_info_mut().get_mut().update(&uri);
        request.head_mut().uri = uri;
    }
    let mut response = next.call(request).await?;
    for name in [LOCATION, CONTENT_LOCATION] {
        let path = response.headers().get(&name).and_then(|value| value.to_str().ok());
        let path = path.and_then(|path| with_base(path, base));
        if let Some(path) = path.and_then(|path| HeaderValue::from_str(&path).ok()) {
            response.headers_mut().insert(name, path);
        }
    }
    Ok(response)
}

/// The part of a path after the base path, if the path is below it.
fn below<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    path.strip_prefix(base).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

/// The address without the base path; `None` if it does not have it.
pub fn without_base(uri: &Uri, base: &str) -> Option<Uri> {
    let mut rest = below(uri.path_and_query()?.as_str(), base)?.to_owned();
    if !rest.starts_with('/') {
        rest.insert(0, '/');
    }
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(rest).ok()?);
    Uri::from_parts(parts).ok()
}

/// A path of this server with the base path; `None` for other addresses, and for paths that have it already.
pub fn with_base(path: &str, base: &str) -> Option<String> {
    let is_path = path.starts_with('/') && !path.starts_with("//");
    (is_path && below(path, base).is_none()).then(|| format!("{base}{path}"))
}
