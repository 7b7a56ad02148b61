//! The trace span of a request, following the OpenTelemetry semantic conventions for HTTP servers.

use super::middleware::{Measures, pass};
use actix_web::Error;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderName;
use actix_web::middleware::Next;
use telemetry::trace::{self, Kind, Span};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Serves a request within a span. The span ends with the response head. What is streamed afterwards is the work of a
/// run, which has its own span.
pub(super) async fn enter<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let parent = request.headers().get(TRACEPARENT).and_then(|value| trace::incoming(value.to_str().ok()?));
    let method = request.method().to_string();
    // The span is renamed once the route is known. The path itself may contain ids and the secrets of links.
    let mut span = trace::span(Kind::Server, parent, || method.clone());
    let Some(context) = span.context() else { return pass(request, next).await };
    let served = trace::within(context, pass(request, next)).await;
    if let Ok(response) = &served {
        describe(&mut span, &method, response);
    } else {
        span.fail("internal", None);
    }
    served
}

fn describe<B>(span: &mut Span, method: &str, response: &ServiceResponse<B>) {
    let request = response.request();
    let names = request.app_data::<Measures>().and_then(|measures| measures.names(request.method()));
    if let Some((_, route)) = names {
        span.rename(|| format!("{method} {route}"));
    }
    let status = response.status();
    span.set(|set| {
        set.text("http.request.method", method);
        set.int("http.response.status_code", u64::from(status.as_u16()));
        if let Some((operation, route)) = names {
            set.text("http.route", route);
            set.text("understudy.operation", operation);
        }
        if let Some(id) = response.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()) {
            set.text("understudy.request.id", id);
        }
    });
    if status.is_server_error() {
        span.fail(status.as_str(), None);
    }
}
