//! HEAD: what GET would answer, without the body. Watchers of servers and proxies ask so.

use actix_web::Error;
use actix_web::body::{BodySize, EitherBody, MessageBody, None};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;

/// Where GET does something, or costs something: a look may not.
const NOT_SAFE: [&str; 3] = ["/api/audio/", "/api/external/", "/api/mcp/"];

/// Middleware inside of the entrance: asks GET, and lets streams go, which may have no end. That no body is sent is seen
/// to by the connection, which knows what was asked.
pub(crate) async fn without_body<B: MessageBody>(
    mut request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, None>>, Error> {
    let is_head = *request.method() == Method::HEAD;
    let bare = is_head && !NOT_SAFE.iter().any(|path| request.path().starts_with(path));
    if bare {
        request.head_mut().method = Method::GET;
    }
    let response = next.call(request).await?;
    Ok(match bare && response.response().body().size() == BodySize::Stream {
        true => response.map_body(|_, _| EitherBody::right(None::new())),
        false => response.map_body(|_, body| EitherBody::left(body)),
    })
}
