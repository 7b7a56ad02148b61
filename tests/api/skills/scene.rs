//! Bundles, and the forms that upload them.

use std::collections::BTreeMap;

use jobs::skill_build::pack::pack;
use reqwest::Method;
use serde_json::Value;

use crate::harness::{Answer, Client, text};

pub const SKILLS: &str = "/api/skills/global";

/// A part of a form.
pub enum Field<'a> {
    Text(&'a str, &'a str),
    File(&'a str, &'a [u8]),
}

pub async fn form(client: &Client, method: Method, path: &str, fields: &[Field<'_>]) -> Answer {
    let mut body = Vec::new();
    for field in fields {
        let (head, content) = match field {
            Field::Text(name, text) => (format!("name=\"{name}\""), text.as_bytes()),
            Field::File(name, bytes) => (format!("name=\"file\"; filename=\"{name}\""), *bytes),
        };
        body.extend_from_slice(format!("--x-x\r\ncontent-disposition: form-data; {head}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x-x--\r\n");
    let request = client.request(method, path).header("content-type", "multipart/form-data; boundary=x-x");
    Client::send(request.body(body)).await
}

pub async fn upload(client: &Client, name: &str, bytes: &[u8]) -> Answer {
    form(client, Method::POST, SKILLS, &[Field::File(name, bytes)]).await
}

/// Uploads a `SKILL.md` with these further fields and returns the id of the skill.
pub async fn skill(client: &Client, name: &str, more: &[(&str, &str)]) -> String {
    let words = words(name);
    let mut fields = vec![Field::File("SKILL.md", words.as_bytes())];
    fields.extend(more.iter().map(|(name, text)| Field::Text(name, text)));
    text(&form(client, Method::POST, SKILLS, &fields).await.created()["id"])
}

pub async fn change(client: &Client, id: &str, fields: &[Field<'_>]) -> Answer {
    form(client, Method::PUT, &format!("{SKILLS}/{id}"), fields).await
}

/// A `SKILL.md` with this name.
pub fn words(name: &str) -> String {
    format!("---\nname: {name}\ndescription: All about {name}.\n---\n\nDo as {name} does.\n")
}

/// An archive of these files.
pub fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect();
    pack(&files).expect("an archive")
}

/// A script with a function `twice`.
pub const TWICE: &str = r#"
const functions = {
  twice: {
    description: "Twice a number.",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
    run({ n }) { return { twice: n * 2 }; },
  },
};
"#;

/// A bundle with instructions and the function `twice`.
pub fn bundle() -> Vec<u8> {
    archive(&[("SKILL.md", &words("Doubling")), ("twice.js", TWICE)])
}

/// Returns the names of a list's items.
pub fn names(list: &Value) -> Vec<String> {
    list["items"].as_array().expect("items").iter().map(|item| text(&item["name"])).collect()
}
