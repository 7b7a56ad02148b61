//! Web pages that change: at any moment, search, text and citations show the same version.

use super::scene::{shown, until};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, TestServer, text};
use reqwest::Method;
use serde_json::{Value, json};

/// Path at which embeddings are requested.
const VECTORS: &str = "/v1/embeddings";

fn page(words: &str) -> Reply {
    let html = format!("<html><head><title>Tides</title></head><body><p>{words}</p></body></html>");
    Reply::body("text/html; charset=utf-8", html)
}

/// One vector, the same for everything: each page and each file in these tests is one passage.
fn vector() -> Reply {
    let one = json!({"object": "embedding", "index": 0, "embedding": [1.0, 0.0, 0.5, 0.25]});
    Reply::json(json!({"object": "list", "data": [one], "usage": {"prompt_tokens": 3, "total_tokens": 3}}))
}

/// A server whose embeddings come from the same fake server as its pages, a base with them, and the page's document in
/// it.
struct Scene {
    server: TestServer,
    web: CountingServer,
    base: String,
    link: String,
}

impl Scene {
    async fn with_page(words: &str) -> Self {
        let web = CountingServer::start().await;
        let provider = json!({"name": "held", "base_url": web.url("/v1"), "retries": 0,
            "models": [{"id": "embed", "tags": ["embedding"]}]});
        let provider = serde_json::from_value(provider).expect("a provider");
        let server = TestServer::start_with(|config| config.providers = vec![provider]).await;
        web.always("/robots.txt", Reply::status(404));
        web.always("/tides", page(words));
        web.always(VECTORS, vector());
        let new = json!({"name": "Pages", "embedding_model": "held/embed"});
        let base = text(&server.editor().post("/api/knowledge-bases", new).await.created()["id"]);
        let scene = Self { server, web, base, link: String::new() };
        let link = scene.fetch().await;
        assert_eq!(link["status"], "ready", "{link}");
        Self { link: text(&link["id"]), ..scene }
    }

    fn editor(&self) -> Client {
        self.server.editor()
    }

    fn of_base(&self, rest: &str) -> String {
        format!("/api/knowledge-bases/{}{rest}", self.base)
    }

    fn of_page(&self, rest: &str) -> String {
        self.of_base(&format!("/documents/{}{rest}", self.link))
    }

    /// Fetches the page and waits for the result.
    async fn fetch(&self) -> Value {
        let path = self.of_base("/links?wait=true");
        let answer = self.editor().post(&path, json!({"url": self.web.url("/tides")})).await;
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
        answer.json()
    }

    /// Asserts that the text, the bytes and the answers of the page contain `is` and not `is_not`.
    async fn says(&self, is: &str, is_not: &str) {
        let editor = self.editor();
        let read = editor.get(&self.of_page("/text")).await.ok().to_string();
        let bytes = editor.get(&self.of_page("/content")).await.expect(200).text();
        let question = json!({"messages": [{"role": "user", "content": "What pulls the sea?"}], "stream": false,
            "knowledge_base_ids": [self.base], "model": "builtin/scribe"});
        let cited = editor.post("/api/chat/completion", question).await.ok().to_string();
        for (what, said) in [("text", read), ("content", bytes), ("answer", cited)] {
            assert!(said.contains(is) && !said.contains(is_not), "{what}: {said}");
        }
    }
}

#[tokio::test]
async fn page_keeps_its_old_version_until_the_new_one_is_searchable() {
    let scene = Scene::with_page("The moon pulls the sea.").await;
    let editor = scene.editor();
    scene.web.always("/tides", page("The sun helps a little."));
    scene.web.script(VECTORS, [Reply::hang()]);
    let asked = json!({"url": scene.web.url("/tides")});
    editor.post(&scene.of_base("/links"), asked).await.expect(200);
    until(&editor, &scene.of_page(""), |page| page["status"] == "embedding").await;
    scene.web.wait_for(VECTORS, 2).await;
    scene.says("The moon pulls", "The sun helps").await;
    // The ingest resumes where it stopped.
    let Scene { server, web, base, link } = scene;
    let scene = Scene { server: server.restart().await, web, base, link };
    until(&scene.editor(), &scene.of_page(""), |page| page["status"] == "ready").await;
    scene.says("The sun helps", "The moon pulls").await;
}

