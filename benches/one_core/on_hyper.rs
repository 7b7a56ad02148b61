//! The prototype on hyper alone: each connection is served by one of as many single-threaded runtimes as there are cores.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use load::Outcome;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::log;
use crate::run::{Body, Run, pieces, pump};
use crate::variant::{Variant, WORKERS};

/// What reads the providers of a connection: the runtime, and the client whose connections it drives.
#[derive(Clone)]
struct Reader {
    runtime: Handle,
    client: Client<HttpConnector, Full<Bytes>>,
    provider: SocketAddr,
}

impl Reader {
    /// Passes a request on; `None` if that fails.
    async fn request(&self, request: Request<Incoming>) -> Option<Incoming> {
        let uri = format!("http://{}{}", self.provider, request.uri().path());
        let body = request.into_body().collect().await.ok()?.to_bytes();
        let request =
            Request::post(uri).header(CONTENT_TYPE, "application/json").body(Full::new(body)).ok()?;
        Some(self.client.request(request).await.ok()?.into_body())
    }
}

/// Serves until killed. Connections are accepted by a thread that hands them out in turn, as actix does.
pub fn serve(provider: &str, variant: Variant) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let provider = provider.parse()?;
    let runtimes: Vec<Runtime> = (0..WORKERS)
        .map(|_| tokio::runtime::Builder::new_current_thread().enable_all().build())
        .collect::<Result<_, _>>()?;
    let readers: Vec<Reader> =
        runtimes.iter().map(|runtime| reader(runtime.handle().clone(), provider)).collect();
    let mut queues = Vec::new();
    for (number, runtime) in runtimes.into_iter().enumerate() {
        let (sender, connections) = unbounded_channel();
        queues.push(sender);
        let hop = usize::from(variant == Variant::TwoThreads);
        let reader = Arc::new(readers[(number + hop) % WORKERS].clone());
        let folder = folder.path().to_owned();
        std::thread::spawn(move || {
            log::open(&folder, number).expect("a log");
            runtime.block_on(work(connections, reader, variant));
        });
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    for (number, connection) in listener.incoming().enumerate() {
        let connection = connection?;
        connection.set_nodelay(true)?;
        connection.set_nonblocking(true)?;
        queues[number % WORKERS].send(connection)?;
    }
    Ok(())
}

fn reader(runtime: Handle, provider: SocketAddr) -> Reader {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Reader { runtime, client: Client::builder(TokioExecutor::new()).build(connector), provider }
}

/// The loop of a worker.
async fn work(mut connections: UnboundedReceiver<TcpStream>, reader: Arc<Reader>, variant: Variant) {
    while let Some(connection) = connections.recv().await {
        let Ok(connection) = tokio::net::TcpStream::from_std(connection) else { continue };
        let reader = reader.clone();
        let service = service_fn(move |request| answer(reader.clone(), variant, request));
        tokio::spawn(
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(connection), service),
        );
    }
}

async fn answer(
    reader: Arc<Reader>,
    variant: Variant,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let body = match variant {
        Variant::AtOnce | Variant::OneTask => match reader.request(request).await {
            Some(body) => Body::reading(pieces(body.into_data_stream()), variant == Variant::AtOnce),
            None => Body::broken(),
        },
        Variant::TwoTasks | Variant::TwoThreads => {
            let run = Run::begin();
            let (runtime, written) = (reader.runtime.clone(), run.clone());
            runtime.spawn(async move {
                match reader.request(request).await {
                    Some(body) => pump(written, pieces(body.into_data_stream())).await,
                    None => written.finish(),
                }
            });
            Body::of(run)
        }
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}
