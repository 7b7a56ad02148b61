//! `/api/utils`: small services on texts, with and without models.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::UsageRecord;
use storage::{Row, Scan, TenantId};

use super::streams::reading::unlimited;
use crate::harness::fake_provider::{FakeProvider, KEY};
use crate::harness::{Answer, Client, TestServer};

const CHUNK: &str = "/api/utils/chunk-document";
const FILE: &str = "/api/utils/get-file-text-content";
const IMPROVE: &str = "/api/utils/improve-prompt";
const FILTER: &str = "/api/utils/llm-filter-documents";

#[tokio::test]
async fn text_is_split_into_passages_with_positions() {
    let server = TestServer::start().await;
    let user = server.user();
    let sentence = "Ebbe und Flut wechseln zweimal am Tag, größer als man glaubt. ";
    let document = format!("# Gezeiten\n\n{}\n\n## Häfen\n\n{}", sentence.repeat(12), sentence.repeat(12));
    let asked = json!({"text": document, "chunk_tokens": 64, "overlap": 16});
    let chunks = user.post(CHUNK, asked.clone()).await.ok();
    let chunks = chunks.as_array().expect("a bare list").clone();
    assert!(chunks.len() > 4, "{chunks:?}");
    let whole: Vec<char> = document.chars().collect();
    let mut reached = 0;
    for (index, chunk) in (0u64..).zip(&chunks) {
        assert_eq!(chunk["index"], index);
        let at = |name: &str| chunk[name].as_u64().expect("a place") as usize;
        let said: String = whole[at("start")..at("end")].iter().collect();
        assert_eq!(chunk["text"], said);
        assert!((1..=64).contains(&at("tokens")), "{chunk}");
        assert_eq!(chunk["headings"][0], "Gezeiten");
        // Only whitespace is left out between two passages.
        if at("start") > reached {
            assert!(whole[reached..at("start")].iter().all(|c| c.is_whitespace()));
        }
        reached = at("end");
    }
    assert!(whole[reached..].iter().all(|c| c.is_whitespace()));
    assert_eq!(chunks.last().unwrap()["headings"], json!(["Gezeiten", "Häfen"]));
    assert_eq!(user.post(CHUNK, asked).await.ok(), json!(chunks), "the same text, the same passages");
    assert_eq!(user.post(CHUNK, json!({"text": "One."})).await.ok().as_array().unwrap().len(), 1);
    for (body, place) in [
        (json!({"text": " \n"}), "body.text"),
        (json!({"text": "x", "chunk_tokens": 15}), "body.chunk_tokens"),
        (json!({"text": "x", "chunk_tokens": 4_097}), "body.chunk_tokens"),
        (json!({"text": "x", "chunk_tokens": 64, "overlap": 33}), "body.overlap"),
    ] {
        assert_eq!(user.post(CHUNK, body.clone()).await.faults(), [place], "{body}");
    }
    user.post(CHUNK, json!({"text": "x".repeat(3 << 20)})).await.problem(413, "too_large");
}

