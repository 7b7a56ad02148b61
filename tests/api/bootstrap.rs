//! What users learn about the installation before they sign in.

use crate::crash::server::{EMAIL, PASSWORD, Server};
use crate::harness::fake_smtp::FakeSmtp;
use crate::harness::{Client, Person, TestServer, text};
use reqwest::Method;
use serde_json::json;

const PATH: &str = "/api/bootstrap";

#[tokio::test]
async fn bootstrap_describes_the_installation() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let default = anonymous.get(PATH).await.ok();
    let want = json!({
        "version": env!("CARGO_PKG_VERSION"), "name": "Understudy", "logo_url": null, "is_first_start": false,
        "sign_up": false, "mail": false, "sign_in_methods": ["password"],
    });
    assert_eq!(default, want);
    anonymous.get("/api/bootstrap/logo").await.not_found();

    let mode = json!({"mode": "approval"});
    server.admin().put("/api/tenant-admin/provisioning-mode", mode).await.ok();
    assert_eq!(anonymous.get(PATH).await.ok()["sign_up"], json!(true));
    let smtp = FakeSmtp::start().await;
    let server = server.restart_with(|config| smtp.configure(config)).await;
    assert_eq!(server.anonymous().get(PATH).await.ok()["mail"], json!(true));
}

/// The other tests log in when they start their server.
#[tokio::test]
async fn bootstrap_reports_the_first_start_until_someone_logs_in() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = Server::install().await;
    let anonymous = Client::new(server.url.clone(), None);
    assert_eq!(anonymous.get(PATH).await.ok()["is_first_start"], json!(true));
    let wrong = json!({"email": EMAIL, "password": "something else"});
    anonymous.post("/api/auth/login/", wrong).await.expect(401);
    assert_eq!(anonymous.get(PATH).await.ok()["is_first_start"], json!(true));
    Person::log_in(&server.url, EMAIL, PASSWORD).await;
    assert_eq!(anonymous.get(PATH).await.ok()["is_first_start"], json!(false));
}

#[tokio::test]
async fn bootstrap_is_cacheable() {
    let server = TestServer::start().await;
    let first = server.anonymous().get(PATH).await;
    let tag = first.header("etag").expect("a tag").to_owned();
    assert_eq!(first.expect(200).header("cache-control"), Some("public, max-age=5"));
    let again =
        |tag: &str| server.anonymous().request(Method::GET, PATH).header("if-none-match", tag.to_owned());
    assert_eq!(Client::send(again(&tag)).await.expect(304).text(), "");
    server.admin().put("/api/tenant-admin/provisioning-mode", json!({"mode": "open"})).await.ok();
    Client::send(again(&tag)).await.expect(200);
}

#[tokio::test]
async fn branding_sets_name_and_logo() {
    let dir = tempfile::tempdir().expect("a folder");
    let logo = dir.path().join("logo.png");
    let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 100]].concat();
    std::fs::write(&logo, &bytes).expect("a file");
    let server = TestServer::start_with(|config| {
        config.branding.name = "Ada & Co.".to_owned();
        config.branding.logo = Some(logo);
    })
    .await;
    let shown = server.anonymous().get(PATH).await.ok();
    assert_eq!(shown["name"], "Ada & Co.");
    let url = text(&shown["logo_url"]);
    let picture = server.anonymous().get(&url).await;
    assert_eq!(picture.expect(200).header("content-type"), Some("image/png"));
    assert_eq!(picture.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(picture.body, bytes);
    let tag = picture.header("etag").expect("a tag").to_owned();
    let request = server.anonymous().request(Method::GET, &url).header("if-none-match", tag);
    Client::send(request).await.expect(304);
    let plain = server.anonymous().get("/api/bootstrap/logo").await;
    assert_eq!(plain.expect(200).header("cache-control"), Some("public, no-cache"));
}

#[tokio::test]
async fn branding_refuses_files_that_are_no_small_images() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("logo");
    let mut config = understudy::Config::default();
    config.storage.data = dir.path().join("data");
    config.branding.logo = Some(path.clone());
    let fault = |config: &understudy::Config| config.verify().expect_err("a fault").to_string();
    assert!(fault(&config).contains("branding.logo"), "no file");
    std::fs::write(&path, "<svg onload='alert(1)'/>").expect("a file");
    assert!(fault(&config).contains("is not a PNG, JPEG or WebP image"));
    std::fs::write(&path, [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 512 << 10]].concat()).expect("a file");
    assert!(fault(&config).contains("has more than 512 KiB"));
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").expect("a file");
    config.verify().expect("a logo");
}
