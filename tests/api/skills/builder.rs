//! Skills written by a model.

use reqwest::Method;
use serde_json::{Value, json};
use storage::records::{Run, UsageRecord};
use storage::{Scan, TenantId};

use super::scene::{Field, SKILLS, TWICE, bundle, change, form, upload, words};
use crate::api::streams::reading::{Stream, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{Client, TestServer, text, until};

/// Creates an assistant with this model.
pub async fn assistant(client: &Client, model: &str) -> String {
    text(&client.post("/api/assistants", json!({"name": "Builder", "model": model})).await.created()["id"])
}

/// Starts a build and returns its draft.
pub async fn build(client: &Client, assistant: &str, body: Value) -> Value {
    client.post(&format!("/api/skills/assistants/{assistant}/build"), body).await.expect(202).json()
}

/// Path of the drafts of an assistant.
pub fn history(assistant: &str) -> String {
    format!("/api/skills/assistant/{assistant}/build/history")
}

/// Waits until a build has ended, and returns its draft with the files.
pub async fn done(client: &Client, draft: &Value) -> Value {
    let path = format!("{}/{}", history(&text(&draft["assistant_id"])), text(&draft["job_id"]));
    let mut draft = Value::Null;
    until("the build has ended", async || {
        draft = client.get(&path).await.ok();
        draft["is_completed"] == true
    })
    .await;
    draft
}

async fn with_provider(provider: &FakeProvider) -> TestServer {
    let config = provider.config();
    TestServer::start_with(|settings| settings.providers = vec![config]).await
}

/// The response of a model to a build request.
fn answer(files: &[(&str, &str)], examples: &[(&str, Value)]) -> String {
    let files: Vec<_> =
        files.iter().map(|(path, content)| json!({"path": path, "content": content})).collect();
    let examples: Vec<_> = examples
        .iter()
        .map(|(name, arguments)| json!({"function": name, "arguments": arguments.to_string()}))
        .collect();
    json!({"files": files, "examples": examples}).to_string()
}

/// A prompt for the model `coder`, which responds with these answers one after the other.
fn prompt(answers: &[String]) -> Value {
    let blocks = answers.iter().map(|answer| format!("\n```json\n{answer}\n```\n"));
    json!({"prompt": format!("Twice a number.{}", blocks.collect::<String>()), "skill_filename": "twice.skill"})
}

fn good() -> String {
    answer(&[("SKILL.md", &words("Doubling")), ("twice.js", TWICE)], &[("twice", json!({"n": 4}))])
}

fn publishing<'a>(assistant: &'a str, job: &'a str) -> [Field<'a>; 2] {
    [Field::Text("draft_assistant_id", assistant), Field::Text("draft_job_id", job)]
}

#[tokio::test]
async fn built_in_model_returns_a_draft_that_repeats_the_prompt_and_says_so() {
    let server = TestServer::start().await;
    let editor = server.editor();
    let assistant = assistant(&editor, "builtin/scribe").await;
    let asked = json!({"prompt": "Answer in rhymes: \"yes\" & 'no'.\nAlways."});
    let begun = build(&editor, &assistant, asked).await;
    assert_eq!(
        (&begun["state"], &begun["skill_filename"]),
        (&json!("building"), &json!("answer-in-rhymes-yes-no-always.skill"))
    );
    let draft = done(&editor, &begun).await;
    assert_eq!(
        (&draft["state"], &draft["attempts"], &draft["error"]),
        (&json!("ready"), &json!(1), &Value::Null)
    );
    assert!(text(&draft["note"]).contains("not written by a model that thinks"), "{draft}");
    let written = text(&draft["contents"]["SKILL.md"]);
    assert!(written.contains("Answer in rhymes") && written.contains("not written by a model"), "{written}");

    let job = text(&draft["job_id"]);
    let skill = form(&editor, Method::POST, SKILLS, &publishing(&assistant, &job)).await.created();
    assert_eq!(skill["description"], "Answer in rhymes: \"yes\" & 'no'.");
    assert!(text(&skill["instructions"]).contains("Always."));
    assert_eq!(editor.get(&history(&assistant)).await.ok()["items"], json!([]), "it left the history");
    let draft = done(&editor, &begun).await;
    assert_eq!((&draft["state"], &draft["skill_id"]), (&json!("published"), &skill["id"]));
    let again = form(&editor, Method::POST, SKILLS, &publishing(&assistant, &job)).await.ok();
    assert_eq!(again["id"], skill["id"]);
    editor.delete(&format!("{}/{job}", history(&assistant))).await.no_content();
    editor.get(&format!("{SKILLS}/{}", text(&skill["id"]))).await.ok();
}