async fn upload(client: &Client, files: Vec<(&'static str, Vec<u8>)>) -> Answer {
    let mut body = Vec::new();
    for (name, bytes) in files {
        let head =
            format!("--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), &bytes, b"\r\n"].concat());
    }
    body.extend_from_slice(b"--x--\r\n");
    let request =
        client.request(Method::POST, FILE).header("content-type", "multipart/form-data; boundary=x");
    Client::send(request.body(body)).await
}

fn sample(name: &'static str) -> (&'static str, Vec<u8>) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    (name, std::fs::read(path).expect("the sample"))
}

#[tokio::test]
async fn text_of_a_file_is_returned_by_page() {
    let server = TestServer::start().await;
    let user = server.user();
    let before = server.stored().await;
    let read = upload(&user, vec![sample("handbook-libreoffice.pdf")]).await.ok();
    let pages = read["pages"].as_array().expect("pages");
    assert_eq!(
        (&read["filename"], &read["media_type"]),
        (&json!("handbook-libreoffice.pdf"), &json!("application/pdf"))
    );
    let texts: Vec<&str> = pages.iter().map(|page| page["text"].as_str().unwrap()).collect();
    assert_eq!(read["text"], texts.join("\n\n"));
    assert_eq!(read["characters"], read["text"].as_str().unwrap().chars().count());
    assert!(read["tokens"].as_u64().unwrap() > 10);
    assert_eq!(pages[0]["number"], 1);
    let sheets = upload(&user, vec![sample("catch-openpyxl.xlsx")]).await.ok();
    assert!(sheets["pages"][0]["name"].is_string(), "{sheets}");
    let note = upload(&user, vec![("note.txt", "Grüße".into())]).await.ok();
    assert_eq!((&note["text"], &note["characters"]), (&json!("Grüße"), &json!(5)));
    assert_eq!(server.stored().await, before, "nothing is stored");
}

#[tokio::test]
async fn unreadable_files_report_the_reason() {
    let server = TestServer::start().await;
    let user = server.user();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    for (files, kind) in [
        (vec![sample("weather-encrypted-qpdf.pdf")], "file_encrypted"),
        (vec![("picture.png", png)], "file_unsupported"),
        (vec![("broken.pdf", b"%PDF-1.7\nthis is no document".to_vec())], "file_damaged"),
        (vec![("blank.txt", b" \n ".to_vec())], "file_empty"),
        (vec![("a.txt", b"a".to_vec()), ("b.txt", b"b".to_vec())], "too_many"),
        (vec![], "missing"),
    ] {
        let answer = upload(&user, files).await;
        assert_eq!(answer.faults(), ["body.file"], "{kind}");
        assert_eq!(answer.json()["errors"][0]["type"], kind, "{answer:?}");
    }
}

#[tokio::test]
async fn text_services_require_their_scopes() {
    let server = TestServer::start().await;
    let (llm, knowledge) = (server.token(&["llm:use"]).await, server.token(&["knowledge:read"]).await);
    let filter = json!({"query": "x", "documents": []});
    llm.post(IMPROVE, json!({"prompt": "x"})).await.ok();
    llm.post(FILTER, filter.clone()).await.ok();
    llm.post(CHUNK, json!({"text": "x"})).await.problem(403, "scope_missing");
    upload(&llm, vec![("a.txt", b"a".to_vec())]).await.problem(403, "scope_missing");
    knowledge.post(CHUNK, json!({"text": "x"})).await.ok();
    upload(&knowledge, vec![("a.txt", b"a".to_vec())]).await.ok();
    knowledge.post(IMPROVE, json!({"prompt": "x"})).await.problem(403, "scope_missing");
    knowledge.post(FILTER, filter).await.problem(403, "scope_missing");
}

fn priced(mut provider: providers::ProviderConfig) -> providers::ProviderConfig {
    for model in &mut provider.models {
        (model.input_price, model.output_price) = (Some(1.0), Some(2.0));
    }
    provider
}

async fn with_provider() -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let fake = priced(provider.config());
    let server = TestServer::start_with(move |settings| {
        unlimited(settings);
        settings.providers = vec![fake];
    });
    (server.await, provider)
}

/// Returns the usage records of the members' tenant, oldest first.
fn bills(server: &TestServer) -> Vec<Row<UsageRecord>> {
    let tenant = TenantId(server.user_person().tenant.parse().unwrap());
    server.store().read_now(|reader| reader.scan::<UsageRecord>(tenant, Scan::table())).unwrap().items
}

