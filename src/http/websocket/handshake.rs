//! Responding to the handshake of a WebSocket (RFC 6455, 4.2).

use actix_http::ws::handshake_response;
use actix_web::http::header::{
    HeaderName, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, TRANSFER_ENCODING, UPGRADE,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt;
use tokio::sync::watch;

use super::connection::{Connection, Session};
use crate::http::error::RefusalResponse;
use crate::http::{Code, Refusal};

/// The version of the protocol (RFC 6455, 4.1). Drafts 7 and 8 use different masking and closing rules.
const VERSION: HeaderValue = HeaderValue::from_static("13");

/// Responds to an upgrade with a WebSocket, which the session ends or `closing` closes. The response is 400 if the
/// request is not a handshake of version 13 with a key of 16 bytes.
pub fn open(
    session: impl Session,
    request: &HttpRequest,
    payload: Payload,
    closing: watch::Receiver<bool>,
) -> HttpResponse {
    if let Err(why) = verify(request) {
        let mut refusal = why.error_response();
        refusal.headers_mut().insert(SEC_WEBSOCKET_VERSION, VERSION);
        return refusal;
    }
    let mut head = handshake_response(request.head());
    let head = head.finish();
    let mut response = HttpResponse::build(StatusCode::SWITCHING_PROTOCOLS);
    response.upgrade("websocket");
    for header in head.headers() {
        response.insert_header(header);
    }
    let connection = Connection::new(session, payload, closing);
    response.streaming(connection.frames().boxed_local())
}

fn verify(request: &HttpRequest) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::new(Code::BadRequest).detail(why));
    let single = |name: HeaderName| {
        let mut values = request.headers().get_all(name);
        values.next().filter(|_| values.next().is_none())
    };
    let upgrade = single(UPGRADE).and_then(|upgrade| upgrade.to_str().ok()).unwrap_or_default();
    if request.method() != Method::GET || !upgrade.eq_ignore_ascii_case("websocket") {
        return refuse("the only upgrade is `GET` with `Upgrade: websocket`");
    }
    if single(SEC_WEBSOCKET_VERSION) != Some(&VERSION) {
        return refuse("the WebSocket handshake needs `Sec-WebSocket-Version: 13`");
    }
    let key = single(SEC_WEBSOCKET_KEY).and_then(|key| STANDARD.decode(key.as_bytes()).ok());
    if key.is_none_or(|key| key.len() != 16) {
        return refuse("the WebSocket handshake needs one `Sec-WebSocket-Key`, 16 bytes in base64");
    }
    match request.headers().contains_key(TRANSFER_ENCODING) {
        true => refuse("a WebSocket handshake must have no body"),
        false => Ok(()),
    }
}
