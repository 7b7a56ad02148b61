use std::time::Duration;

use providers::{ChatDelta, ProviderConfig, ProviderErrorKind};
use tokio::net::TcpSocket;

use crate::fake::*;

async fn kind_of(bytes: Vec<u8>) -> ProviderErrorKind {
    Fake::always(bytes).await.fault().await.kind
}

#[tokio::test]
async fn request_reports_a_refused_connection() {
    let bound = TcpSocket::new_v4().unwrap();
    bound.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let free = bound.local_addr().unwrap();
    let mut provider = ProviderConfig::openai("fake", format!("http://{free}/v1"));
    provider.models = vec![providers::ModelConfig::id("m")];
    provider.retries = 0;
    let fault = collect(&model(provider).await).await.1.unwrap();
    assert_eq!(fault.kind, ProviderErrorKind::Connect);
    assert!(fault.message.contains("fake could not be reached"), "{fault}");
    assert!(fault.retryable());
}

#[tokio::test]
async fn request_reports_a_connection_closed_before_or_during_the_response() {
    for end in [Step::Close, Step::Reset] {
        let silent = end.clone();
        let fake = Fake::start(move |_| vec![silent.clone()]).await;
        assert_eq!(fake.fault().await.kind, ProviderErrorKind::Connect);

        let whole = answer(&["first", "second"]);
        let head = STREAM.len() + chunk(&said("first")).len();
        // At the end of a chunk, in the middle of one, within a chunk's length, and before the end.
        for cut in [head, head + 20, head + 1, whole.len() - 100] {
            let bytes = whole[..cut].to_vec();
            let end = end.clone();
            let steps = move |_| vec![Step::Send(bytes.clone()), end.clone()];
            let (deltas, fault) = Fake::start(steps).await.ask().await;
            let fault = fault.unwrap();
            // A reset may overtake everything that was sent before it.
            let overtaken = deltas.is_empty() && fault.kind == ProviderErrorKind::Connect;
            if !overtaken {
                assert_eq!(fault.kind, ProviderErrorKind::Protocol, "{fault}");
                assert!(fault.message.contains("ended the response early"), "{fault}");
            }
        }
    }
}

#[tokio::test]
async fn stream_reports_a_missing_finish_reason() {
    let mut bytes = begin(&[said("half")]);
    bytes.extend(b"0\r\n\r\n");
    let (deltas, fault) = Fake::always(bytes).await.ask().await;
    assert_eq!(deltas, [ChatDelta::Text("half".into())]);
    let fault = fault.unwrap();
    assert_eq!(fault.kind, ProviderErrorKind::Protocol);
    assert_eq!(fault.message, "fake ended the response early");
    assert_eq!(kind_of(plain("200 OK", "", "")).await, ProviderErrorKind::Protocol);
}

#[tokio::test]
async fn stream_reports_an_incomplete_last_event() {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let half = "data: {\"choices\":[{\"del";
    let steps = |body: String| move |_| vec![Step::Send(body.clone().into_bytes()), Step::Close];
    let fault = Fake::start(steps(format!("{head}{}{half}", said("x")))).await.fault().await;
    assert_eq!(fault.message, "fake ended the response early");
    let finished = format!("{head}{}{}{half}", said("x"), finish());
    assert_eq!(Fake::start(steps(finished)).await.ask().await.1, None);
}

#[tokio::test]
async fn stream_reports_invalid_data() {
    for bytes in [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        begin(&["data: {\"choices\": [}\n\n".to_owned()]),
        begin(&["data: \u{0}\u{1}\n\n".to_owned()]),
        begin(&["data: {\"choices\": \"none\"}\n\n".to_owned()]),
        json("200 OK", "{\"choices\":"),
        json("200 OK", "{\"choices\":[]}"),
        json("200 OK", "{}"),
        plain("200 OK", "content-type: text/html\r\n", "<html>hello</html>"),
    ] {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let steps = move |_| vec![Step::Send(bytes.clone()), Step::Close];
        let fault = Fake::start(steps).await.fault().await;
        assert_eq!(fault.kind, ProviderErrorKind::Protocol, "{shown}: {fault}");
        assert!(fault.message.starts_with("fake "), "{fault}");
    }
}

#[tokio::test]
async fn stream_limits_the_size_of_an_event() {
    let piece = "x".repeat(1 << 20);
    let mut bytes = begin(&[said("first"), "data: ".to_owned()]);
    for _ in 0..9 {
        bytes.extend(chunk(&piece));
    }
    let steps = move |_| vec![Step::Send(bytes.clone()), Step::AwaitClose];
    let (deltas, fault) = Fake::start(steps).await.ask().await;
    assert_eq!(text(&deltas), "first");
    assert!(fault.unwrap().message.contains("more than 8 MiB"));
}