#[tokio::test]
async fn page_keeps_its_old_version_if_the_new_one_is_unreadable() {
    let scene = Scene::with_page("The moon pulls the sea.").await;
    let editor = scene.editor();
    let drawn =
        Reply::body("text/html", "<html><body><div id=\"root\"></div><script>draw()</script></body></html>");
    scene.web.always("/tides", drawn.header("etag", "\"two\""));
    // The second attempt behaves like the first: known bytes do not mean that the page was extracted.
    for _ in 0..2 {
        let after = scene.fetch().await;
        assert_eq!(
            (&after["status"], &after["error"]["code"]),
            (&json!("ready"), &json!("file_empty")),
            "{after}"
        );
        assert!(text(&after["error"]["message"]).contains("scripts"), "{after}");
        scene.says("The moon pulls", "draw()").await;
    }
    assert!(scene.web.seen_at("/tides").iter().all(|seen| !seen.headers.contains_key("if-none-match")));
    editor.post(&scene.of_base("/reindex"), json!({})).await.expect(202);
    let base = until(&editor, &scene.of_base(""), |base| base["rebuild"].is_null()).await;
    assert_eq!((&base["counts"]["ready"], &base["counts"]["failed"]), (&json!(1), &json!(0)), "{base}");
    scene.says("The moon pulls", "draw()").await;
    scene.web.always("/tides", page("The sun helps a little."));
    let after = scene.fetch().await;
    assert_eq!((&after["status"], &after["error"]), (&json!("ready"), &Value::Null), "{after}");
    scene.says("The sun helps", "The moon pulls").await;
}

#[tokio::test]
async fn page_fetched_during_a_reindex_is_found_in_its_latest_version() {
    let scene = Scene::with_page("The moon pulls the sea.").await;
    let editor = scene.editor();
    let file = super::scene::upload(&editor, &scene.base, "ebb.md", "Ebb follows flood.").await;
    file.created();
    // The page is in the new index already, and the file is held up before it.
    scene.web.script(VECTORS, [vector(), Reply::hang()]);
    editor.post(&scene.of_base("/reindex"), json!({})).await.expect(202);
    scene.web.wait_for(VECTORS, 4).await;
    let base = shown(&editor, &scene.base).await;
    assert_eq!((&base["status"], &base["counts"]["rebuilt"]), (&json!("indexing"), &json!(1)), "{base}");
    scene.web.always("/tides", page("The sun helps a little."));
    assert_eq!(scene.fetch().await["status"], "ready");
    scene.says("The sun helps", "The moon pulls").await;
    let Scene { server, web, base, link } = scene;
    let scene = Scene { server: server.restart().await, web, base, link };
    let base = until(&scene.editor(), &scene.of_base(""), |base| base["rebuild"].is_null()).await;
    assert_eq!((&base["index_version"], &base["counts"]["rebuilt"]), (&json!(2), &Value::Null), "{base}");
    assert_eq!(base["counts"]["chunks"], 2, "one passage each");
    scene.says("The sun helps", "The moon pulls").await;
}

#[tokio::test]
async fn ingest_progress_of_a_document_can_be_streamed() {
    let scene = Scene::with_page("The moon pulls the sea.").await;
    let editor = scene.editor();
    let watch =
        |accept: &'static str| editor.request(Method::GET, &scene.of_page("")).header("accept", accept);
    let lines = Client::send(watch("application/x-ndjson")).await;
    assert_eq!(lines.header("x-stream-id"), editor.get(&scene.of_page("")).await.ok()["run_id"].as_str());
    let events: Vec<Value> =
        lines.text().lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let progress: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "ingest.progress")
        .filter_map(|event| event["data"]["status"].as_str())
        .collect();
    for stage in ["extracting", "chunking", "embedding", "indexing"] {
        assert!(progress.contains(&stage), "{progress:?}");
    }
    assert_eq!(events.last().expect("an end")["type"], "run.ended");
    let half = editor.get(&scene.of_page("?wire=ndjson&after=3")).await.text();
    assert_eq!(half.lines().count() + 3, events.len());
    assert!(Client::send(watch("text/event-stream")).await.text().contains("event: run.ended"));
    Client::send(scene.server.stranger().request(Method::GET, &scene.of_page("?wire=ndjson")))
        .await
        .not_found();
}

#[tokio::test]
async fn text_of_an_unreadable_document_reports_the_reason() {
    let scene = Scene::with_page("The moon pulls the sea.").await;
    let editor = scene.editor();
    let picture = super::scene::form(&[], &[("a.png", "image/png", b"\x89PNG\r\n\x1a\n0000")]);
    let failed =
        super::scene::post_form(&editor, &scene.of_base("/files?wait=true"), picture).await.created();
    let path = scene.of_base(&format!("/documents/{}/text", text(&failed["items"][0]["id"])));
    let problem = editor.get(&path).await.problem(404, "not_found");
    assert!(text(&problem["detail"]).contains(&text(&failed["items"][0]["error"]["message"])), "{problem}");
}
