//! The examples of the documentation are uploaded unchanged.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::scene::{archive, upload};
use crate::harness::TestServer;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

#[tokio::test]
async fn every_example_of_the_documentation_is_a_skill() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let mut seen = 0;
    for entry in std::fs::read_dir(docs().join("examples/skills")).expect("examples") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let made = if path.is_dir() {
            let files: Vec<(String, String)> = std::fs::read_dir(&path)
                .expect("files")
                .map(|file| file.expect("a file").path())
                .map(|file| (file.file_name().expect("a name").to_string_lossy().into_owned(), read(&file)))
                .collect();
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            upload(&editor, &format!("{name}.skill"), &archive(&files)).await
        } else {
            upload(&editor, &name, read(&path).as_bytes()).await
        };
        assert_eq!(made.status, 201, "{name}: {made:?}");
        let made = made.json();
        match name.as_str() {
            "prices" => assert_eq!(made["functions"], json!(["add_vat", "remove_vat"])),
            "minutes" => assert_eq!(made["usable_in"], "chat"),
            "tickets.js" => assert_eq!(made["services"], json!(["data"])),
            _ => {}
        }
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} examples");
}

#[tokio::test]
async fn every_code_block_of_the_documentation_is_a_skill() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let page = read(&docs().join("skills.md"));
    let (mut scripts, mut texts) = (0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        let (language, content) = block.split_once('\n').unwrap_or((block, ""));
        let answer = match language {
            "js" => {
                scripts += 1;
                upload(&editor, &format!("block-{scripts}.js"), content.as_bytes()).await
            }
            "markdown" => {
                texts += 1;
                upload(&editor, "SKILL.md", content.as_bytes()).await
            }
            _ => continue,
        };
        assert_eq!(answer.status, 201, "{content}\n{answer:?}");
    }
    assert!(scripts >= 2 && texts >= 1, "{scripts} scripts and {texts} texts");
}
