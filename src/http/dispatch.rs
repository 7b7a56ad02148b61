//! Requests that the server sends to itself on behalf of a client, for interfaces that bundle several requests in one
//! connection. They pass through the same middleware, routes and access checks as requests from the network, so that
//! such an interface reaches nothing that its client could not reach directly.

use std::cell::OnceCell;
use std::future::{Ready, poll_fn, ready};
use std::net::SocketAddr;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use actix_http::Request;
use actix_service::IntoServiceFactory;
use actix_web::body::MessageBody;
use actix_web::dev::{AppConfig, Payload, Service, ServiceFactory, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest, HttpResponse};
use domain::{Caller, Code, Refusal};
use futures::future::LocalBoxFuture;

use super::access::Argument;
use super::context::request_id;
use super::error::{ErrorResponse, RefusalResponse};
use super::middleware::{FORWARDED_FOR, REQUEST_ID};

/// The application of one worker, once it is built. It is weak because the application holds its dispatcher.
#[derive(Clone, Default)]
pub struct Dispatcher(Rc<OnceCell<Weak<dyn Application>>>);

/// Marks a request that the server sends to itself. Requests from the network cannot carry it. The caller was
/// authenticated before and is looked up again.
pub(super) struct OnBehalfOf(pub Arc<Caller>);

/// The request that causes further requests.
#[derive(Clone)]
pub struct Origin {
    caller: Arc<Caller>,
    peer: Option<SocketAddr>,
    /// The client's address, if a proxy states it.
    forwarded: Vec<HeaderValue>,
    request_id: Arc<str>,
}

impl Origin {
    /// Further requests have the rights of this caller, and the address and id of this request.
    pub fn new(request: &HttpRequest, caller: Arc<Caller>) -> Self {
        Self {
            caller,
            peer: request.peer_addr(),
            forwarded: request.headers().get_all(FORWARDED_FOR).cloned().collect(),
            request_id: request_id(),
        }
    }

    /// The id of the request, which all further requests share.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    fn request(
        &self,
        method: Method,
        target: Uri,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Request {
        let mut request = Request::new();
        request.extensions_mut().insert(OnBehalfOf(self.caller.clone()));
        let head = request.head_mut();
        (head.method, head.uri, head.peer_addr) = (method, target, self.peer);
        for address in &self.forwarded {
            head.headers.append(FORWARDED_FOR, address.clone());
        }
        if let Ok(id) = HeaderValue::from_str(&self.request_id) {
            head.headers.insert(REQUEST_ID, id);
        }
        for (name, value) in headers {
            head.headers.insert(name, value);
        }
        request
    }
}

impl Dispatcher {
    /// A dispatcher to a service, which it does not keep alive.
    pub fn to<S, B>(service: &Rc<S>) -> Self
    where
        S: Service<Request, Response = ServiceResponse<B>, Error = Error> + 'static,
        B: MessageBody + 'static,
    {
        let application: Rc<dyn Application> = service.clone();
        Self(Rc::new(OnceCell::from(Rc::downgrade(&application))))
    }

    /// Sends a request without a body. The response can be a stream, which is not read faster than its body is polled.
    pub async fn send(
        &self,
        origin: &Origin,
        method: Method,
        target: Uri,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> HttpResponse {
        match self.0.get().and_then(Weak::upgrade) {
            Some(application) => application.serve(origin.request(method, target, headers)).await,
            None => Refusal::new(Code::ShuttingDown).error_response(),
        }
    }
}

impl FromRequest for Dispatcher {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(request.app_data::<Self>().cloned().ok_or(ErrorResponse(Code::Internal.into())))
    }
}

impl Argument for Dispatcher {}

/// A service with erased types.
trait Application {
    fn serve(self: Rc<Self>, request: Request) -> LocalBoxFuture<'static, HttpResponse>;
}

impl<S, B> Application for S
where
    S: Service<Request, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
{
    fn serve(self: Rc<Self>, request: Request) -> LocalBoxFuture<'static, HttpResponse> {
        Box::pin(async move {
            let served = match poll_fn(|cx| self.poll_ready(cx)).await {
                Ok(()) => self.call(request).await,
                Err(error) => Err(error),
            };
            match served {
                Ok(response) => response.map_into_boxed_body().into_parts().1,
                Err(error) => HttpResponse::from_error(error),
            }
        })
    }
}

/// A factory of applications that can send requests to themselves.
pub(super) struct Dispatching<F> {
    factory: F,
    dispatcher: Dispatcher,
}

impl<F> Dispatching<F> {
    /// The application has to provide `dispatcher` to its handlers as application data.
    pub fn new<I>(dispatcher: Dispatcher, application: I) -> Self
    where
        I: IntoServiceFactory<F, Request>,
        F: ServiceFactory<Request>,
    {
        Self { factory: application.into_factory(), dispatcher }
    }
}

impl<F, B> ServiceFactory<Request> for Dispatching<F>
where
    F: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>, Error = Error>,
    F::Service: 'static,
    F::Future: 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<B>;
    type Error = Error;
    type Config = AppConfig;
    type Service = Rc<F::Service>;
    type InitError = F::InitError;
    type Future = LocalBoxFuture<'static, Result<Self::Service, F::InitError>>;

    fn new_service(&self, config: AppConfig) -> Self::Future {
        let (service, dispatcher) = (self.factory.new_service(config), self.dispatcher.clone());
        Box::pin(async move {
            let service = Rc::new(service.await?);
            let application: Rc<dyn Application> = service.clone();
            // A worker builds its application once.
            let _ = dispatcher.0.set(Rc::downgrade(&application));
            Ok(service)
        })
    }
}
