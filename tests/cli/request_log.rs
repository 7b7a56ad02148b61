//! Log messages about requests.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::crash::server::Server;
use crate::harness::{client, until};

/// Anyone can send unlimited data that is not HTTP. The server responds to it, and does not log it as an error.
#[tokio::test]
async fn request_log_has_no_errors_for_input_that_is_not_http() {
    let server = Server::install().await;
    let addr = server.url.trim_start_matches("http://").to_owned();
    let bodies: [&[u8]; 5] = [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/auth/login/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
    ];
    for body in bodies.iter().cycle().take(50) {
        let mut socket = TcpStream::connect(&addr).await.expect("a connection");
        socket.write_all(body).await.expect("it goes out");
        socket.shutdown().await.expect("nothing more");
        let mut answer = Vec::new();
        // The server may close the connection first.
        let _ = socket.read_to_end(&mut answer).await;
    }
    client().get(format!("{}/api/users/me", server.url)).send().await.expect("an answer");
    until("the last request is logged", async || server.logged().contains("/api/users/me")).await;
    let log = server.logged();
    assert!(!log.contains("ERROR"), "{log}");
}

#[tokio::test]
async fn request_log_names_the_client() {
    let server = Server::install_with("[server]\ntrust_forwarded = true\n[log]\nformat = \"json\"\n").await;
    let client = crate::harness::client();
    let request = client.get(format!("{}/api/users/me", server.url)).header("x-forwarded-for", "192.0.2.7");
    request.send().await.expect("an answer");
    client.get(format!("{}/api/users/me/teams", server.url)).send().await.expect("an answer");
    let line = |path: &str| {
        let log = server.logged();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.into_iter().find(|line| line["path"] == path)
    };
    until("both are logged", async || line("/api/users/me/teams").is_some()).await;
    assert_eq!(line("/api/users/me").expect("a line")["client"], "192.0.2.7");
    assert_eq!(line("/api/users/me/teams").expect("a line")["client"], "127.0.0.1");
}