#[tokio::test]
async fn stream_reports_errors_with_the_message_of_the_provider() {
    use ProviderErrorKind::{RateLimited, Refused, Status};
    for (line, kind, words) in [
        ("data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}", Status(500), "out of memory"),
        (
            "data: {\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}",
            RateLimited { retry_after: None },
            "slow down",
        ),
        ("data: {\"object\":\"error\",\"message\":\"too long\",\"code\":400}", Refused, "too long"),
        ("event: error\ndata: {\"message\":\"lost\",\"code\":503}", Status(503), "lost"),
        ("event: error\ndata: it broke", Status(500), "it broke"),
        (
            "data: {\"error\":{\"code\":502,\"message\":\"x\"},\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}",
            Status(502),
            "x",
        ),
    ] {
        let mut bytes = begin(&[said("half"), format!("{line}\n\n")]);
        bytes.extend(b"0\r\n\r\n");
        let (deltas, fault) = Fake::always(bytes).await.ask().await;
        let fault = fault.unwrap();
        assert_eq!(text(&deltas), "half");
        assert_eq!((fault.kind, fault.message), (kind, format!("fake: {words}")));
    }
    let whole = json("200 OK", "{\"error\":{\"message\":\"no\",\"code\":400}}");
    assert_eq!(kind_of(whole).await, Refused);
}

#[tokio::test]
async fn request_maps_statuses_to_error_kinds() {
    use ProviderErrorKind::{Auth, RateLimited, Refused, Status};
    let body = "{\"error\":{\"message\":\"the reason\"}}";
    for (status, kind) in [
        ("400 Bad Request", Refused),
        ("401 Unauthorized", Auth),
        ("403 Forbidden", Auth),
        ("404 Not Found", Refused),
        ("408 Request Timeout", Status(408)),
        ("413 Payload Too Large", Refused),
        ("422 Unprocessable Entity", Refused),
        ("429 Too Many Requests", RateLimited { retry_after: None }),
        ("500 Internal Server Error", Status(500)),
        ("503 Service Unavailable", Status(503)),
        ("302 Found", Status(302)),
    ] {
        let fault = Fake::always(json(status, body)).await.fault().await;
        assert_eq!(fault.kind, kind, "{status}");
        assert_eq!(fault.message, format!("fake answered {status}: the reason"));
    }
    let page = plain("502 Bad Gateway", "content-type: text/html\r\n", "<html>nginx</html>");
    assert_eq!(Fake::always(page).await.fault().await.message, "fake answered 502 Bad Gateway");
}

#[tokio::test]
async fn request_times_out_before_the_first_byte() {
    let head = STREAM.as_bytes().to_vec();
    for steps in [vec![Step::AwaitClose], vec![Step::Send(head), Step::AwaitClose]] {
        let mut fake = Fake::start(move |_| steps.clone()).await;
        let mut provider = fake.provider();
        provider.timeouts.first_byte_s = 0.2;
        let fault = collect(&model(provider).await).await.1.unwrap();
        assert_eq!(fault.kind, ProviderErrorKind::Timeout);
        assert!(fault.message.contains("did not begin to respond within 0.2 s"), "{fault}");
        fake.closed().await;
    }
}

#[tokio::test]
async fn stream_times_out_when_idle() {
    let whole = json("200 OK", "{\"choices\":[]}");
    let half = whole[..whole.len() - 4].to_vec();
    for bytes in [begin(&[said("half")]), half] {
        let steps = move |_| vec![Step::Send(bytes.clone()), Step::AwaitClose];
        let mut fake = Fake::start(steps).await;
        let mut provider = fake.provider();
        provider.timeouts.idle_s = 0.2;
        let fault = collect(&model(provider).await).await.1.unwrap();
        assert_eq!(fault.kind, ProviderErrorKind::Timeout);
        assert!(fault.message.contains("sent nothing for 0.2 s during a response"), "{fault}");
        fake.closed().await;
    }
}

#[tokio::test]
async fn stream_times_out_with_only_keep_alive_messages() {
    let signs = [": ping\n\n".to_owned(), "data:\n\n".to_owned()];
    for sign in signs {
        let begun = begin(&[said("half")]);
        let steps = move |_| vec![Step::Send(begun.clone()), Step::Torrent(chunk(&sign))];
        let mut fake = Fake::start(steps).await;
        let mut provider = fake.provider();
        provider.timeouts.idle_s = 0.25;
        let (deltas, fault) = collect(&model(provider).await).await;
        let fault = fault.unwrap();
        assert_eq!((text(&deltas).as_str(), fault.kind), ("half", ProviderErrorKind::Timeout));
        assert!(
            fault.message.contains("only keep-alive messages for 2.5 s during a response"),
            "{}",
            fault.message
        );
        fake.closed().await;
    }
}

#[tokio::test]
async fn stream_keep_alive_messages_extend_the_timeout() {
    let lives = |text: &str| [chunk(": ping\n\n").repeat(3), chunk(&said(text))].concat();
    let mut bytes = begin(&[said("a")]);
    bytes.extend([lives("b"), lives("c"), chunk(DONE), b"0\r\n\r\n".to_vec()].concat());
    let fake = Fake::start(move |_| vec![Step::Dribble(bytes.clone())]).await;
    let (deltas, _) = fake.ask().await;
    assert_eq!(text(&deltas), "abc");
}

#[tokio::test]
async fn stream_does_not_time_out_for_a_slow_reader() {
    use futures::StreamExt;
    let fake = Fake::always(answer(&["a", "b"])).await;
    let mut provider = fake.provider();
    provider.timeouts.idle_s = 0.5;
    let mut stream = model(provider).await.chat.stream(hello()).await.unwrap();
    let mut deltas = Vec::new();
    while let Some(delta) = stream.next().await {
        deltas.push(delta.unwrap());
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    assert_eq!(text(&deltas), "ab");
}