#[tokio::test]
async fn prompt_is_improved_by_the_selected_model() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let prompt = "What do tides follow? Answer in short sentences. I am {{name}}.";
    let asked = |model: &str| json!({"prompt": prompt, "instructions": "For children", "model": model});
    let improved = user.post(IMPROVE, asked("builtin/scribe")).await.ok();
    let text = improved["prompt"].as_str().unwrap();
    for word in prompt.split_whitespace().chain(["# Goal", "# Output", "For children"]) {
        assert!(text.contains(word), "{word} is lost: {text}");
    }
    assert!(improved["note"].as_str().unwrap().contains("does not think"));
    assert_eq!(user.post(IMPROVE, asked("builtin/scribe")).await.ok(), improved);

    let improved = user.post(IMPROVE, asked("fake/echo")).await.ok();
    assert_eq!((&improved["prompt"], &improved["model"]), (&json!(prompt), &json!("fake/echo")));
    assert_eq!((&improved["note"], &improved["usage"]["input_tokens"]), (&Value::Null, &json!(10)));
    // 10 input tokens at one dollar per million, and one output token per word at two dollars per million.
    let words = improved["usage"]["output_tokens"].as_u64().unwrap();
    assert_eq!(improved["cost_nanos"], 10 * 1_000 + words * 2_000);
    let told = &provider.requests().await[0];
    assert_eq!(told["messages"][0]["role"], "system");
    assert!(told["messages"][1].to_string().contains("For children"));
    assert!(told["response_format"].is_null());
    let of: Vec<_> = bills(&server).iter().map(|bill| (bill.kind.clone(), bill.model.clone())).collect();
    let bill = |model: &str| ("utils".to_owned(), model.to_owned());
    assert_eq!(of, [bill("builtin/scribe"), bill("builtin/scribe"), bill("fake/echo")]);
    assert!(
        bills(&server).iter().all(|bill| bill.user.to_string() == server.user_person().id && bill.billable)
    );

    // Without a model in the request, the user's default model is used.
    user.patch("/api/users/preferences", json!({"default_model": "fake/echo"})).await.ok();
    assert_eq!(user.post(IMPROVE, json!({"prompt": "x"})).await.ok()["model"], "fake/echo");
    user.post(IMPROVE, asked("fake/none")).await.problem(404, "model_not_found");
    assert_eq!(user.post(IMPROVE, json!({"prompt": " "})).await.faults(), ["body.prompt"]);
    assert_eq!(user.post(IMPROVE, json!({"prompt": "x".repeat(20_001)})).await.faults(), ["body.prompt"]);
}

#[tokio::test]
async fn provider_failures_are_reported_and_partial_usage_is_billed() {
    let (mut server, provider) = with_provider().await;
    let cases = [
        ("drop", 502, "upstream_failed", true),
        ("rubbish", 502, "upstream_failed", true),
        ("stall", 504, "upstream_timeout", true),
        ("silent", 504, "upstream_timeout", false),
        ("refuse", 502, "upstream_failed", false),
        ("limited", 502, "upstream_failed", false),
    ];
    for (model, status, code, paid) in cases {
        // The answers that end must not time out on a slow machine.
        let ends = !matches!(model, "stall" | "silent");
        let config = priced(if ends { provider.config() } else { provider.impatient() });
        server = server.restart_with(|settings| settings.providers = vec![config]).await;
        let user = server.user();
        let before = bills(&server).len();
        let answer = user.post(IMPROVE, json!({"prompt": "x", "model": format!("fake/{model}")})).await;
        let problem = answer.problem(status, code);
        assert!(problem["reason"].as_str().unwrap().starts_with("upstream_"), "{problem}");
        assert!(!answer.text().contains(KEY));
        let new = &bills(&server)[before..];
        assert_eq!(new.len(), usize::from(paid), "{model}: {new:?}");
        for bill in new {
            assert!(bill.estimated && bill.usage.output_tokens > 0 && bill.kind == "utils", "{bill:?}");
        }
    }
}

fn documents() -> Value {
    json!([
        {"id": "cats", "text": "Cats sleep for most of the day."},
        {"id": "tides", "text": "High tide at the harbour is at noon."},
        {"id": "moon", "title": "Why the tides follow the moon", "text": "It pulls at the sea."},
    ])
}

