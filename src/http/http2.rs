//! Converts HTTP/2 requests to the form of HTTP/1.1, so that the rest of the server handles only one form.

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Version;
use actix_web::http::header::{COOKIE, HOST, HeaderValue};
use actix_web::middleware::Next;

/// Middleware. HTTP/2 has the authority in a separate field instead of `Host`, and may split `Cookie` (RFC 9113,
/// 8.2.3).
pub(super) async fn as_of_http1<B: MessageBody>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if request.version() == Version::HTTP_2 {
        let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
        let host = authority.and_then(|authority| HeaderValue::from_str(&authority).ok());
        let cookies: Vec<_> = request.headers().get_all(COOKIE).map(HeaderValue::as_bytes).collect();
        let joined =
            (cookies.len() > 1).then(|| HeaderValue::from_bytes(&cookies.join(&b"; "[..])).ok()).flatten();
        let headers = request.headers_mut();
        // If both are present, they must be equal, or the request is malformed. The authority of the connection takes
        // precedence.
        if let Some(host) = host {
            headers.insert(HOST, host);
        }
        if let Some(cookies) = joined {
            headers.insert(COOKIE, cookies);
        }
    }
    next.call(request).await
}
