use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::http::header::HeaderName;
use understudy::Config;
use understudy::parts::http::CURRENT;
use understudy::parts::http::Context;
use understudy::parts::http::{address, panicked, request_id, without_secrets};

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(HeaderName::from_static(name), value.parse().unwrap());
    }
    map
}

#[test]
fn request_id_accepts_valid_ids_of_callers() {
    assert_eq!(&*request_id(&headers(&[("x-request-id", "abc-1.2_3")])), "abc-1.2_3");
    for bad in ["", "a b", "a\"b", &"x".repeat(65)] {
        assert_ne!(&*request_id(&headers(&[("x-request-id", bad)])), bad);
    }
    assert_ne!(request_id(&headers(&[])), request_id(&headers(&[])));
}

#[test]
fn panicked_has_the_headers_of_every_response() {
    let context = Context { request_id: "abc".into(), partner: false };
    let answer = CURRENT.sync_scope(context, || panicked("abc", true).error_response());
    assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    for header in ["x-request-id", "x-content-type-options", "content-security-policy", "cache-control"] {
        assert!(answer.headers().contains_key(header), "{header}");
    }
    assert_eq!(answer.headers().get("content-type").unwrap(), "application/problem+json");
}

#[test]
fn without_secrets_removes_link_secrets() {
    assert_eq!(
        without_secrets("/api/auth/invitations/unl_0a_ff/accept"),
        "/api/auth/invitations/unl_.../accept"
    );
    assert_eq!(without_secrets("/api/auth/invitations/unl_0a_ff"), "/api/auth/invitations/unl_...");
    assert_eq!(without_secrets("/api/users/me"), "/api/users/me");
}

#[test]
fn address_uses_forwarded_headers_only_behind_a_proxy() {
    let peer = Some("10.0.0.1:5".parse().unwrap());
    let map = headers(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2")]);
    let mut config = Config::default();
    assert_eq!(address(peer, &map, &config), Some("10.0.0.1".parse().unwrap()));
    config.server.trust_forwarded = true;
    assert_eq!(address(peer, &map, &config), Some("2.2.2.2".parse().unwrap()));
    assert_eq!(
        address(peer, &headers(&[("x-forwarded-for", "unknown")]), &config),
        Some("10.0.0.1".parse().unwrap())
    );
}
