//! Headers of every response, and the choice of responses to compress.

use actix_web::Error;
use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName,
    HeaderValue, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;

/// The minimum size in bytes; compressing smaller bodies is not worthwhile.
const MIN_BYTES: u64 = 1024;
/// Media types that are compressed if the length is known. Streams are never compressed.
const COMPRESSED: [&str; 5] =
    ["application/json", "application/problem+json", "text/html", "text/csv", "text/plain"];
const PLAIN: HeaderValue = HeaderValue::from_static("identity");

/// Middleware directly inside the compression: marks responses that must not be compressed.
pub(crate) async fn mark_uncompressed<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    let worth_it =
        matches!(response.response().body().size(), BodySize::Sized(length) if length >= MIN_BYTES);
    let media_type =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default();
    let is_compressed = response.headers().contains_key(CONTENT_ENCODING);
    if !is_compressed && (!worth_it || !COMPRESSED.contains(&media_type)) {
        response.headers_mut().insert(CONTENT_ENCODING, PLAIN);
    }
    Ok(response)
}

/// Removes the mark, and adds the headers of every response.
pub(super) fn finish(headers: &mut HeaderMap, request_id: &str, https: bool) {
    if headers.get(CONTENT_ENCODING).is_some_and(|value| value == PLAIN) {
        headers.remove(CONTENT_ENCODING);
    }
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    let always = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in always {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}
