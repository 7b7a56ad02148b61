//! Responses of a provider that never end.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{MemoryWatch, body};
use crate::crash::server::{EMAIL, PASSWORD, Server};

/// For each model: its name, the media type, and the text that is sent repeatedly (once, at the beginning, for `text`).
const ANSWERS: [(&str, &str, &str); 6] = [
    ("line", "text/event-stream", "some words without an end of the line "),
    ("event", "text/event-stream", "data: {\"choices\": [\n"),
    ("comments", "text/event-stream", ": a comment that is ignored\n"),
    ("blanks", "text/event-stream", "\n\n\n\n\n\n\n\n"),
    ("object", "application/json", "[[[[[[[["),
    ("text", "application/json", "{\"id\": \""),
];
/// Number of bytes to send of one response if the server never disconnects, and limit for the growth of
/// the server's memory.
fn limits(media: &str) -> (usize, u64) {
    match media {
        "text/event-stream" => (64 << 20, 32 << 20),
        // The server reads 32 MiB before it refuses the rest.
        _ => (160 << 20, 64 << 20),
    }
}

/// A provider whose responses never end. The name of the model selects the response.
async fn provider() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut asked = Vec::new();
                // The request is short and contains the model's name.
                let found = loop {
                    let text = String::from_utf8_lossy(&asked);
                    let named = |name: &str| text.contains(&format!("\"{name}\""));
                    if let Some(found) = ANSWERS.iter().find(|(name, ..)| named(name)) {
                        break found;
                    }
                    if socket.read_buf(&mut asked).await.is_ok_and(|read| read > 0) {
                        continue;
                    }
                    return;
                };
                let (name, media, repeat) = found;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {media}\r\nconnection: close\r\n\r\n");
                let _ = socket.write_all(head.as_bytes()).await;
                let (first, repeat) = if *name == "text" { (*repeat, "some text ") } else { ("", *repeat) };
                let _ = socket.write_all(first.as_bytes()).await;
                let block = repeat.repeat((64 << 10) / repeat.len());
                for _ in 0..limits(media).0 / block.len() {
                    if socket.write_all(block.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("http://{address}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_provider_responses_use_bounded_memory() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let models = ANSWERS.map(|(id, ..)| format!("[[providers.models]]\nid = \"{id}\"\n"));
    let url = provider().await;
    let settings =
        format!("[[providers]]\nname = \"mad\"\nbase_url = \"{url}\"\nretries = 0\n{}", models.concat());
    let server = Server::install_with(&settings).await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let login = body(http.post(format!("{}/api/auth/login/", server.url)).json(&login)).await;
    let token = login["access_token"].as_str().expect("a token").to_owned();
    let pid = server.pid().expect("it runs");
    let mut exceeded = Vec::new();
    for (model, media, _) in ANSWERS {
        let memory = MemoryWatch::begin(pid);
        let asked = json!({"model": format!("mad/{model}"), "messages": [{"role": "user", "content": "?"}]});
        let path = "/api/chat/partner_compatible/v1/chat/completions";
        let answer = http.post(format!("{}{path}", server.url)).bearer_auth(&token).json(&asked).send().await;
        let status = answer.expect("an answer").status();
        assert!(status.is_client_error() || status.is_server_error(), "{model}: {status}");
        let grown = memory.growth();
        println!("{model}: {status}, {grown} bytes grown");
        if grown > limits(media).1 {
            exceeded.push(format!("{model}: grew by {grown} bytes"));
        }
        let alive = http.get(format!("{}/api/users/me", server.url)).bearer_auth(&token);
        assert_eq!(alive.send().await.expect("an answer").status(), 200, "after {model}");
    }
    assert_eq!(exceeded, Vec::<String>::new());
}
