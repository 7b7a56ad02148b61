//! What the server is held against: two pass-through proxies that keep nothing, know nothing and
//! parse nothing. They hand each piece of the provider's answer on as it comes.

use std::net::SocketAddr;
use std::path::PathBuf;

use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{App, HttpResponse, HttpServer};
use futures::StreamExt;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

use crate::Outcome;

/// As many as the server under test has: one for each core of the machine the figures are for.
pub const WORKERS: usize = 2;

struct Upstream {
    client: reqwest::Client,
    url: String,
    file: PathBuf,
}

/// actix-web before reqwest; also serves one static file at `/file`, for the replay figures.
pub fn actix(provider: &str, file: &str) -> Outcome<()> {
    // Chosen at build time for the whole workspace; a second choice would be a fault.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (url, file) = (format!("http://{provider}/v1/chat/completions"), PathBuf::from(file));
    actix_web::rt::System::new().block_on(async move {
        let server = HttpServer::new(move || {
            // A client for each worker: its connections then live on the worker's own thread.
            let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build().unwrap_or_default();
            let upstream = Upstream { client, url: url.clone(), file: file.clone() };
            App::new()
                .app_data(Data::new(upstream))
                .route("/v1/chat/completions", web::post().to(pass_through))
                .route("/file", web::get().to(static_file))
        });
        let server = server.tcp_nodelay(true).workers(WORKERS).bind("127.0.0.1:0")?;
        println!("{}", server.addrs()[0]);
        Ok(server.run().await?)
    })
}

async fn pass_through(upstream: Data<Upstream>, payload: Bytes) -> HttpResponse {
    let request =
        upstream.client.post(&upstream.url).header("content-type", "application/json").body(payload);
    let Ok(answer) = request.send().await else {
        return HttpResponse::BadGateway().finish();
    };
    let kind =
        answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("").to_owned();
    let length = answer.content_length();
    let mut response = HttpResponse::Ok();
    response.content_type(kind);
    if let Some(length) = length {
        response.no_chunking(length);
    }
    response.streaming(answer.bytes_stream())
}

/// A file as actix-files sends it: pieces of 64 KiB, read on the blocking pool.
async fn static_file(upstream: Data<Upstream>, _: Payload) -> actix_web::Result<HttpResponse> {
    let file = tokio::fs::File::open(&upstream.file).await?;
    let length = file.metadata().await?.len();
    let pieces = tokio_util::io::ReaderStream::with_capacity(file, 64 * 1024).boxed_local();
    Ok(HttpResponse::Ok().content_type("text/event-stream").no_chunking(length).streaming(pieces))
}

/// hyper before hyper: the leanest proxy that Rust's usual parts make.
pub fn hyper(provider: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let provider: SocketAddr = provider.parse()?;
    runtime.block_on(async move {
        let client = Client::builder(TokioExecutor::new()).build_http::<Incoming>();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            let client = client.clone();
            let service = service_fn(move |mut request: hyper::Request<Incoming>| {
                let client = client.clone();
                async move {
                    let path = request.uri().path().to_owned();
                    *request.uri_mut() = format!("http://{provider}{path}").parse().unwrap_or_default();
                    client.request(request).await.map(|answer| answer.map(BodyExt::boxed))
                }
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(connection), service),
            );
        }
    })
}
