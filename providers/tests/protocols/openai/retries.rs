use std::time::Duration;

use providers::{ProviderConfig, ProviderErrorKind};

use crate::fake::*;

/// Returns an error response that requests an immediate retry.
fn busy(status: &str) -> Vec<u8> {
    plain(status, "retry-after: 0\r\n", "{\"error\":\"busy\"}")
}

fn patient(fake: &Fake) -> ProviderConfig {
    ProviderConfig { retries: 2, ..fake.provider() }
}

#[tokio::test]
async fn retry_repeats_a_request_to_a_busy_server() {
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Service Unavailable"] {
        let busy = busy(status);
        let steps = move |n| vec![Step::Send(if n < 2 { busy.clone() } else { answer(&["x"]) })];
        let mut fake = Fake::start(steps).await;
        let (deltas, fault) = collect(&model(patient(&fake)).await).await;
        assert_eq!((text(&deltas).as_str(), fault), ("x", None));
        assert_eq!(fake.unread(), 3);
    }
}

#[tokio::test]
async fn retry_reconnects_after_a_broken_connection() {
    for end in [Step::Close, Step::Reset] {
        let steps = move |n| match n {
            0 => vec![end.clone()],
            1 => vec![Step::Send(STREAM.as_bytes().to_vec()), end.clone()],
            _ => vec![Step::Send(answer(&["x"]))],
        };
        let mut fake = Fake::start(steps).await;
        let (deltas, fault) = collect(&model(patient(&fake)).await).await;
        // Closing the connection after the headers would be an empty response without chunked encoding; here the body
        // is chunked, so it is an error.
        assert_eq!((text(&deltas).as_str(), fault), ("x", None));
        assert_eq!(fake.unread(), 3);
    }
}

#[tokio::test]
async fn retry_stops_after_the_maximum() {
    let mut fake = Fake::always(busy("429 Too Many Requests")).await;
    let fault = collect(&model(patient(&fake)).await).await.1.unwrap();
    let retry_after = Some(Duration::ZERO);
    assert_eq!(fault.kind, ProviderErrorKind::RateLimited { retry_after });
    assert_eq!(fault.message, "fake answered 429 Too Many Requests: busy");
    assert_eq!(fake.unread(), 3);
}

#[tokio::test]
async fn retry_waits_without_retry_after() {
    let broken = plain("502 Bad Gateway", "", "");
    let steps = move |n| vec![Step::Send(if n == 0 { broken.clone() } else { answer(&["x"]) })];
    let fake = Fake::start(steps).await;
    let begin = std::time::Instant::now();
    assert_eq!(collect(&model(patient(&fake)).await).await.1, None);
    assert!(begin.elapsed() >= Duration::from_millis(250));
}

#[tokio::test]
async fn retry_skips_permanent_failures() {
    let quota = "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}";
    for bytes in [
        json("400 Bad Request", "{}"),
        json("401 Unauthorized", "{}"),
        json("429 Too Many Requests", quota),
        plain("429 Too Many Requests", "retry-after: 3600\r\n", ""),
        plain("200 OK", "content-type: text/html\r\n", "<html>"),
    ] {
        let mut fake = Fake::always(bytes).await;
        let fault = collect(&model(patient(&fake)).await).await.1;
        assert!(fault.is_some());
        assert_eq!(fake.unread(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn retry_never_happens_after_the_first_byte() {
    let error = "data: {\"error\":{\"message\":\"x\",\"code\":503}}\n\n".to_owned();
    for bytes in [begin(&[said("half")]), begin(&[error])] {
        let steps = move |_| vec![Step::Send(bytes.clone()), Step::Close];
        let mut fake = Fake::start(steps).await;
        assert!(collect(&model(patient(&fake)).await).await.1.is_some());
        assert_eq!(fake.unread(), 1);
    }
}

#[tokio::test]
async fn retry_skips_timeouts() {
    let mut fake = Fake::start(|_| vec![Step::AwaitClose]).await;
    let mut provider = patient(&fake);
    provider.timeouts.first_byte_s = 1.0;
    assert!(collect(&model(provider).await).await.1.is_some());
    assert_eq!(fake.unread(), 1);
}

#[tokio::test]
async fn stream_options_are_omitted_for_servers_that_reject_them() {
    let refusal = json("400 Bad Request", "{\"detail\":\"stream_options: extra fields\"}");
    let steps = move |n| vec![Step::Send(if n == 0 { refusal.clone() } else { answer(&["x"]) })];
    let mut fake = Fake::start(steps).await;
    let model = fake.model().await;
    for _ in 0..2 {
        assert_eq!(collect(&model).await.1, None);
    }
    let counts = |request: Received| request.json().get("stream_options").is_some();
    assert!(counts(fake.request().await));
    assert!(!counts(fake.request().await));
    assert!(!counts(fake.request().await), "it is remembered");
    assert_eq!(fake.unread(), 0);
}
