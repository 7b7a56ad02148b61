//! Avatars of assistants: uploading, generating and removing them.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Cursor;

use super::basics::create;
use crate::harness::{Answer, Client, TestServer, text};

fn picture(width: u32, height: u32, colour: [u8; 3], format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, Rgb(colour)));
    picture.write_to(&mut Cursor::new(&mut bytes), format).expect("it is written");
    bytes
}

/// Uploads each of `files` in the form field `file`.
async fn upload(client: &Client, assistant: &str, files: &[&[u8]]) -> Answer {
    let mut body = Vec::new();
    for bytes in files {
        body.extend_from_slice(
            b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n",
        );
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    let path = format!("/api/assistants/{assistant}/avatar/upload");
    let request = client.request(Method::POST, &path);
    Client::send(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

fn read(answer: &Answer) -> RgbImage {
    image::load_from_memory(&answer.expect(200).body).expect("a picture").to_rgb8()
}

#[tokio::test]
async fn avatar_upload_is_cropped_to_a_square_and_served() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let (id, made) = create(&editor, json!({"name": "Ada", "visibility": "tenant"})).await;
    assert_eq!(made["avatar_url"], Value::Null);
    let path = format!("/api/assistants/{id}");
    editor.get(&format!("{path}/avatar")).await.not_found();
    let mut addresses = Vec::new();
    for (format, stored) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/jpeg"),
    ] {
        let colour = [200, 40 * addresses.len() as u8, 10];
        let set = upload(&editor, &id, &[&picture(700, 300, colour, format)]).await.ok();
        let address = text(&set["avatar_url"]);
        assert_eq!(user.get(&path).await.ok()["avatar_url"], address.as_str());
        assert_eq!(user.get(&format!("{path}/public")).await.ok()["avatar_url"], address.as_str());
        let shown = user.get(&address).await;
        assert_eq!(shown.header("content-type"), Some(stored));
        assert_eq!(shown.header("cache-control"), Some("private, max-age=31536000, immutable"));
        assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
        let kept = read(&shown);
        assert_eq!(kept.dimensions(), (512, 512));
        let pixel = kept.get_pixel(256, 256).0;
        let far = pixel.iter().zip(colour).map(|(a, b)| a.abs_diff(b)).max();
        assert!(far < Some(12), "{format:?}: {pixel:?} instead of {colour:?}");

        let tag = shown.header("etag").expect("a tag").to_owned();
        let again = user.request(Method::GET, &address).header("if-none-match", &tag);
        let again = Client::send(again).await;
        again.expect(304);
        assert!(again.body.is_empty());
        let plain = user.get(&format!("{path}/avatar")).await;
        assert_eq!(plain.header("cache-control"), Some("private, no-cache"), "without a version");
        addresses.push(address);
    }
    addresses.dedup();
    assert_eq!(addresses.len(), 3, "each image has its own address");
    assert!(editor.get(&path).await.ok().get("avatar").is_none(), "the storage location is not shown");

    let server = server.restart().await;
    read(&server.user().get(&addresses[2]).await);
    server.editor().delete(&path).await.ok();
    server.user().get(&addresses[2]).await.not_found();
    read(&server.editor().get(&addresses[2]).await);
}

#[tokio::test]
async fn avatar_upload_refuses_files_that_are_not_images() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (id, before) = create(&editor, json!({"name": "Ada"})).await;
    let good = picture(8, 8, [1, 2, 3], ImageFormat::Png);
    let bomb = picture(8_192, 8_192, [0, 0, 0], ImageFormat::Png);
    assert!(bomb.len() < 2 << 20, "the bomb is small: {}", bomb.len());
    let cut = &picture(600, 600, [1, 2, 3], ImageFormat::Jpeg)[..200];
    let script = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let gif = b"GIF89a\x01\0\x01\0\0\0\0;";
    let wide = picture(9_000, 1, [0, 0, 0], ImageFormat::Png);
    let single: [&[u8]; 7] = [b"hello", script, gif, cut, &bomb, &wide, b""];
    let forms = single.iter().map(|file| vec![*file]).chain([vec![], vec![&good[..], &good[..]]]);
    for refused in forms {
        assert_eq!(upload(&editor, &id, &refused).await.faults(), ["body.file"]);
    }
    let mut large = good.clone();
    large.resize((2 << 20) + 1, 0);
    upload(&editor, &id, &[&large]).await.problem(413, "too_large");
    assert_eq!(editor.get(&format!("/api/assistants/{id}")).await.ok(), before, "nothing was changed");
}

#[tokio::test]
async fn avatar_can_be_changed_by_editors_of_the_assistant() {
    let server = TestServer::start().await;
    let (editor, user) = (server.editor(), server.user());
    let (id, _) = create(&editor, json!({"name": "Ada", "visibility": "tenant"})).await;
    let good = picture(8, 8, [1, 2, 3], ImageFormat::Png);
    let draw = format!("/api/assistants/{id}/avatar/generate");
    upload(&user, &id, &[&good]).await.problem(403, "not_allowed");
    user.post(&draw, json!({})).await.problem(403, "not_allowed");
    upload(&server.stranger(), &id, &[&good]).await.not_found();
    server.stranger().post(&draw, json!({})).await.not_found();
    server.stranger().get(&format!("/api/assistants/{id}/avatar")).await.not_found();
    let reader = server.token(&["assistants:read"]).await;
    reader.post(&draw, json!({})).await.problem(403, "scope_missing");
    upload(&reader, &id, &[&good]).await.problem(403, "scope_missing");

    let types = user.get("/api/assistants/avatar/upload/content-types/").await.ok();
    assert_eq!(types["content_types"], json!(["image/png", "image/jpeg", "image/webp"]));
    assert_eq!(types["max_bytes"], 2 << 20);
    server
        .anonymous()
        .get("/api/assistants/avatar/upload/content-types")
        .await
        .problem(401, "credentials_missing");
}

#[tokio::test]
async fn drawn_avatar_is_determined_by_the_prompt() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let (ada, _) = create(&editor, json!({"name": "Ada"})).await;
    let (bea, _) = create(&editor, json!({"name": "Bea"})).await;
    let draw = async |id: &str, body: Value| -> (Value, Vec<u8>) {
        let drawn = editor.post(&format!("/api/assistants/{id}/avatar/generate"), body).await.ok();
        let shown = editor.get(&text(&drawn["avatar_url"])).await;
        assert_eq!(read(&shown).dimensions(), (512, 512));
        (drawn, shown.body)
    };
    let (first, by_name) = draw(&ada, json!({})).await;
    assert_eq!((&first["drawn_by"], &first["version"]), (&json!("builtin/sketch"), &json!(2)));
    let (again, _) = draw(&ada, json!({"prompt": " "})).await;
    assert_eq!(again, first, "the same picture is no change");
    let (_, other) = draw(&bea, json!({})).await;
    assert_ne!(by_name, other);
    let (_, by_words) = draw(&ada, json!({"prompt": "a lighthouse"})).await;
    assert_ne!(by_words, by_name);
    assert_eq!(draw(&bea, json!({"prompt": "a lighthouse"})).await.1, by_words, "the same words");
    let path = format!("/api/assistants/{ada}/avatar/generate");
    let wrong = json!({"prompt": "x".repeat(1_001), "style": 1});
    assert_eq!(editor.post(&path, wrong).await.faults(), ["body.prompt", "body.style"]);
}
