use std::time::Duration;

use futures::StreamExt;
use providers::{ChatDelta, ProviderConfig, ProviderErrorKind, ProviderKind};
use serde_json::json;

use super::wire::*;
use crate::fake::*;

const KIND: ProviderKind = ProviderKind::Anthropic;

fn error(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"}).to_string()
}

fn begun() -> String {
    let start = json!({"type": "message_start", "message": {"usage": {"input_tokens": 3}}});
    let text =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half"}});
    events(&[start, text])
}

#[tokio::test]
async fn anthropic_maps_statuses_to_error_kinds_and_messages() {
    for (status, kind, expected) in [
        ("401 Unauthorized", "authentication_error", ProviderErrorKind::Auth),
        ("403 Forbidden", "permission_error", ProviderErrorKind::Auth),
        ("400 Bad Request", "invalid_request_error", ProviderErrorKind::Refused),
        ("404 Not Found", "not_found_error", ProviderErrorKind::Refused),
        ("413 Too Large", "request_too_large", ProviderErrorKind::Refused),
        ("500 Broken", "api_error", ProviderErrorKind::Status(500)),
        ("529 Overloaded", "overloaded_error", ProviderErrorKind::Status(529)),
    ] {
        let fake = Fake::always(crate::fake::json(status, &error(kind, "the words"))).await;
        let (deltas, fault) = ask(&fake, KIND).await;
        let fault = fault.unwrap();
        assert!(deltas.is_empty());
        assert_eq!(fault.kind, expected, "{status}");
        assert!(fault.message.ends_with("the words"), "{fault}");
    }
}

#[tokio::test]
async fn anthropic_retries_after_the_requested_pause() {
    for status in ["429 Too Many Requests", "529 Overloaded"] {
        let busy = plain(status, "retry-after: 0\r\n", &error("rate_limit_error", "slow down"));
        let good = whole(&super::anthropic::everything().0);
        let mut fake =
            Fake::start(move |n| vec![Step::Send(if n < 2 { busy.clone() } else { good.clone() })]).await;
        let patient = ProviderConfig { retries: 2, ..provider(&fake, KIND) };
        assert_eq!(collect(&model(patient).await).await.1, None);
        assert_eq!(fake.unread(), 3);
    }
    let busy = plain("429 Too Many Requests", "retry-after: 7\r\n", &error("rate_limit_error", "slow down"));
    let fault = ask(&Fake::always(busy).await, KIND).await.1.unwrap();
    let retry_after = Some(Duration::from_secs(7));
    assert_eq!(fault.kind, ProviderErrorKind::RateLimited { retry_after });
}

#[tokio::test]
async fn anthropic_does_not_retry_an_error_in_a_stream() {
    for (kind, expected) in [
        ("overloaded_error", ProviderErrorKind::Status(529)),
        ("rate_limit_error", ProviderErrorKind::RateLimited { retry_after: None }),
        ("api_error", ProviderErrorKind::Status(500)),
    ] {
        let told = error(kind, "Overloaded");
        let body = format!("{}event: error\ndata: {told}\n\n", begun());
        let mut fake = Fake::always(whole(&body)).await;
        let patient = ProviderConfig { retries: 2, ..provider(&fake, KIND) };
        let (deltas, fault) = collect(&model(patient).await).await;
        assert_eq!(deltas, [ChatDelta::Text("half".into())]);
        let fault = fault.unwrap();
        assert_eq!((fault.kind, fault.message.as_str()), (expected, "fake: Overloaded"));
        assert_eq!(fake.unread(), 1);
    }
}

#[tokio::test]
async fn anthropic_reports_an_incomplete_stream() {
    let half = begun();
    let cut = &half[..half.len() - 9];
    for body in [whole(&half), whole(cut), whole("event: message_start\ndata: {\"type\":\n\n")] {
        let (_, fault) = ask(&Fake::always(body).await, KIND).await;
        assert_eq!(fault.unwrap().kind, ProviderErrorKind::Protocol);
    }
}

#[tokio::test]
async fn anthropic_times_out_before_and_during_a_response() {
    let head = STREAM.as_bytes().to_vec();
    let half = begin(&[begun()]);
    for steps in [vec![Step::Send(head), Step::AwaitClose], vec![Step::Send(half), Step::AwaitClose]] {
        let mut fake = Fake::start(move |_| steps.clone()).await;
        let mut impatient = provider(&fake, KIND);
        impatient.timeouts.first_byte_s = 0.2;
        impatient.timeouts.idle_s = 0.2;
        let (_, fault) = collect(&model(impatient).await).await;
        assert_eq!(fault.unwrap().kind, ProviderErrorKind::Timeout);
        fake.closed().await;
    }
}

#[tokio::test]
async fn anthropic_closes_the_connection_when_dropped() {
    let half = begin(&[begun()]);
    let mut fake = Fake::start(move |_| vec![Step::Send(half.clone()), Step::AwaitClose]).await;
    let mut stream = model(provider(&fake, KIND)).await.chat.stream(hello()).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    drop(stream);
    fake.closed().await;
}

#[tokio::test]
async fn anthropic_errors_contain_no_keys() {
    let parrot = error("authentication_error", &format!("bad x-api-key {KEY}"));
    let bodies =
        [crate::fake::json("401 Unauthorized", &parrot), whole(&format!("event: error\ndata: {parrot}\n\n"))];
    for body in bodies {
        let fault = ask(&Fake::always(body).await, KIND).await.1.unwrap();
        assert_eq!(fault.kind, ProviderErrorKind::Auth);
        assert!(!fault.message.contains(KEY) && fault.message.contains("[key removed]"), "{fault}");
    }
}
