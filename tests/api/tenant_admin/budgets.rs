//! Budgets.

use std::time::Duration;

use serde_json::{Value, json};
use storage::accounting::book;
use storage::records::usage::Span;
use storage::records::{Usage, UsageRecord};
use storage::{TenantId, Timestamp};

use super::{ADMIN, chat, converse, partner, with_provider};
use crate::api::streams::reading::{asking, conversation, terminal};
use crate::api::workflows::scene::{Run, graph, node, runs, workflow};
use crate::harness::keyed_provider::ANSWER_NANOS;
use crate::harness::{Client, Person, TestServer, text};

async fn limit(server: &TestServer, limits: Value) -> Value {
    server.admin().put(&format!("{ADMIN}/budgets"), limits).await.ok()
}

/// Records usage at another time.
async fn spend(server: &TestServer, person: &Person, at: Timestamp, cost_nanos: i64) {
    let tenant = TenantId(person.tenant.parse().expect("an id"));
    let user = person.id.parse().expect("an id");
    let usage = Usage { input_tokens: 5, ..Usage::default() };
    let record = UsageRecord { ts: at, user, cost_nanos, usage, ..UsageRecord::default() };
    let booked: Result<_, storage::Error> =
        server.store().run(move |tx| book(tx, tenant, record.clone())).await;
    booked.expect("booked");
}

#[tokio::test]
async fn monthly_cost_budget_refuses_further_requests() {
    let (server, _provider) = with_provider().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let set = limit(&server, json!({"user_id": person.id, "cost_nanos_month": 2 * ANSWER_NANOS})).await;
    assert_eq!((&set["cost_month"], &set["month"]["cost"]), (&json!("0.000028000"), &json!("0.000000000")));
    chat(&user, "fake/talk").await.ok();
    chat(&user, "fake/talk").await.ok();
    let refused = chat(&user, "fake/talk").await.problem(402, "budget_exceeded");
    assert_eq!(refused["budget_of"], "user");
    let renews: Timestamp = text(&refused["renews_at"]).parse().expect("a moment");
    assert_eq!(renews, Span::Month.end(Timestamp::now()));
    assert_eq!(partner(&user, "fake/talk").await.expect(402).json()["error"]["code"], "budget_exceeded");
    // Other users continue, and so does this one with a larger budget.
    chat(&server.editor(), "fake/talk").await.ok();
    chat(&server.stranger(), "fake/talk").await.ok();
    limit(&server, json!({"user_id": person.id, "cost_nanos_month": 2 * ANSWER_NANOS + 1})).await;
    chat(&user, "fake/talk").await.ok();
    chat(&user, "fake/talk").await.problem(402, "budget_exceeded");
    let server = server.restart().await;
    chat(&server.user(), "fake/talk").await.problem(402, "budget_exceeded");
    let listed = server.admin().get(&format!("{ADMIN}/budgets")).await.ok();
    assert_eq!(listed["users"][0]["user_id"], json!(person.id));
    assert_eq!(listed["users"][0]["month"]["cost_nanos"], json!(3 * ANSWER_NANOS));
    assert_eq!(listed["tenant"]["month"]["cost_nanos"], json!(4 * ANSWER_NANOS));
    limit(&server, json!({"user_id": person.id})).await;
    chat(&server.user(), "fake/talk").await.ok();
    let listed = server.admin().get(&format!("{ADMIN}/budgets")).await.ok();
    assert_eq!(listed["users"], json!([]));
}

#[tokio::test]
async fn daily_quota_refuses_further_requests() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    limit(&server, json!({"user_id": server.user_person().id, "tokens_day": 12})).await;
    chat(&user, "fake/talk").await.ok();
    let refused = chat(&user, "fake/talk").await;
    refused.problem(429, "quota_exceeded");
    let wait: u64 = refused.header("retry-after").expect("a time to wait").parse().expect("seconds");
    assert!((1..=86_400).contains(&wait), "{wait}");
    limit(&server, json!({"user_id": server.user_person().id, "cost_nanos_day": ANSWER_NANOS})).await;
    chat(&user, "fake/talk").await.problem(429, "quota_exceeded");
}

