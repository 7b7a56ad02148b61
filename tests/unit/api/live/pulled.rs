//! Tests of subscriptions to streams that never wait: how much is read, in which order, and what happens at the end.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use actix_http::Request as HttpRequest;
use actix_web::dev::{Service, ServiceResponse, fn_service};
use actix_web::test::TestRequest;
use actix_web::{Error, HttpMessage, HttpResponse};
use bytes::Bytes;
use domain::Caller;
use futures::{FutureExt, StreamExt, stream};
use storage::TenantId;
use storage::authority::{Feature, Subject};
use storage::records::{Role, UserKind};
use tokio::sync::watch;

use domain::Code;
use understudy::parts::api::{Request, Requests, Subscriptions, Update};
use understudy::parts::http::{Dispatcher, Origin};

const CHAT: &str = "/api/chat/streams/01980000-0000-7000-8000-000000000001";

/// Responds to the requests for streams, and records them.
struct Server {
    /// The position with which each request resumes.
    positions: Rc<RefCell<Vec<Option<String>>>>,
    /// The number of pieces that were read of all responses.
    pulled: Rc<Cell<usize>>,
}

/// A piece of a stream with one event.
fn piece(kind: &str, seq: usize) -> Bytes {
    format!("event: {kind}\ndata: {{\"seq\":{seq}}}\nid: {seq}\n\n").into()
}

/// The response whose body consists of these pieces and ends regularly.
fn streaming(pieces: impl stream::Stream<Item = Bytes> + 'static) -> HttpResponse {
    let body = pieces.map(Ok::<_, io::Error>);
    HttpResponse::Ok().content_type("text/event-stream").streaming(Box::pin(body))
}

/// The response whose body breaks off after these pieces.
fn broken<const N: usize>(pieces: [Bytes; N]) -> HttpResponse {
    let end = stream::iter([Err(io::Error::from(io::ErrorKind::ConnectionAborted))]);
    let body = stream::iter(pieces.map(Ok)).chain(end);
    HttpResponse::Ok().content_type("text/event-stream").streaming(Box::pin(body))
}

/// Subscriptions to a server that responds to one request after the other with `responses`, and then with endless
/// streams. The returned service must be held for as long as the subscriptions are read.
fn subscriptions(
    responses: Vec<HttpResponse>,
    limit: usize,
) -> (Subscriptions, Server, Rc<impl Service<HttpRequest>>) {
    let (positions, pulled) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(0)));
    let server = Server { positions: positions.clone(), pulled: pulled.clone() };
    let responses = Rc::new(RefCell::new(VecDeque::from(responses)));
    let service = Rc::new(fn_service::<_, _, _, _, _, ()>(move |request: HttpRequest| {
        let last = request.headers().get("last-event-id");
        positions.borrow_mut().push(last.map(|last| last.to_str().expect("text").to_owned()));
        let pulled = pulled.clone();
        let response = responses.borrow_mut().pop_front().unwrap_or_else(|| {
            let endless = stream::iter(1..).inspect(move |_| pulled.set(pulled.get() + 1));
            streaming(endless.map(|seq| piece("text.delta", seq)))
        });
        async move {
            Ok::<ServiceResponse, Error>(TestRequest::default().to_srv_request().into_response(response))
        }
    }));
    let request = TestRequest::default().to_http_request();
    let origin = Origin::new(&request, Arc::new(caller()));
    let (_, closing) = watch::channel(false);
    let requests = Rc::new(Requests::new(Dispatcher::to(&service), origin, closing));
    (Subscriptions::new(requests, limit), server, service)
}

fn caller() -> Caller {
    let subject = Subject {
        tenant: TenantId::SYSTEM,
        user: storage::new_id(),
        role: Role::User,
        groups: Arc::default(),
        teams: Arc::default(),
    };
    Caller {
        subject,
        features: Feature::ALL.iter().copied().collect(),
        platform_admin: false,
        scopes: None,
        token_id: None,
        session: None,
        kind: UserKind::Human,
        act: None,
        email: "ada@example.org".into(),
    }
}

fn to(id: &str, path: &str) -> Request {
    Request { id: id.into(), to: path.into(), after: None }
}

