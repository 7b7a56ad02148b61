//! Handlers without their types: what the framework does around a handler is compiled once, and not for each of them.

use super::access::{Arguments, judge_again};
use super::error::{Api, ErrorResponse};
use super::limits::{self, KeyedRequests};
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{Error, Handler, HttpRequest, HttpResponse, Responder, Route, web};
use futures::future::LocalBoxFuture;
use std::rc::Rc;

/// A handler with the extraction of its arguments and the rendering of what it returns.
pub(super) type Endpoint =
    Rc<dyn Fn(HttpRequest, Payload) -> LocalBoxFuture<'static, Result<HttpResponse, Error>>>;

/// The endpoint of a handler.
pub(super) fn endpoint<H, Args, T>(handler: H) -> Endpoint
where
    H: Handler<Args, Output = Api<T>>,
    Args: Arguments,
    T: Responder + 'static,
{
    Rc::new(move |request, payload| {
        let handler = handler.clone();
        Box::pin(async move {
            let arguments = Args::extract(request.clone(), payload).await?;
            judge_again(&request, Args::rule()).await.map_err(ErrorResponse)?;
            let answer = handler.call(arguments).await.map_err(ErrorResponse)?;
            Ok(answer.respond_to(&request).map_into_boxed_body())
        })
    })
}

/// The route to an endpoint. Every request counts against the rate limit before anything of it is read.
pub(super) fn route(method: Method, endpoint: Endpoint, keyed: KeyedRequests) -> Route {
    Route::new().method(method).to(move |request: HttpRequest, payload: web::Payload| {
        let endpoint = endpoint.clone();
        async move {
            limits::charge(&request, keyed).map_err(ErrorResponse)?;
            endpoint(request, payload.into_inner()).await
        }
    })
}
