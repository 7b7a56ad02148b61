//! Handles HEAD requests: the response that GET would have, without the body. Monitoring systems and proxies send them.

use actix_web::Error;
use actix_web::body::{BodySize, EitherBody, MessageBody, None};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;

/// Prefixes of paths where GET has side effects or costs, so that HEAD must not call it.
const NOT_SAFE: [&str; 3] = ["/api/audio/", "/api/external/", "/api/mcp/"];

/// Middleware inside the outermost one: handles HEAD as GET, and drops streams, which may have no end. The connection
/// knows the original method and ensures that no body is sent.
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