/// Describes the next update.
async fn next(subscriptions: &mut Subscriptions) -> String {
    let (id, update) = subscriptions.next().await;
    match update {
        Update::Subscribed(_) => format!("{id} subscribed"),
        Update::Events(events) => {
            let positions = events.iter().flat_map(|event| event.position.as_deref());
            let positions: Vec<_> = positions.map(String::from_utf8_lossy).collect();
            format!("{id} {}", positions.join(" "))
        }
        Update::Ended(None) => format!("{id} ended"),
        Update::Ended(Some(problem)) => {
            let problem: serde_json::Value = serde_json::from_str(problem.get()).expect("JSON");
            format!("{id} {}", problem["code"].as_str().expect("a code"))
        }
    }
}

#[tokio::test]
async fn subscriptions_take_turns_and_read_nothing_in_advance() {
    let (mut subscriptions, server, _service) = subscriptions(Vec::new(), 64);
    for id in ["a", "b", "c"] {
        subscriptions.add(to(id, CHAT)).expect("added");
    }
    assert_eq!(server.pulled.get(), 0);
    let mut counts = [0; 3];
    for updates in 1..=300 {
        let (id, _) = subscriptions.next().await;
        counts[usize::from(id.as_bytes()[0] - b'a')] += 1;
        assert!(server.pulled.get() <= updates, "one piece an update");
    }
    assert_eq!(counts, [100; 3]);
}

#[tokio::test]
async fn subscription_that_breaks_off_continues_after_its_position() {
    let cut = broken([piece("text.start", 1), piece("text.delta", 2)]);
    let rest = streaming(stream::iter([piece("text.delta", 3), piece("run.ended", 4)]));
    let (mut subscriptions, server, _service) = subscriptions(vec![cut, broken([]), rest], 64);
    subscriptions.add(to("a", CHAT)).expect("added");
    for want in ["a subscribed", "a 1", "a 2", "a 3", "a 4", "a ended"] {
        assert_eq!(next(&mut subscriptions).await, want);
    }
    assert!(subscriptions.is_empty());
    let positions = server.positions.borrow();
    let positions: Vec<_> = positions.iter().map(Option::as_deref).collect();
    assert_eq!(positions, [None, Some("2"), Some("2")]);
}

#[tokio::test]
async fn subscription_ends_with_the_problem_of_the_response() {
    let problem = |status, code: &str| HttpResponse::build(status).body(format!(r#"{{"code":"{code}"}}"#));
    use actix_web::http::StatusCode;
    let lost = broken([piece("text.start", 1)]);
    let responses = vec![
        problem(StatusCode::NOT_FOUND, "not_found"),
        lost,
        problem(StatusCode::UNAUTHORIZED, "session_ended"),
        HttpResponse::NoContent().finish(),
        HttpResponse::Ok().json("no stream"),
        HttpResponse::InternalServerError().body("not JSON"),
    ];
    let (mut subscriptions, _, _service) = subscriptions(responses, 1);
    for want in [
        &["a not_found"][..],
        &["a subscribed", "a 1", "a session_ended"],
        &["a ended"],
        &["a bad_request"],
        &["a internal"],
    ] {
        subscriptions.add(to("a", CHAT)).expect("added");
        for want in want {
            assert_eq!(next(&mut subscriptions).await, *want);
        }
    }
}

#[tokio::test]
async fn subscription_to_a_stream_that_never_lasts_ends() {
    let responses = (0..100).map(|_| broken([])).collect();
    let (mut subscriptions, server, _service) = subscriptions(responses, 64);
    subscriptions.add(to("a", CHAT)).expect("added");
    assert_eq!(next(&mut subscriptions).await, "a subscribed");
    assert_eq!(next(&mut subscriptions).await, "a stream_interrupted");
    assert_eq!(server.positions.borrow().len(), 7);
}

#[tokio::test]
async fn removed_subscription_has_no_further_updates() {
    let (mut subscriptions, _, _service) = subscriptions(Vec::new(), 1);
    for _ in 0..5 {
        subscriptions.add(to("a", CHAT)).expect("added");
        assert_eq!(next(&mut subscriptions).await, "a subscribed");
        let refused = subscriptions.add(to("b", CHAT)).expect_err("the limit is reached");
        assert_eq!(refused.code(), Code::LimitReached);
        subscriptions.remove("a").expect("removed");
        assert!(subscriptions.next().now_or_never().is_none());
    }
}
