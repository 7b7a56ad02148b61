//! The baseline for the server: a pass-through proxy that stores nothing and parses nothing. It forwards each piece of
//! the provider's response as it arrives.

use std::convert::Infallible;
use std::net::SocketAddr;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

use crate::Outcome;

/// The same number of threads as the server under test: one for each core of the reference machine.
const WORKERS: usize = 2;

type Body = BoxBody<Bytes, hyper::Error>;

/// Serves until killed: hyper in front of hyper. `GET /bytes/N` returns N bytes from memory, the baseline for replays.
pub fn serve(provider: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let provider: SocketAddr = provider.parse()?;
    runtime.block_on(async move {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build::<_, Incoming>(connector);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (connection, _) = listener.accept().await?;
            connection.set_nodelay(true)?;
            let client = client.clone();
            let service = service_fn(move |request| answer(client.clone(), provider, request));
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(connection), service),
            );
        }
    })
}

async fn answer(
    client: Client<HttpConnector, Incoming>,
    provider: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, hyper_util::client::legacy::Error> {
    let path = request.uri().path().to_owned();
    if let Some(length) = path.strip_prefix("/bytes/").and_then(|length| length.parse().ok()) {
        return Ok(Response::new(bytes(length)));
    }
    *request.uri_mut() = format!("http://{provider}{path}").parse().unwrap_or_default();
    client.request(request).await.map(|answer| answer.map(BodyExt::boxed))
}

fn bytes(length: usize) -> Body {
    static BYTES: std::sync::OnceLock<Bytes> = std::sync::OnceLock::new();
    let all = BYTES.get_or_init(|| vec![b'x'; 64 << 20].into());
    Full::new(all.slice(..length.min(all.len()))).map_err(|never: Infallible| match never {}).boxed()
}