fn kept(answer: &Value) -> Vec<&str> {
    answer["kept"].as_array().expect("kept").iter().map(|kept| kept["id"].as_str().expect("an id")).collect()
}

#[tokio::test]
async fn document_selection_returns_only_documents_that_were_sent() {
    let (server, provider) = with_provider().await;
    let user = server.user();
    let asked = |query: &str, model: &str, max: usize| json!({"query": query, "documents": documents(), "model": model, "max": max});
    let found = user.post(FILTER, asked("When is high tide?", "builtin/scribe", 200)).await.ok();
    assert_eq!(kept(&found), ["tides", "moon"]);
    assert!(found["kept"][0]["reason"].as_str().unwrap().contains("“tide”"), "{found}");
    assert!(found["note"].is_string());
    let found = user.post(FILTER, asked("When is high tide?", "builtin/scribe", 1)).await.ok();
    assert_eq!(kept(&found), ["tides"]);
    assert_eq!(kept(&user.post(FILTER, asked("zebra", "builtin/scribe", 9)).await.ok()), Vec::<&str>::new());

    // This model returns the first fenced block of the question.
    let says = |answer: Value| format!("tide ```\n{answer}\n```");
    let chosen = json!({"kept": [{"number": 3, "reason": "The moon."}, {"number": 7, "reason": "?"},
        {"number": 3, "reason": "again"}, {"id": "cats", "reason": "no number"}, {"number": 1, "reason": "Cats."}]});
    let found = user.post(FILTER, asked(&says(chosen.clone()), "fake/coder", 9)).await.ok();
    assert_eq!(kept(&found), ["moon", "cats"]);
    assert_eq!((&found["kept"][0]["reason"], &found["note"]), (&json!("The moon."), &Value::Null));
    let found = user.post(FILTER, asked(&says(chosen), "fake/coder", 1)).await.ok();
    assert_eq!(kept(&found), ["moon"]);
    let told = &provider.requests().await[0];
    assert_eq!(told["response_format"]["type"], "json_schema");
    for useless in [json!({"documents": ["tides"]}), json!("all of them")] {
        let answer = user.post(FILTER, asked(&says(useless), "fake/coder", 9)).await;
        assert_eq!(answer.problem(502, "upstream_failed")["reason"], "unusable_answer");
    }
    assert_eq!(bills(&server).iter().filter(|bill| bill.model == "fake/coder").count(), 4);
    // A model that refuses the response format is asked again without one.
    let before = provider.requests().await.len();
    user.post(FILTER, asked("x", "fake/refuse", 9)).await.problem(502, "upstream_failed");
    let requests = provider.requests().await;
    assert_eq!(requests.len(), before + 2);
    assert!(requests[before + 1]["response_format"].is_null());
}

#[tokio::test]
async fn document_selection_reports_faults() {
    let server = TestServer::start().await;
    let user = server.user();
    let with = |documents: Value| json!({"query": "tide", "documents": documents});
    let one = |id: &str| json!({"id": id, "text": "tide"});
    let none = user.post(FILTER, with(json!([]))).await.ok();
    assert_eq!((kept(&none), &none["usage"]["input_tokens"]), (Vec::new(), &json!(0)));
    assert_eq!(user.post(FILTER, with(json!([one("a"), one("a")]))).await.faults(), ["body.documents.1.id"]);
    assert_eq!(user.post(FILTER, with(json!([one("")]))).await.faults(), ["body.documents.0.id"]);
    let many = |count: usize| json!((0..count).map(|at| one(&at.to_string())).collect::<Vec<_>>());
    assert_eq!(user.post(FILTER, with(many(201))).await.faults(), ["body.documents"]);
    assert_eq!(kept(&user.post(FILTER, with(many(200))).await.ok()).len(), 200);
    let body = json!({"query": "", "documents": [], "max": 0});
    assert_eq!(user.post(FILTER, body).await.faults(), ["body.max", "body.query"]);
}
