//! Type-erased handlers: the code around a handler is compiled once, and not for each handler.

use super::access::{Arguments, Signature, recheck_access};
use super::error::{Api, ErrorResponse};
use super::limits::{self, KeyedRequests};
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{Error, Handler, HttpRequest, HttpResponse, Responder, Route, web};
use domain::Code;
use futures::future::LocalBoxFuture;
use std::any::Any;
use std::rc::Rc;

/// A handler with the extraction of its arguments and the rendering of its result.
pub(super) type Endpoint = Rc<dyn Fn(HttpRequest, Payload) -> Responding>;

/// Erases the types of a handler.
pub(super) fn endpoint<H, Args, T>(handler: H) -> Endpoint
where
    H: Handler<Args, Output = Api<T>>,
    Args: Arguments,
    T: Responder + 'static,
{
    let call = move |request: HttpRequest, extracted| -> Responding {
        let handler = handler.clone();
        Box::pin(async move {
            let arguments = Args::assemble(extracted).ok_or(ErrorResponse(Code::Internal.into()))?;
            let answer = handler.call(arguments).await.map_err(ErrorResponse)?;
            Ok(answer.respond_to(&request).map_into_boxed_body())
        })
    };
    erased(Args::SIGNATURE, Rc::new(call))
}

type Responding = LocalBoxFuture<'static, Result<HttpResponse, Error>>;

/// Calls a handler with its extracted arguments.
type Call = Rc<dyn Fn(HttpRequest, Vec<Box<dyn Any>>) -> Responding>;

/// The part that is the same for all handlers.
fn erased(signature: Signature, call: Call) -> Endpoint {
    Rc::new(move |request, payload| {
        let call = call.clone();
        Box::pin(async move {
            let extracted = signature.extract(&request, payload).await?;
            recheck_access(&request, (signature.rule)()).await.map_err(ErrorResponse)?;
            call(request, extracted).await
        })
    })
}

/// The route to an endpoint. Every request is counted against the rate limit before any of it is read.
pub(super) fn route(method: Method, endpoint: Endpoint, keyed: KeyedRequests) -> Route {
    Route::new().method(method).to(move |request: HttpRequest, payload: web::Payload| {
        let endpoint = endpoint.clone();
        async move {
            limits::charge(&request, keyed).map_err(ErrorResponse)?;
            endpoint(request, payload.into_inner()).await
        }
    })
}
