//! TLS of the listener, with real certificates and clients that verify them.

use super::process::ServerProcess;
use super::{bad, understudy};
use crate::harness::{Client, PASSWORD, client, text, until};
use reqwest::{Certificate, Method, StatusCode, Version};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt;

/// Certificate and key in files, which can be replaced by another pair.
struct Files {
    dir: tempfile::TempDir,
}

impl Files {
    fn new() -> (Self, Certificate) {
        let files = Self { dir: tempfile::tempdir().unwrap() };
        let trusted = files.renew();
        (files, trusted)
    }

    fn certificate(&self) -> PathBuf {
        self.dir.path().join("cert.pem")
    }

    fn key(&self) -> PathBuf {
        self.dir.path().join("key.pem")
    }

    /// Writes a new pair. Returns the certificate that clients have to trust.
    fn renew(&self) -> Certificate {
        let made =
            rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        std::fs::write(self.certificate(), made.cert.pem()).unwrap();
        std::fs::write(self.key(), made.signing_key.serialize_pem()).unwrap();
        Certificate::from_pem(made.cert.pem().as_bytes()).unwrap()
    }

    async fn serve(&self, data: &Path) -> ServerProcess {
        let (certificate, key) = (self.certificate(), self.key());
        let given = [
            ("UNDERSTUDY_ADMIN_PASSWORD", PASSWORD),
            ("UNDERSTUDY_SERVER__TLS__CERTIFICATE", certificate.to_str().unwrap()),
            ("UNDERSTUDY_SERVER__TLS__KEY", key.to_str().unwrap()),
        ];
        ServerProcess::start(data, &given).await
    }
}

/// A client that trusts only this certificate.
fn trusting(certificate: &Certificate) -> reqwest::ClientBuilder {
    // The first client selects the TLS provider of the process.
    drop(client());
    reqwest::Client::builder().tls_certs_only([certificate.clone()])
}

async fn conversation(client: &reqwest::Client, url: &str, token: &str) -> String {
    let made = client.post(format!("{url}/api/conversations")).bearer_auth(token).json(&json!({}));
    text(&Client::send(made).await.created()["id"])
}

#[tokio::test]
async fn tls_listener_supports_http2_and_marks_cookies_secure() {
    let (files, trusted) = Files::new();
    let data = tempfile::tempdir().unwrap();
    let server = files.serve(data.path()).await;
    let url = server.url();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    let https = trusting(&trusted).build().unwrap();

    let body = json!({"email": "admin@localhost", "password": PASSWORD});
    let login = https.post(format!("{url}/api/auth/login/")).json(&body).send().await.unwrap();
    assert_eq!((login.status(), login.version()), (StatusCode::OK, Version::HTTP_2));
    assert!(login.headers().contains_key("strict-transport-security"));
    let cookies: Vec<String> = login
        .headers()
        .get_all("set-cookie")
        .iter()
        .map(|cookie| cookie.to_str().unwrap().to_owned())
        .collect();
    assert!(!cookies.is_empty() && cookies.iter().all(|cookie| cookie.contains("Secure")), "{cookies:?}");
    let login: Value = login.json().await.unwrap();
    let token = text(&login["access_token"]);

    // A change made by a browser, authenticated by cookie: one of two cookies in separate headers, from the
    // server's own origin and from another origin.
    let access = cookies.iter().find_map(|cookie| cookie.strip_prefix("understudy_access=")).unwrap();
    let access = access.split(';').next().unwrap();
    for (origin, status) in [(url.as_str(), 201), ("https://evil.example", 403)] {
        let made = https.post(format!("{url}/api/conversations")).header("origin", origin);
        let made =
            made.header("cookie", "theme=dark").header("cookie", format!("understudy_access={access}"));
        let made = made.json(&json!({})).send().await.unwrap();
        assert_eq!((made.status().as_u16(), made.version()), (status, Version::HTTP_2), "{origin}");
    }

    // A stream, and the same stream over a WebSocket, which requires HTTP/1.1.
    let id = conversation(&https, &url, &token).await;
    let message = json!({"message": "Why tides? The moon pulls the sea.", "wire": "ndjson"});
    let asked =
        https.post(format!("{url}/api/conversations/{id}/completion")).bearer_auth(&token).json(&message);
    let asked = asked.send().await.unwrap();
    assert_eq!(asked.version(), Version::HTTP_2);
    let stream = asked.headers()["x-stream-id"].to_str().unwrap().to_owned();
    assert!(asked.text().await.unwrap().contains("run.ended"));
    let one = trusting(&trusted).http1_only().build().unwrap();
    let socket = one.get(format!("{url}/api/conversations/{id}/streams/{stream}")).bearer_auth(&token);
    let socket = socket.header("connection", "Upgrade").header("upgrade", "websocket");
    let socket =
        socket.header("sec-websocket-version", "13").header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let socket = socket.send().await.unwrap();
    assert_eq!(socket.status(), StatusCode::SWITCHING_PROTOCOLS);
    let mut socket = socket.upgrade().await.unwrap();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("run.ended") {
        assert!(socket.read_buf(&mut read).await.unwrap() > 0, "{}", String::from_utf8_lossy(&read));
    }

    // A client that does not use TLS, or does not trust the certificate, gets no response.
    assert!(client().get(url.replace("https:", "http:")).send().await.is_err());
    assert!(client().get(&url).send().await.is_err());
    assert!(server.stop().await.success());
}