#[tokio::test]
async fn build_reports_faults_to_the_model_until_the_draft_passes() {
    let provider = FakeProvider::start().await;
    let server = with_provider(&provider).await;
    let editor = server.editor();
    let assistant = assistant(&editor, "fake/coder").await;
    let throws = TWICE.replace("n * 2", "n.double()");
    let bad =
        answer(&[("SKILL.md", &words("Doubling")), ("twice.js", &throws)], &[("twice", json!({"n": 4}))]);
    let begun = build(&editor, &assistant, prompt(&["no JSON at all".to_owned(), bad, good()])).await;
    let draft = done(&editor, &begun).await;
    assert_eq!(
        (&draft["state"], &draft["attempts"], &draft["faults"]),
        (&json!("ready"), &json!(3), &json!([])),
        "{draft}"
    );
    assert_eq!(draft["trials"][0]["arguments"], json!({"n": 4}));
    assert_eq!(draft["trials"][0]["result"], json!({"twice": 8}));

    let job = text(&draft["job_id"]);
    let events = watched(&editor, &assistant, &job, "").await;
    let drafts: Vec<_> = events.iter().filter(|event| event["type"] == "skill.draft").collect();
    assert_eq!(drafts.len(), 3);
    assert!(text(&drafts[0]["data"]["faults"][0]).contains("JSON"), "{drafts:?}");
    assert!(text(&drafts[1]["data"]["faults"][0]).contains("not a function"), "{drafts:?}");
    assert_eq!(drafts[2]["data"], json!({"attempt": 3, "files": ["SKILL.md", "twice.js"], "faults": []}));
    let end = terminal(&events);
    assert_eq!(end["status"], "succeeded");
    let last = events.last().expect("an end")["seq"].as_u64().expect("a number");
    let rest = watched(&editor, &assistant, &job, &format!("?after={}", last - 1)).await;
    assert_eq!(rest.len(), 1);

    let asked = provider.requests().await;
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0]["response_format"]["type"], "json_schema");
    let told = asked[2]["messages"].as_array().expect("messages").last().expect("one")["content"].to_string();
    assert!(told.contains("twice.js") && told.contains("not a function"), "{told}");

    let bills = bills(&server);
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].kind.as_str(), bills[0].model.as_str()), ("skill_build", "fake/coder"));
    assert_eq!(json!(bills[0].usage.input_tokens), end["usage"]["input_tokens"]);
    assert_eq!(bills[0].usage.input_tokens, 30);

    let skill = form(&editor, Method::POST, SKILLS, &publishing(&assistant, &job)).await.created();
    assert_eq!(skill["functions"], json!(["twice"]));
}

