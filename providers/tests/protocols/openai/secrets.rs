use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::fake::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Responses that repeat the request, as debugging proxies do.
fn parrots() -> [Vec<u8>; 6] {
    let bearer = format!("Authorization: Bearer {KEY}");
    let error = format!("{{\"error\":{{\"message\":\"bad {KEY} in '{bearer}'\"}}}}");
    [
        json("401 Unauthorized", &error),
        plain("503 Service Unavailable", "retry-after: 0\r\n", &bearer),
        json("200 OK", &error),
        begin(&[format!("data: {error}\n\n")]),
        begin(&[format!("event: error\ndata: {bearer}\n\n")]),
        begin(&[format!("data: {KEY}\n\n")]),
    ]
}

#[tokio::test]
async fn keys_do_not_appear_in_messages_debug_output_or_logs() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    for bytes in parrots() {
        let steps = move |_| vec![Step::Send(bytes.clone()), Step::Close];
        let fake = Fake::start(steps).await;
        let mut provider = fake.provider();
        provider.retries = 1;
        provider.headers.insert("x-tenant-key".into(), "another-secret-77".into());
        let shown = format!("{provider:?}");
        let model = model(provider).await;
        let fault = collect(&model).await.1.unwrap();
        for text in [shown, fault.message.clone(), format!("{fault:?} {model:?}")] {
            assert!(!text.contains(KEY) && !text.contains("another-secret"), "{text}");
        }
        assert!(fault.message.contains("[key removed]"), "{fault}");
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("asking again"), "the log was on: {log}");
    assert!(!log.contains(KEY) && !log.contains("another-secret"), "{log}");
}

#[tokio::test]
async fn configured_headers_are_sent() {
    let mut fake = Fake::always(answer(&["x"])).await;
    let mut provider = fake.provider();
    provider.headers.insert("api-key".into(), "another-secret-77".into());
    provider.headers.insert("authorization".into(), "Basic dTpw".into());
    collect(&model(provider).await).await;
    let head = fake.request().await.head.to_lowercase();
    assert!(head.contains("api-key: another-secret-77\r\n"), "{head}");
    assert!(head.contains("authorization: basic dtpw\r\n"), "{head}");
    assert_eq!(head.matches("authorization").count(), 1, "a configured one wins: {head}");
}