#[tokio::test]
async fn sighup_replaces_the_certificate_without_closing_connections() {
    let (files, old) = Files::new();
    let data = tempfile::tempdir().unwrap();
    let server = files.serve(data.path()).await;
    let url = server.url();
    let https = trusting(&old).build().unwrap();
    let token = text(&server.log_in_with(&https, PASSWORD).await.ok()["access_token"]);
    let id = conversation(&https, &url, &token).await;
    let feed = https.get(format!("{url}/api/notifications")).bearer_auth(&token);
    let mut feed = feed.header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(feed.status(), StatusCode::OK);
    feed.chunk().await.unwrap().expect("it is open");

    // A key that does not match the certificate is refused, and the previous certificate stays in use.
    let good = (std::fs::read(files.certificate()).unwrap(), std::fs::read(files.key()).unwrap());
    let other = files.renew();
    std::fs::write(files.certificate(), &good.0).unwrap();
    server.signal("HUP");
    server.until_logged("this key does not belong to the certificate").await;
    trusting(&old).build().unwrap().get(format!("{url}/health")).send().await.unwrap();

    let new = files.renew();
    server.signal("HUP");
    until("new connections get the new certificate", async || {
        trusting(&new).build().unwrap().get(format!("{url}/health")).send().await.is_ok()
    })
    .await;
    for untrusted in [&old, &other] {
        assert!(trusting(untrusted).build().unwrap().get(format!("{url}/health")).send().await.is_err());
    }
    // Existing connections stay open: the pool of the old client, including the feed.
    let kept = https.request(Method::GET, format!("{url}/api/conversations/{id}")).bearer_auth(&token);
    Client::send(kept).await.ok();
    let closed = tokio::spawn(async move { while let Ok(Some(_)) = feed.chunk().await {} });
    assert!(!closed.is_finished());
    assert!(server.stop().await.success());
    closed.await.unwrap();
}

#[test]
fn unusable_tls_files_are_refused_before_anything_is_created() {
    let (files, _) = Files::new();
    let (stranger, _) = Files::new();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let text = dir.path().join("text.pem");
    std::fs::write(&text, "no PEM at all").unwrap();
    let none = dir.path().join("none.pem");
    for (certificate, key, said) in [
        (&none, &files.key(), "server.tls.certificate: "),
        (&none, &files.key(), "cannot be read: No such file"),
        (&text, &files.key(), "contains no certificate (PEM is expected)"),
        (&files.key(), &files.key(), "contains no certificate"),
        (&files.certificate(), &none, "server.tls.key: "),
        (&files.certificate(), &text, "contains no private key (PEM is expected)"),
        (&files.certificate(), &stranger.key(), "this key does not belong to the certificate"),
    ] {
        let mut command = understudy(&data);
        command.args(["--listen", "127.0.0.1:0"]).env("UNDERSTUDY_SERVER__TLS__CERTIFICATE", certificate);
        let output = command.env("UNDERSTUDY_SERVER__TLS__KEY", key).output().unwrap();
        let words = bad(&output, 2);
        assert!(words.contains(said), "{said} is not in {words}");
        assert!(!data.exists());
    }
    let mut command = understudy(&data);
    command.env("UNDERSTUDY_SERVER__TLS__CERTIFICATE", files.certificate()).args(["config", "check"]);
    let words = bad(&command.output().unwrap(), 2);
    assert!(words.contains("server.tls") && words.contains("key"), "{words}");
}

#[tokio::test]
async fn start_warns_of_a_public_address_without_tls() {
    const EXPOSED: &str = "passwords and tokens travel unencrypted";
    const LINKS: &str = "server.public_url is not set";
    let (files, _) = Files::new();
    let (certificate, key) = (files.certificate(), files.key());
    let tls = [
        ("UNDERSTUDY_SERVER__TLS__CERTIFICATE", certificate.to_str().unwrap()),
        ("UNDERSTUDY_SERVER__TLS__KEY", key.to_str().unwrap()),
    ];
    let public = ("UNDERSTUDY_SERVER__PUBLIC_URL", "https://assistants.example.org");
    let proxy = ("UNDERSTUDY_SERVER__TRUST_FORWARDED", "true");
    for (listen, given, exposed, links) in [
        ("127.0.0.1:0", vec![], false, false),
        ("0.0.0.0:0", vec![], true, true),
        ("0.0.0.0:0", vec![public], false, false),
        ("0.0.0.0:0", vec![proxy], false, true),
        ("0.0.0.0:0", tls.to_vec(), false, true),
    ] {
        let data = tempfile::tempdir().unwrap();
        let mut command = understudy(data.path());
        command.args(["--listen", listen]).envs(given.clone());
        let mut server = ServerProcess::spawn_command(command);
        server.until_greeted().await;
        let log = server.log();
        assert_eq!(log.contains(EXPOSED), exposed, "{listen} {given:?}: {log}");
        assert_eq!(log.contains(LINKS), links, "{listen} {given:?}: {log}");
        let url = server.url();
        assert!(!url.contains("0.0.0.0"), "{url}");
        assert!(server.stop().await.success());
    }
}
