//! New versions of skills, and other changes.

use reqwest::Method;
use serde_json::json;

use super::scene::{Field, SKILLS, TWICE, archive, bundle, change, upload, words};
use crate::harness::{Client, TestServer, text};

#[tokio::test]
async fn update_with_another_bundle_adds_a_version() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let first = upload(&editor, "double.skill", &bundle()).await.created();
    let id = text(&first["id"]);
    let next = archive(&[("SKILL.md", &words("Tripling")), ("thrice.js", &TWICE.replace("twice", "thrice"))]);
    let second = change(&editor, &id, &[Field::File("triple.skill", &next)]).await.ok();
    assert_eq!((&second["id"], &second["version"]), (&first["id"], &json!(2)));
    assert_eq!((&second["name"], &second["functions"]), (&json!("Tripling"), &json!(["thrice"])));
    assert_eq!(second["versions"].as_array().map(Vec::len), Some(2));
    let path = format!("{SKILLS}/{id}");
    let of = |hash: &serde_json::Value| format!("{path}/bundle?content_hash={}", text(hash));
    assert_eq!(editor.get(&of(&first["content_hash"])).await.expect(200).body, bundle());
    assert_eq!(editor.get(&of(&second["content_hash"])).await.expect(200).body, next);

    // Uploading the first bundle again adds no third version.
    let third = change(&editor, &id, &[Field::File("double.skill", &bundle())]).await.ok();
    assert_eq!(third["content_hash"], first["content_hash"]);
    let versions = third["versions"].as_array().expect("versions");
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[1]["content_hash"], first["content_hash"], "the latest version comes last");
    assert_eq!(third["function_details"], first["function_details"]);
    let server = server.restart().await;
    assert_eq!(server.editor().get(&path).await.ok(), third);
}

#[tokio::test]
async fn update_with_the_same_content_changes_nothing() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made = upload(&editor, "double.skill", &bundle()).await.created();
    let id = text(&made["id"]);
    let named = change(&editor, &id, &[Field::Text("name", "Mine")]).await.ok();
    assert_eq!((&named["name"], &named["version"]), (&json!("Mine"), &json!(2)));
    assert_eq!(named["description"], made["description"]);
    let same = change(&editor, &id, &[Field::File("again.skill", &bundle())]).await.ok();
    assert_eq!(same, named);
    let nothing = change(&editor, &id, &[]).await.ok();
    assert_eq!(nothing, named);
}

#[tokio::test]
async fn update_refuses_stale_versions() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let made = upload(&editor, "double.skill", &bundle()).await.created();
    let id = text(&made["id"]);
    change(&editor, &id, &[Field::Text("name", "A"), Field::Text("version", "1")]).await.ok();
    let stale = [Field::Text("name", "B"), Field::Text("version", "1")];
    change(&editor, &id, &stale).await.problem(412, "stale");
    let request = editor.request(Method::PUT, &format!("{SKILLS}/{id}")).header("if-match", "\"1\"");
    let body = "--x\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nC\r\n--x--\r\n";
    let request = request.header("content-type", "multipart/form-data; boundary=x").body(body);
    Client::send(request).await.problem(412, "stale");

    let changes = (0..6).map(|at| {
        let (editor, id) = (editor.clone(), id.clone());
        async move {
            let name = format!("Name {at}");
            change(&editor, &id, &[Field::Text("name", &name), Field::Text("version", "2")]).await.status
        }
    });
    let mut statuses = futures::future::join_all(changes).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412]);
}

#[tokio::test]
async fn update_refuses_content_of_another_skill_of_the_owner() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let one = upload(&editor, "double.skill", &bundle()).await.created();
    let other = upload(&editor, "SKILL.md", words("Other").as_bytes()).await.created();
    let answer = change(&editor, &text(&other["id"]), &[Field::File("double.skill", &bundle())]).await;
    assert_eq!(answer.problem(409, "conflict")["skill_id"], one["id"]);
    let path = format!("{SKILLS}/{}", text(&other["id"]));
    assert_eq!(editor.get(&path).await.ok(), other);
    let bad = change(&editor, &text(&other["id"]), &[Field::File("x.skill", b"no archive")]).await;
    assert_eq!(bad.faults(), ["body.file"]);
    assert_eq!(editor.get(&path).await.ok(), other);
}

#[tokio::test]
async fn catalog_metadata_can_be_set_by_owners() {
    let server = TestServer::start().await;
    let made = upload(&server.editor(), "double.skill", &bundle()).await.created();
    let path = format!("{SKILLS}/{}/catalog-metadata", text(&made["id"]));
    let told = json!({"listed": true, "summary": "Twice.", "tags": ["maths"], "license": "MIT"});
    server.user().put(&path, told.clone()).await.problem(403, "not_allowed");
    server.stranger().put(&path, told.clone()).await.not_found();
    let set = server.editor().put(&path, told).await.ok();
    assert_eq!((&set["catalog"]["listed"], &set["catalog"]["tags"]), (&json!(true), &json!(["maths"])));
    let seen = server.user().get(&format!("{SKILLS}/{}", text(&made["id"]))).await.ok();
    assert_eq!(seen["catalog"]["summary"], "Twice.");
}

/// A PNG image of one pixel.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00,
    0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x10, 0x68, 0x50, 0xf8, 0x0f, 0x00, 0x03,
    0x04, 0x01, 0xb0, 0x29, 0x8f, 0xde, 0xa1, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42,
    0x60, 0x82,
];

#[tokio::test]
async fn skill_avatar_can_be_uploaded_and_read() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let types = "/api/skills/avatar/upload/content-types";
    let allowed = server.user().get(types).await.ok();
    assert!(allowed["content_types"].as_array().expect("types").contains(&json!("image/png")));
    assert_eq!(server.user().get(&format!("{types}/")).await.ok(), allowed);
    let made = upload(&editor, "double.skill", &bundle()).await.created();
    let path = format!("{SKILLS}/{}/avatar", text(&made["id"]));
    editor.get(&path).await.not_found();
    let to = format!("{path}/upload");
    let picture = |client: Client, bytes: &'static [u8]| {
        let to = to.clone();
        async move { super::scene::form(&client, Method::POST, &to, &[Field::File("a.png", bytes)]).await }
    };
    picture(server.user(), PIXEL).await.problem(403, "not_allowed");
    assert_eq!(picture(editor.clone(), b"no picture").await.faults(), ["body.file"]);
    let shown = picture(editor.clone(), PIXEL).await.ok();
    let url = text(&shown["avatar_url"]);
    assert!(url.starts_with(&format!("{path}?v=")), "{url}");
    let sent = server.user().get(&url).await;
    assert_eq!(sent.expect(200).header("content-type"), Some("image/png"));
    server.stranger().get(&path).await.not_found();
}
