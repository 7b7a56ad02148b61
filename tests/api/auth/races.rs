//! Requests that run concurrently with the change that removes their right.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use storage::TenantId;
use storage::records::PasswordHash;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

use crate::api::joining::{accept, invite, link, provision};
use crate::harness::{Client, PASSWORD, TestServer, text};

const NEW: &str = "another horse and staple";
const EMAIL: &str = "user@example.org";
/// Clients that log in repeatedly. There are more of them than concurrent hashes, so that most of them are queued.
const CLIENTS: usize = 12;
/// Maximum number of sessions of a client. All of them together are fewer than the hundred that displace older ones. The
/// change waits for as many hashes as there are clients, so it takes place before a client has started so many.
const SESSIONS: usize = 7;

/// Starts a server that hashes one password at a time, slowly enough for other requests to queue.
async fn queueing() -> TestServer {
    TestServer::start_with(|config| {
        config.auth.password_hashes_at_once = 1;
        config.auth.password_memory_kib = 1024;
        config.auth.failures_per_account = 10_000;
        config.auth.failures_per_account_everywhere = 10_000;
    })
    .await
}

/// Starts sessions repeatedly from several clients until a request of each is refused, and returns the tokens of all
/// sessions. Calls `change` once every client has a session.
async fn sessions_beside(
    server: &TestServer,
    request: impl Fn(Client) -> reqwest::RequestBuilder + Clone + Send + 'static,
    change: impl AsyncFnOnce(),
) -> Vec<String> {
    let begun = Arc::new(Barrier::new(CLIENTS + 1));
    let clients = (0..CLIENTS).map(|_| {
        let (client, begun, request) = (server.anonymous(), begun.clone(), request.clone());
        tokio::spawn(async move {
            let mut tokens = Vec::new();
            while tokens.len() < SESSIONS {
                let answer = Client::send(request(client.clone())).await;
                if answer.status != 200 {
                    answer.problem(401, "login_failed");
                    break;
                }
                tokens.push(text(&answer.json()["access_token"]));
                if tokens.len() == 1 {
                    begun.wait().await;
                }
            }
            tokens
        })
    });
    let clients: Vec<_> = clients.collect();
    begun.wait().await;
    change().await;
    let mut tokens = Vec::new();
    for client in clients {
        tokens.extend(client.await.expect("no panic"));
    }
    tokens
}