#[tokio::test]
async fn build_that_never_passes_fails_with_its_faults() {
    let provider = FakeProvider::start().await;
    let server = with_provider(&provider).await;
    let editor = server.editor();
    let assistant = assistant(&editor, "fake/coder").await;
    let no_example = answer(&[("SKILL.md", &words("Doubling")), ("twice.js", TWICE)], &[]);
    let begun = build(&editor, &assistant, prompt(&[no_example])).await;
    let draft = done(&editor, &begun).await;
    assert_eq!((&draft["state"], &draft["attempts"]), (&json!("failed"), &json!(3)));
    assert!(text(&draft["error"]).contains("twice has no example"), "{draft}");
    assert_eq!(draft["faults"].as_array().map(Vec::len), Some(1));
    let job = text(&draft["job_id"]);
    let refused = form(&editor, Method::POST, SKILLS, &publishing(&assistant, &job)).await;
    refused.problem(409, "conflict");
    assert_eq!(
        watched(&editor, &assistant, &job, "").await.last().expect("an end")["data"]["terminal"]["error"]["code"],
        "skill_never_passed"
    );

    // A provider that refuses the request is asked again without a response format. If it refuses that as well, the
    // build fails.
    let refusing = build(&editor, &assistant, json!({"prompt": "x", "model": "fake/refuse"})).await;
    let draft = done(&editor, &refusing).await;
    assert_eq!((&draft["state"], &draft["attempts"]), (&json!("failed"), &json!(0)));
    let shapes: Vec<_> = provider
        .requests()
        .await
        .iter()
        .rev()
        .take(2)
        .map(|asked| asked["response_format"].is_object())
        .collect();
    assert_eq!(shapes, [false, true]);
}

#[tokio::test]
async fn build_accepts_functions_that_need_a_service() {
    let provider = FakeProvider::start().await;
    let server = with_provider(&provider).await;
    let editor = server.editor();
    let assistant = assistant(&editor, "fake/coder").await;
    let words = "---\nname: Notes\ndescription: Keeps notes.\nservices: [data]\n---\nKeep notes.";
    let script = "const functions = { note: { description: \"Notes.\", \
        parameters: { type: \"object\", properties: { text: { type: \"string\" } }, required: [\"text\"] }, \
        async run({ text }, host) { return host.data.create({ text }); } } };";
    let asked =
        prompt(&[answer(&[("SKILL.md", words), ("notes.js", script)], &[("note", json!({"text": "a"}))])]);
    let draft = done(&editor, &build(&editor, &assistant, asked).await).await;
    assert_eq!((&draft["state"], &draft["attempts"]), (&json!("ready"), &json!(1)), "{draft}");
    assert_eq!(draft["trials"][0]["needs_service"], true);
    assert!(draft["trials"][0]["result"].is_null(), "{draft}");
}

#[tokio::test]
async fn build_of_a_new_version_starts_from_the_current_skill() {
    let provider = FakeProvider::start().await;
    let server = with_provider(&provider).await;
    let editor = server.editor();
    let made = upload(&editor, "double.skill", &bundle()).await.created();
    let id = text(&made["id"]);
    let assistant = assistant(&editor, "builtin/scribe").await;
    let asked = json!({"prompt": "Say so, too.", "base_skill_id": id});
    let draft = done(&editor, &build(&editor, &assistant, asked).await).await;
    assert_eq!((&draft["state"], &draft["base_skill_id"]), (&json!("ready"), &json!(id)));
    assert_eq!(draft["contents"]["twice.js"], TWICE);
    let job = text(&draft["job_id"]);
    let next = change(&editor, &id, &publishing(&assistant, &job)).await.ok();
    assert_eq!((&next["id"], &next["functions"]), (&made["id"], &json!(["twice"])));
    assert!(text(&next["instructions"]).contains("Say so, too."));
    assert_eq!(next["versions"].as_array().map(Vec::len), Some(2));

    let coder = json!({"prompt": "Mend it.", "base_skill_id": id, "model": "fake/echo"});
    done(&editor, &build(&editor, &assistant, coder).await).await;
    let asked = provider.requests().await[0]["messages"].to_string();
    assert!(asked.contains("Mend it.") && asked.contains("Twice a number."), "{asked}");
}

