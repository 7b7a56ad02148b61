//! The logo of the tenant.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use reqwest::Method;
use serde_json::Value;

use super::ADMIN;
use crate::harness::{Answer, Client, TestServer, text};

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, Rgb([20, 90, 160])));
    picture.write_to(&mut Cursor::new(&mut bytes), format).expect("it is written");
    bytes
}

async fn upload(client: &Client, bytes: &[u8]) -> Answer {
    let mut body =
        b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".to_vec();
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let request = client.request(Method::POST, &format!("{ADMIN}/logo/upload"));
    Client::send(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

async fn told(client: &Client) -> Value {
    client.get("/api/users/me").await.ok()["tenant"]["logo_url"].clone()
}

#[tokio::test]
async fn logo_is_visible_to_members_only() {
    let server = TestServer::start().await;
    let (admin, path) = (server.admin(), format!("{ADMIN}/logo"));
    admin.get(&path).await.not_found();
    assert_eq!(told(&server.user()).await, Value::Null);
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let url = text(&upload(&admin, &picture(1_200, 300, format)).await.ok()["logo_url"]);
        if format == ImageFormat::Png {
            // The row that names it stays; replaced images wait for the sweep.
            server.stored().await;
        }
        assert_eq!(told(&server.user()).await, url);
        let shown = server.user().get(&url).await;
        shown.expect(200);
        assert!(shown.header("cache-control").is_some_and(|keep| keep.contains("immutable")), "{shown:?}");
        let read = image::load_from_memory(&shown.body).expect("a picture");
        assert_eq!((read.width(), read.height()), (512, 128), "{format:?}: nothing is cut off");
        let tag = shown.header("etag").expect("a tag").to_owned();
        let again = server.user().request(Method::GET, &path).header("if-none-match", tag);
        Client::send(again).await.expect(304);
    }
    server.stranger().get(&path).await.not_found();
    server.anonymous().get(&path).await.problem(401, "credentials_missing");
    // The logo survives a restart and the sweep of unused blobs.
    let server = server.restart().await;
    server.store().sweep_blobs().await.expect("it sweeps");
    server.user().get(&path).await.expect(200);
    server.admin().delete(&path).await.no_content();
    server.admin().delete(&path).await.no_content();
    server.user().get(&path).await.not_found();
    assert_eq!(told(&server.user()).await, Value::Null);
}

#[tokio::test]
async fn upload_that_is_not_an_image_changes_nothing() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let url = text(&upload(&admin, &picture(40, 40, ImageFormat::Png)).await.ok()["logo_url"]);
    assert_eq!(upload(&admin, b"<svg onload=alert(1)>").await.faults(), ["body.file"]);
    assert_eq!(upload(&admin, b"\x89PNG\r\n\x1a\n and nothing else").await.faults(), ["body.file"]);
    upload(&admin, &vec![0; (2 << 20) + 1]).await.problem(413, "too_large");
    for client in [server.editor(), server.user()] {
        upload(&client, &picture(40, 40, ImageFormat::Png)).await.problem(403, "role_missing");
        client.delete(&format!("{ADMIN}/logo")).await.problem(403, "role_missing");
    }
    assert_eq!(told(&server.user()).await, url);
    assert_eq!(
        image::load_from_memory(&admin.get(&url).await.body).expect("a picture").width(),
        40,
        "small images are not enlarged"
    );
}