#[tokio::test]
async fn budget_ignores_usage_of_earlier_periods() {
    let (server, _provider) = with_provider().await;
    let person = server.user_person().clone();
    let now = Timestamp::now();
    spend(&server, &person, Span::Month.begin(now) - Duration::from_millis(1), 1_000_000).await;
    limit(&server, json!({"cost_nanos_month": 1_000, "cost_nanos_day": 1_000, "tokens_day": 100})).await;
    chat(&server.user(), "fake/other").await.ok();
    // A time in this month and on this day.
    spend(&server, &person, now, 1_000).await;
    chat(&server.user(), "fake/other").await.problem(402, "budget_exceeded");
}

#[tokio::test]
async fn tenant_budget_applies_to_all_users() {
    let (server, _provider) = with_provider().await;
    limit(&server, json!({"cost_nanos_month": ANSWER_NANOS})).await;
    chat(&server.user(), "fake/talk").await.ok();
    for client in [server.user(), server.editor(), server.admin()] {
        let refused = chat(&client, "fake/talk").await.problem(402, "budget_exceeded");
        assert_eq!(refused["budget_of"], "tenant");
    }
    chat(&server.stranger(), "fake/talk").await.ok();
    let strange = json!({"user_id": server.stranger_person().id, "tokens_day": 1});
    let refused = server.admin().put(&format!("{ADMIN}/budgets"), strange).await;
    assert_eq!(refused.faults(), ["body.user_id"]);
}

#[tokio::test]
async fn budget_refuses_every_operation_that_calls_a_model() {
    let (server, _provider) = with_provider().await;
    let editor = server.editor();
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("ask", "llm", json!({"prompt": "Hello?"}), json!({})),
        node("done", "end", json!({}), json!({})),
    ];
    let flow = workflow(&editor, graph(json!({}), nodes, &["start ask", "ask done"])).await;
    limit(&server, json!({"cost_nanos_month": 0})).await;
    let home = conversation(&editor).await;
    Client::send(asking(&editor, &home, json!({"message": "Hello?"}))).await.problem(402, "budget_exceeded");
    let improve = json!({"prompt": "Write."});
    editor.post("/api/utils/improve-prompt", improve).await.problem(402, "budget_exceeded");
    let filter = json!({"query": "x", "documents": [{"id": "a", "text": "x"}]});
    editor.post("/api/utils/llm-filter-documents", filter).await.problem(402, "budget_exceeded");
    editor.post(&runs(&flow), json!({})).await.problem(402, "budget_exceeded");
    let code = json!({"instruction": "Add.", "inputs": {"n": "number"}, "outputs": {"sum": "number"}});
    let path = format!("/api/workflows/assistants/{flow}/ai_code_box/build");
    editor.post(&path, code).await.problem(402, "budget_exceeded");
    let embed = json!({"model": "fake/embed", "input": "words"});
    let refused = editor.post("/api/chat/partner_compatible/v1/embeddings", embed).await;
    assert_eq!(refused.expect(402).json()["error"]["code"], "budget_exceeded");
    // The refused request leaves nothing in the conversation.
    assert_eq!(editor.get(&format!("/api/conversations/{home}")).await.ok()["message_count"], 0);
    limit(&server, json!({})).await;
    assert_eq!(terminal(&converse(&editor, "fake/talk").await)["status"], "succeeded");
}

