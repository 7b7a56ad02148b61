//! The HTTP server: sockets, workers, middleware, and the paths outside of areas.

use super::browser::wants_page;
use super::dispatch::{Dispatcher, Dispatching};
use super::error::RefusalResponse;
use super::limits::{self, KeyedRequests};
use super::state::HttpState;
use super::{base_path, console, head, headers, http2, middleware};
use crate::config::{Config, CorsConfig};
use crate::liveness::Workers;
use actix_cors::Cors;
use actix_web::dev::Server;
use actix_web::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, ETAG, HeaderName, LOCATION, RETRY_AFTER,
};
use actix_web::http::{KeepAlive, Method};
use actix_web::middleware::{Compress, Condition, from_fn};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, HttpServer};
use domain::{Code, Refusal};
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of characters of a path that are repeated in a response.
const MAX_SHOWN_LENGTH: usize = 200;
/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// Serves the routes that `configure` adds on a listener, with TLS if it is configured, until the server is stopped.
pub(crate) fn serve(
    state: Data<HttpState>,
    configure: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
    threads: Arc<Workers>,
    listener: TcpListener,
    tls: Option<rustls::ServerConfig>,
) -> io::Result<Server> {
    let config = state.config.clone();
    let over_tls = tls.is_some();
    let factory = move || {
        threads.join();
        let origins = !state.config.cors.origins.is_empty();
        let dispatcher = Dispatcher::default();
        let has_base_path = !state.config.server.base_path().is_empty();
        let app = actix_web::App::new()
            .app_data(state.clone())
            .app_data(dispatcher.clone())
            .configure(configure.clone())
            .default_service(web::to(nothing))
            // The last middleware is the outermost.
            .wrap(from_fn(headers::mark_uncompressed))
            .wrap(Compress::default())
            .wrap(from_fn(head::without_body))
            .wrap(from_fn(middleware::enter))
            .wrap(Condition::new(origins, cors(&state.config.cors)))
            .wrap(Condition::new(has_base_path, from_fn(base_path::relative)))
            .wrap(Condition::new(over_tls, from_fn(http2::as_of_http1)));
        Dispatching::new(dispatcher, app)
    };
    let server = HttpServer::new(factory)
        .workers(workers(&config))
        .backlog(BACKLOG)
        // Send each delta as soon as it exists. Together with a client's delayed acknowledgements, Nagle's algorithm
        // would delay it by 40 ms.
        .tcp_nodelay(true)
        .max_connections(config.server.max_connections)
        .keep_alive(KeepAlive::Timeout(Duration::from_secs(config.server.keep_alive_seconds)))
        .client_request_timeout(Duration::from_secs(config.server.head_seconds))
        .client_disconnect_timeout(Duration::from_secs(1))
        .shutdown_timeout(1)
        .disable_signals();
    let server = match tls {
        None => server.listen(listener)?,
        Some(tls) => server
            .tls_handshake_timeout(Duration::from_secs(config.server.head_seconds))
            .listen_rustls_0_23(listener, tls)?,
    };
    Ok(server.run())
}

fn workers(config: &Config) -> usize {
    match config.server.workers {
        0 => std::thread::available_parallelism().map_or(2, usize::from),
        workers => workers,
    }
}

/// The response for all other paths: for browsers the console, which shows the screen of the path; for other clients the
/// requested path, since it may be misspelled, and where to find the documentation.
async fn nothing(request: HttpRequest, state: Data<HttpState>) -> HttpResponse {
    if let Err(refusal) = limits::charge(&request, KeyedRequests::ChargedByRoute) {
        return refusal.error_response();
    }
    if request.method() == Method::GET && wants_page(&request) && !request.path().starts_with("/api/") {
        return console::page(request, state).await;
    }
    let path_shown: String = request.path().chars().take(MAX_SHOWN_LENGTH).collect();
    let detail = match path_shown.trim_end_matches('/').strip_suffix("/completions") {
        // Some libraries send this request unless they are told that the model is a chat model.
        Some(base) if base.starts_with("/api/chat/partner_compatible") || base == "/v1" => {
            format!(
                "text completions (`/completions`) are not supported; send a chat to {base}/chat/completions"
            )
        }
        _ => format!("{} {path_shown}; all operations are listed at /api/docs", request.method()),
    };
    Refusal::from(Code::RouteNotFound).detail(detail).error_response()
}

fn cors(config: &CorsConfig) -> Cors {
    let cors = config.origins.iter().fold(Cors::default(), |cors, origin| cors.allowed_origin(origin));
    let shown =
        ["content-location", "x-feed-id", "x-request-id", "x-stream-id", "x-vercel-ai-ui-message-stream"];
    let known = [ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, ETAG, LOCATION, RETRY_AFTER];
    // Libraries send headers of their own, and no header gives a page additional rights here.
    cors.allowed_methods(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
        .allow_any_header()
        .expose_headers(known.into_iter().chain(shown.map(HeaderName::from_static)))
        .supports_credentials()
        .max_age(3600)
}
