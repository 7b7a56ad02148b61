//! The prototype on the libraries of the server: actix-web towards clients, and reqwest towards the provider.

use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::web::{self, Data};
use actix_web::{App, HttpResponse, HttpServer};
use bytes::Bytes;
use load::Outcome;
use reqwest::Client;

use crate::log;
use crate::run::{Body, Run, pieces, pump};
use crate::variant::{Variant, WORKERS};

/// The state of one worker.
struct Worker {
    client: Client,
    provider: String,
    variant: Variant,
}

/// Serves until killed.
pub fn serve(provider: &str, variant: Variant) -> Outcome<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir()?;
    let (provider, logs) = (format!("http://{provider}/v1/chat/completions"), folder.path().to_owned());
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    // Called on the thread of each worker.
    let app = move || {
        log::open(&logs, NUMBER.fetch_add(1, Ordering::Relaxed)).expect("a log");
        let client = Client::builder().tls_certs_only([]).no_proxy().build().expect("a client");
        let worker = Worker { client, provider: provider.clone(), variant };
        App::new().app_data(Data::new(worker)).route("/v1/chat/completions", web::post().to(answer))
    };
    actix_web::rt::System::new().block_on(async {
        let server =
            HttpServer::new(app).workers(WORKERS).tcp_nodelay(true).disable_signals().bind("127.0.0.1:0")?;
        println!("{}", server.addrs()[0]);
        server.run().await
    })?;
    Ok(())
}

async fn answer(worker: Data<Worker>, body: Bytes) -> HttpResponse {
    let request = worker.client.post(&worker.provider).header("content-type", "application/json").body(body);
    let body = match worker.variant {
        Variant::AtOnce | Variant::OneTask => match request.send().await {
            Ok(response) => Body::reading(pieces(response.bytes_stream()), worker.variant == Variant::AtOnce),
            Err(_) => Body::broken(),
        },
        Variant::TwoTasks | Variant::TwoThreads => {
            let run = Run::begin();
            let written = run.clone();
            tokio::spawn(async move {
                match request.send().await {
                    Ok(response) => pump(written, pieces(response.bytes_stream())).await,
                    Err(_) => written.finish(),
                }
            });
            Body::of(run)
        }
    };
    HttpResponse::Ok().content_type("text/event-stream").streaming(body)
}