async fn none_lives(server: &TestServer, tokens: &[String]) {
    for token in tokens {
        let answer = server.client(token).get("/api/users/me").await;
        assert_eq!(answer.status, 401, "a session outlived the password it was begun with: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_with_the_old_password_ends_when_the_password_changes() {
    let server = queueing().await;
    let log_in = |client: Client| {
        client.request(Method::POST, "/api/auth/login/").json(&json!({"email": EMAIL, "password": PASSWORD}))
    };
    let mut changer = None;
    let tokens = sessions_beside(&server, log_in, async || {
        let session = Client::send(log_in(server.anonymous())).await.ok();
        let user = server.client(&text(&session["access_token"]));
        let change = json!({"current_password": PASSWORD, "new_password": NEW});
        let changed = async || user.put("/api/auth/password", change.clone()).await;
        let mut answer = changed().await;
        // The clients keep the password hashing busy.
        while answer.status == 503 {
            answer = changed().await;
        }
        answer.no_content();
        changer = Some(user);
    });
    let tokens = tokens.await;
    assert!(tokens.len() >= CLIENTS);
    none_lives(&server, &tokens).await;
    changer.expect("the password was changed").get("/api/users/me").await.ok();
}

/// Signing up with the password of an existing account starts a session, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_up_with_the_old_password_ends_when_the_password_changes() {
    let server = queueing().await;
    provision(&server, json!({"mode": "open"})).await;
    let sign_up = |client: Client| {
        let body = json!({"tenant": "default", "email": EMAIL, "password": PASSWORD, "display_name": "Ada"});
        client.request(Method::POST, "/api/auth/register").json(&body)
    };
    let server = server.restart_with(|config| config.auth.failures_per_address = 10_000).await;
    let user = server.user();
    let tokens = sessions_beside(&server, sign_up, async || {
        let change = json!({"current_password": PASSWORD, "new_password": NEW});
        user.put("/api/auth/password", change).await.no_content();
    });
    none_lives(&server, &tokens.await).await;
}

/// A login in progress depends on the version of the password hash, so ending all sessions has to change the version.
#[tokio::test]
async fn ending_all_sessions_also_ends_logins_in_progress() {
    let server = TestServer::start().await;
    let id: uuid::Uuid = server.user_person().id.parse().unwrap();
    let hash = || {
        let read = |reader: &storage::Reader| reader.require::<PasswordHash>(TenantId::SYSTEM, &id);
        server.store().read_now::<_, storage::Error>(read).unwrap()
    };
    let before = hash();
    let login = json!({"email": EMAIL, "password": PASSWORD});
    let second = server.anonymous().post("/api/auth/login/", login).await.ok();
    let second = server.client(&text(&second["access_token"]));
    second.post("/api/auth/logout/", json!({})).await.no_content();
    assert_eq!(hash().version, before.version, "other sessions continue");
    server.user().post("/api/auth/logout/", json!({"all": true})).await.no_content();
    assert_eq!((hash().version, &hash().phc), (before.version + 1, &before.phc));
    server.anonymous().post("/api/auth/login/", json!({"email": EMAIL, "password": PASSWORD})).await.ok();
}

/// An invitation can be accepted by a session only while that session is live.
#[tokio::test]
async fn accept_invitation_refuses_a_session_that_has_ended() {
    let server = TestServer::start().await;
    let token = link(&invite(&server, "stranger@example.com", "user").await);
    let stranger = server.stranger();
    let path = format!("/api/auth/invitations/{token}/accept");
    let mut slow = SlowRequest::begin(&server, "POST", &path, &stranger, "application/json", "{}").await;
    stranger.post("/api/auth/logout/", json!({})).await.no_content();
    let (status, body) = slow.finish().await;
    assert!([401, 422].contains(&status), "{status} {body}");
    // The refused request did not use up the invitation.
    let login = accept(&server.anonymous(), &token, json!({"password": PASSWORD})).await;
    assert_eq!(login.ok()["tenant"]["name"], "Default");
}

/// A request whose head is sent first and whose body follows later.
struct SlowRequest {
    socket: TcpStream,
    body: Vec<u8>,
}

impl SlowRequest {
    /// Sends the head, and the first half of the body once the server has agreed to receive it.
    async fn begin(
        server: &TestServer,
        method: &str,
        path: &str,
        client: &Client,
        content_type: &str,
        body: &str,
    ) -> Self {
        let mut socket = TcpStream::connect(server.addr()).await.expect("a connection");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: {content_type}\r\n\
             content-length: {}\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n",
            server.addr(),
            client.bearer(),
            body.len(),
        );
        socket.write_all(head.as_bytes()).await.expect("the head is taken");
        let mut told = [0; 25];
        socket.read_exact(&mut told).await.expect("an answer to the head");
        assert!(told.starts_with(b"HTTP/1.1 100"), "{}", String::from_utf8_lossy(&told));
        let (first, rest) = body.as_bytes().split_at(body.len() / 2);
        socket.write_all(first).await.expect("half of the body is taken");
        Self { socket, body: rest.to_vec() }
    }

    /// Sends the rest and returns the status and the body of the response.
    async fn finish(&mut self) -> (u16, String) {
        // An early refusal may have closed the connection for writing.
        let _ = self.socket.write_all(&self.body).await;
        let mut answer = Vec::new();
        self.socket.read_to_end(&mut answer).await.expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer)
    }
}

/// The object in the path is checked again once the body has arrived. This applies to every operation with a body,
/// since the extractor of the arguments does it.
#[tokio::test]
async fn rights_on_an_object_are_checked_after_the_body_has_arrived() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let grants = json!([{"principal": {"kind": "user", "id": server.user_person().id}, "level": "editor"}]);
    let made = editor.post("/api/knowledge-bases", json!({"name": "Ours", "grants": grants})).await.created();
    let base = format!("/api/knowledge-bases/{}", text(&made["id"]));
    let form = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\
                content-type: text/markdown\r\n\r\nThe moon pulls the sea.\r\n--x--\r\n";
    let files = format!("{base}/files");
    let kind = "multipart/form-data; boundary=x";
    let mut slow = SlowRequest::begin(&server, "POST", &files, &user, kind, form).await;
    editor.patch(&base, json!({"grants": []})).await.ok();
    let (status, answer) = slow.finish().await;
    assert_eq!(status, 404, "{answer}");
    let documents: Value = editor.get(&format!("{base}/documents")).await.ok();
    assert_eq!(documents["items"], json!([]));
}
