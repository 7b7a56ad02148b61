//! Files as real programs write them, from the upload to the extracted text.

use std::path::Path;

use super::scene::{form, post_form, private};
use crate::harness::{Client, TestServer, text};
use serde_json::Value;

const KEEPER: &str = "The keeper of the Kilbrannan lighthouse winds the clockwork every four hours";

/// Uploads a sample with no type but its file name, and waits for its ingest.
async fn sample(client: &Client, base: &str, name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    let bytes = std::fs::read(path).expect("a sample");
    let path = format!("/api/knowledge-bases/{base}/files?wait=true");
    let body = form(&[], &[(name, "application/octet-stream", &bytes)]);
    post_form(client, &path, body).await.created()["items"][0].clone()
}

#[tokio::test]
async fn every_format_is_extracted() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let base = private(&editor).await;
    for (name, pages, says) in [
        ("handbook-libreoffice.pdf", 1, KEEPER),
        ("regulations-reportlab.pdf", 3, "Oily rags are to be put into the red bins"),
        ("handbook-pandoc.docx", 1, KEEPER),
        ("handbook-libreoffice.odt", 1, KEEPER),
        ("ferry-libreoffice.pptx", 3, "The first ferry leaves Ardrossan"),
        ("catch-openpyxl.xlsx", 3, "| Calliope | Herring | 412.5 |"),
        ("catch-libreoffice.ods", 3, "Merganser | Mackerel | 198"),
        ("handbook-pandoc.html", 1, KEEPER),
        ("handbook.md", 1, KEEPER),
        ("prices-latin1.csv", 1, "Jürgen Großmann aus Lübeck"),
        ("station.json", 1, "the thermometer was moved into the shade"),
        ("handbook-libreoffice.rtf", 1, KEEPER),
        ("html-mail.eml", 1, "The regatta starts at the yellow buoy."),
        ("letter-windows1252.txt", 1, "heißt wirklich täglich"),
        ("tide.py", 1, "def height(hours"),
    ] {
        let document = sample(&editor, &base, name).await;
        assert_eq!((&document["status"], &document["pages"]), (&"ready".into(), &pages.into()), "{document}");
        assert!(document["chunks"].as_u64() > Some(0), "{document}");
        let path = format!("/api/knowledge-bases/{base}/documents/{}/text", text(&document["id"]));
        let read = editor.get(&path).await.ok();
        let all: String =
            read["pages"].as_array().unwrap().iter().map(|page| text(&page["text"]) + "\n").collect();
        let flat = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(says), "{name} does not contain {says:?}: {flat}");
    }
}

#[tokio::test]
async fn unreadable_files_report_the_reason() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let base = private(&editor).await;
    for (name, code) in [
        ("weather-encrypted-qpdf.pdf", "file_encrypted"),
        ("scan-reportlab.pdf", "file_empty"),
        ("handbook-libreoffice.doc", "file_unsupported"),
    ] {
        let document = sample(&editor, &base, name).await;
        assert_eq!(
            (&document["status"], &document["error"]["code"]),
            (&"failed".into(), &code.into()),
            "{document}"
        );
        assert!(!text(&document["error"]["message"]).is_empty());
    }
}