#[tokio::test]
async fn resumed_run_is_refused_by_an_exhausted_budget() {
    let (server, provider) = with_provider().await;
    let editor = server.editor();
    let actions = json!([{"name": "go", "label": "Go"}]);
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("first", "llm", json!({"prompt": "Hello?"}), json!({})),
        node(
            "wait",
            "human",
            json!({"title": "Shall it go on?"}),
            json!({"config": {"fields": [], "actions": actions}}),
        ),
        node("second", "llm", json!({"prompt": "And?"}), json!({})),
        node("done", "end", json!({"text": "{{ second.text }}"}), json!({})),
    ];
    let edges = ["start first", "first wait", "wait.go second", "second done"];
    let flow = workflow(&editor, graph(json!({}), nodes, &edges)).await;
    limit(&server, json!({"cost_nanos_month": 1_000_000_000_u64})).await;
    let run = Run::start(&editor, &flow, json!({})).await;
    let form = run.form(&editor).await;
    spend(&server, server.user_person(), Timestamp::now(), 1_000_000_000).await;
    provider.seen();
    Client::send(run.answering(&editor, &form, "go", json!({}))).await.ok();
    let events = run.events(&editor).await;
    let end = terminal(&events);
    assert_eq!(
        (&end["status"], &end["error"]["code"]),
        (&json!("failed"), &json!("budget_exceeded")),
        "{end}"
    );
    assert_eq!(provider.seen(), [], "the model was asked");
}

#[tokio::test]
async fn concurrent_requests_start_while_budget_is_left() {
    let (server, _provider) = with_provider().await;
    let user = server.user();
    limit(&server, json!({"cost_nanos_month": ANSWER_NANOS})).await;
    let both = futures::future::join_all((0..8).map(|_| chat(&user, "fake/talk"))).await;
    let answered = both.iter().filter(|answer| answer.status == 200).count() as u64;
    assert!(answered >= 1 && both.iter().all(|answer| matches!(answer.status, 200 | 402)), "{both:?}");
    chat(&user, "fake/talk").await.problem(402, "budget_exceeded");
    let spent = server.admin().get(&format!("{ADMIN}/budgets")).await.ok();
    assert_eq!(spent["tenant"]["month"]["cost_nanos"], json!(answered * ANSWER_NANOS));
}

#[tokio::test]
async fn users_see_their_own_remaining_budget() {
    let (server, _provider) = with_provider().await;
    let (user, person) = (server.user(), server.user_person().clone());
    let summary = async || user.get("/api/users/usage-summary").await.ok()["budget"].clone();
    assert_eq!(summary().await, Value::Null);
    limit(&server, json!({"cost_nanos_month": 1_000_000_000})).await;
    assert_eq!(summary().await, Value::Null, "the tenant's budget is shown to administrators only");
    let set = limit(&server, json!({"user_id": person.id, "cost_nanos_month": 5 * ANSWER_NANOS})).await;
    assert_eq!((&set["email"], &set["display_name"]), (&json!(person.email), &json!(person.email)));
    chat(&user, "fake/talk").await.ok();
    let seen = summary().await;
    assert_eq!(seen["cost_nanos_month"], json!(5 * ANSWER_NANOS));
    assert_eq!(seen["month"]["cost_nanos"], json!(ANSWER_NANOS));
    assert_eq!(seen["month"]["renews_at"], set["month"]["renews_at"]);
    assert_eq!(server.editor().get("/api/users/usage-summary").await.ok()["budget"], Value::Null);
}

#[tokio::test]
async fn budget_of_a_former_member_can_be_removed() {
    let server = TestServer::start().await;
    let id = server.user_person().id.clone();
    limit(&server, json!({"user_id": id, "tokens_day": 5})).await;
    server.admin().delete(&format!("{ADMIN}/users/{id}")).await.no_content();
    let path = format!("{ADMIN}/budgets");
    let listed = server.admin().get(&path).await.ok();
    assert_eq!((&listed["users"][0]["user_id"], &listed["users"][0]["email"]), (&json!(id), &Value::Null));
    let more = server.admin().put(&path, json!({"user_id": id, "tokens_day": 6})).await;
    assert_eq!(more.faults(), ["body.user_id"]);
    limit(&server, json!({"user_id": id})).await;
    assert_eq!(server.admin().get(&path).await.ok()["users"], json!([]));
    assert_eq!(server.admin().put(&path, json!({"user_id": id})).await.faults(), ["body.user_id"]);
}
