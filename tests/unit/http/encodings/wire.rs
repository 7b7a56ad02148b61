use actix_web::http::header;
use actix_web::http::header::HeaderMap;
use actix_web::http::header::HeaderValue;

use understudy::parts::http::Wire;

fn accepted(value: &'static str) -> Option<Wire> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(value));
    Wire::accepted(&headers)
}

#[test]
fn accepted_returns_the_encoding_of_accept() {
    assert_eq!(accepted("text/event-stream"), Some(Wire::Events));
    assert_eq!(accepted("text/html, Application/X-NDJSON;q=0.9"), Some(Wire::Ndjson));
    assert_eq!(accepted("*/*"), None);
    assert_eq!(accepted("application/json"), None);
    assert_eq!(Wire::accepted(&HeaderMap::new()), None);
}

#[test]
fn slots_follow_the_order_of_all() {
    for (slot, wire) in Wire::ALL.into_iter().enumerate() {
        assert_eq!(wire.slot(), slot);
    }
}