#[tokio::test]
async fn build_resumes_after_a_restart() {
    let provider = CountingServer::start().await;
    let config = serde_json::from_value(json!({
        "name": "slow", "base_url": provider.url("/v1"), "api_key": "sk-0123456789", "models": ["m"],
        "timeouts": {"first_byte_s": 60.0, "idle_s": 60.0, "connect_s": 2.0},
    }));
    let config: providers::ProviderConfig = config.expect("a configuration");
    provider
        .script("/v1/chat/completions", [spoken(&answer(&[("SKILL.md", "no head")], &[])), Reply::hang()]);
    provider.always("/v1/chat/completions", spoken(&good()));
    let server = TestServer::start_with(|settings| settings.providers = vec![config]).await;
    let assistant = assistant(&server.editor(), "slow/m").await;
    let begun = build(&server.editor(), &assistant, json!({"prompt": "Twice a number."})).await;
    // The first draft has failed, and the second one is being written.
    provider.wait_for("/v1/chat/completions", 2).await;
    let server = server.restart().await;
    let draft = done(&server.editor(), &begun).await;
    assert_eq!((&draft["state"], &draft["attempts"]), (&json!("ready"), &json!(2)), "{draft}");
    let asked = provider.seen_at("/v1/chat/completions");
    assert_eq!(asked.len(), 3);
    let told = asked[2].json()["messages"].to_string();
    assert!(told.contains("no head"), "the model is told what it wrote: {told}");
    let events = watched(&server.editor(), &assistant, &text(&draft["job_id"]), "").await;
    let recovered = events.iter().filter(|event| event["type"] == "run.recovered").count();
    assert_eq!(recovered, 1, "{events:?}");
}

/// A build during which the server stopped too often ends, as every run does; its draft ends with it.
#[tokio::test]
async fn build_that_exceeds_its_restart_limit_fails_with_its_draft() {
    let provider = FakeProvider::start().await;
    let server = with_provider(&provider).await;
    let assistant = assistant(&server.editor(), "fake/stall").await;
    let begun = build(&server.editor(), &assistant, json!({"prompt": "Twice a number."})).await;
    let job = text(&begun["job_id"]);
    let path = format!("{}/{job}/stream", history(&assistant));
    let mut stream = Stream::open(server.editor().request(Method::GET, &path)).await;
    while stream.event().await.expect("an answer that begins")["type"] != "text.delta" {}
    let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
    let run = job.parse().expect("an id");
    let crashes = server.store().run(move |tx: &mut storage::Tx| {
        let mut run = tx.require::<Run>(tenant, &run)?;
        run.crashes = 8;
        tx.update(tenant, run).map(drop)
    });
    crashes.await.expect("the number of crashes is written");
    let server = server.restart().await;
    let draft = done(&server.editor(), &begun).await;
    assert_eq!(draft["state"], "failed", "{draft}");
    assert!(text(&draft["error"]).contains("restart limit"), "{draft}");
    let events = watched(&server.editor(), &assistant, &job, "").await;
    assert_eq!(terminal(&events)["error"]["code"], "crash_loop");
    // What the model wrote is billed, once.
    let bills = bills(&server);
    assert_eq!(bills.len(), 1, "{bills:?}");
    assert!(bills[0].usage.output_tokens > 0 && bills[0].estimated, "{bills:?}");
    // The draft can be deleted, and the assistant can build again.
    server.editor().delete(&format!("{}/{job}", history(&assistant))).await.no_content();
}

/// The response of a provider, as a stream.
fn spoken(text: &str) -> Reply {
    let said = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    Reply::body("text/event-stream", format!("data: {said}\n\ndata: {end}\n\ndata: [DONE]\n\n"))
}

/// Returns all events of a build.
async fn watched(client: &Client, assistant: &str, job: &str, query: &str) -> Vec<Value> {
    let path = format!("{}/{job}/stream{query}", history(assistant));
    let mut stream = Stream::open(client.request(Method::GET, &path)).await;
    let mut events = Vec::new();
    while let Some(event) = stream.event().await {
        events.push(event);
    }
    events
}

fn bills(server: &TestServer) -> Vec<UsageRecord> {
    let tenant = TenantId(server.editor_person().tenant.parse().expect("an id"));
    let all = server.store().read_now(|reader| reader.scan::<UsageRecord>(tenant, Scan::table()));
    let all: storage::Result<_> = all;
    all.expect("records").items.into_iter().map(|row| row.body).collect()
}
