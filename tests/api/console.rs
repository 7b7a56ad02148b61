//! The web console as it is served: its page, its files, and what a browser allows them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use flate2::read::GzDecoder;
use reqwest::Method;
use ring::digest::{Context, SHA256};

use crate::harness::{Answer, Client, TestServer};

/// The files in the console's folder that determine what its build writes.
const SETTINGS: [&str; 5] =
    ["package.json", "package-lock.json", "svelte.config.js", "tsconfig.json", "vite.config.js"];
const HTML: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn page(server: &TestServer, path: &str) -> Answer {
    Client::send(server.anonymous().request(Method::GET, path).header("accept", HTML)).await
}

/// The addresses in the page's `src` and `href` attributes.
fn addresses(page: &str) -> BTreeSet<String> {
    let attributes = page.split(['\n', ' ', '>']).filter_map(|part| part.split_once("=\""));
    let named = attributes.filter(|(name, _)| ["src", "href"].contains(name));
    named.filter_map(|(_, rest)| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[tokio::test]
async fn every_file_that_the_page_names_is_served_compressed_for_good() {
    let server = TestServer::start().await;
    let html = page(&server, "/").await.expect(200).text();
    let addresses = addresses(&html);
    assert!(addresses.iter().any(|address| address.ends_with("/main.js")), "{addresses:?}");
    for address in addresses {
        assert!(address.starts_with("/console/"), "{address}");
        let request = |encoding: &str| {
            server.anonymous().request(Method::GET, &address).header("accept-encoding", encoding.to_owned())
        };
        let packed = Client::send(request("gzip, br")).await;
        let plain = Client::send(request("identity")).await;
        for answer in [packed.expect(200), plain.expect(200)] {
            assert_eq!(
                answer.header("cache-control"),
                Some("public, max-age=31536000, immutable"),
                "{address}"
            );
            assert_eq!(answer.header("vary"), Some("accept-encoding"), "{address}");
        }
        assert_eq!(
            (packed.header("content-encoding"), plain.header("content-encoding")),
            (Some("gzip"), None),
            "{address}"
        );
        let mut unpacked = Vec::new();
        GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body, "{address}");
    }
    let other = server.anonymous().get("/console/0000000000000000/main.js").await;
    assert_eq!(other.expect(404).header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn page_is_the_same_at_every_screen_and_revalidated() {
    let server = TestServer::start().await;
    let first = page(&server, "/").await;
    let tag = first.expect(200).header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    for path in ["/conversations/1", "/join", "/tenant-admin/budgets", "/knowledge-bases/1"] {
        assert_eq!(page(&server, path).await.expect(200).text(), first.text(), "{path}");
    }
    for path in ["/nothing", "/conversations/a/b/c", "/conversations", "/settings/tokens/1"] {
        assert_eq!(page(&server, path).await.expect(404).text(), first.text(), "{path}");
    }
    let again = |tag: String| server.anonymous().request(Method::GET, "/").header("if-none-match", tag);
    assert_eq!(Client::send(again(tag.clone())).await.expect(304).text(), "");
    assert_eq!(Client::send(again(format!("W/{tag}"))).await.status, 304);
    assert_eq!(Client::send(again("\"other\"".to_owned())).await.status, 200);
    let posted = server.anonymous().request(Method::POST, "/conversations/1").header("accept", HTML);
    Client::send(posted).await.problem(404, "route_not_found");
}

#[tokio::test]
async fn pages_allow_no_inline_code_beyond_their_own() {
    let server = TestServer::start().await;
    for path in ["/", "/join", "/conversations/1", "/nothing", "/api/docs"] {
        let answer = page(&server, path).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(!policy.contains("unsafe-") && policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("require-trusted-types-for 'script'"), "{path}: {policy}");
        let html = answer.text();
        assert!(!html.contains(" style=\"") && !html.contains(" onclick="), "{path}");
        assert!(path == "/api/docs" || !html.contains("<style"), "{path}");
    }
}

#[tokio::test]
async fn page_names_its_files_below_the_path_of_the_public_url() {
    let server = TestServer::start_with(|config| {
        config.server.public_url = Some("https://example.org/ai/".to_owned());
    })
    .await;
    let html = page(&server, "/conversations/1").await.expect(200).text();
    let addresses = addresses(&html);
    assert!(addresses.iter().all(|address| address.starts_with("/ai/console/")), "{addresses:?}");
}

/// The console's files are built with Node.js, which neither `cargo build` nor this test needs. The digest of the sources
/// that the build has written shows whether they were built from the current ones.
#[test]
fn files_were_built_from_the_current_sources() {
    let console = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("console");
    let mut sources: Vec<_> = SETTINGS.iter().map(|name| console.join(name)).collect();
    gather(&console.join("src"), &mut sources);
    gather(&console.join("build"), &mut sources);
    let name_of = |path: &Path| path.strip_prefix(&console).unwrap().to_str().unwrap().to_owned();
    let mut named: Vec<_> = sources.iter().map(|path| (name_of(path), path)).collect();
    named.sort();
    let mut digest = Context::new(&SHA256);
    for (name, path) in named {
        let content = fs::read(path).unwrap();
        digest.update(format!("{name}\0{}\0", content.len()).as_bytes());
        digest.update(&content);
    }
    let recorded = fs::read_to_string(console.join("dist/SOURCES")).unwrap();
    assert_eq!(
        recorded.trim(),
        HEXLOWER.encode(digest.finish().as_ref()),
        "console/dist is not up to date: run `npm ci && npm run build` in console/ and commit the result"
    );
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => gather(&path, files),
            false => files.push(path),
        }
    }
}
