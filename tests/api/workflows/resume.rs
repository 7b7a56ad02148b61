//! Resuming runs with the input that they wait for.

use serde_json::{Value, json};

use super::scene::{Run, approval, graph, in_node, node, nodes_of, of_type, outputs, workflow, workflow_for};
use crate::api::streams::reading::{answer, messages, said, server, terminal};
use crate::harness::{Client, TestServer};

async fn waiting(server: &TestServer) -> (Run, Value) {
    let editor = server.editor();
    let assistant = workflow(&editor, approval(None)).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let form = run.form(&editor).await;
    run.until_state(&editor, "waiting").await;
    (run, form)
}

#[tokio::test]
async fn form_is_shown_and_answered() {
    let server = server().await;
    let editor = server.editor();
    let (run, form) = waiting(&server).await;
    assert_eq!(form["title"], "May it go out?");
    assert_eq!(form["message"], "See the draft.");
    assert_eq!(form["fields"][0]["name"], "note");
    assert_eq!(
        form["actions"],
        json!([{"name": "approve", "label": "Yes"}, {"name": "reject", "label": "No"}])
    );
    let fields = json!({"note": "too long", "stars": 2});
    let told = Client::send(run.answering(&editor, &form, "reject", fields.clone())).await.ok();
    assert_eq!((&told["stream_id"], &told["form_id"]), (&json!(run.stream), &form["form_id"]));
    assert_eq!(told["conversation_id"], json!(run.conversation));
    let events = run.events(&editor).await;
    let submitted = of_type(&events, "form.submitted")[0]["data"].clone();
    assert_eq!((&submitted["action"], &submitted["fields"]), (&json!("reject"), &fields));
    assert_eq!(submitted["by"], server.editor_person().id);
    assert_eq!(in_node(&events, "node.finished", "ask")["port"], "reject");
    assert_eq!(nodes_of(&events, "node.skipped"), ["yes"]);
    assert_eq!(answer(&events), "No: too long");
    assert_eq!(outputs(&events), json!({"action": "reject"}));
    assert_eq!(said(messages(&editor, &run.conversation).await.last().expect("a message")), "No: too long");
}

#[tokio::test]
async fn first_answer_to_a_form_counts() {
    let server = server().await;
    let editor = server.editor();
    for _ in 0..10 {
        let (run, form) = waiting(&server).await;
        let yes = run.answering(&editor, &form, "approve", json!({"note": "yes"}));
        let no = run.answering(&editor, &form, "reject", json!({"note": "no"}));
        let (yes, no) = tokio::join!(Client::send(yes), Client::send(no));
        let (taken, refused, action) =
            if yes.status == 200 { (yes, no, "approve") } else { (no, yes, "reject") };
        taken.ok();
        let first = refused.problem(409, "form_answered")["first"].clone();
        assert_eq!((&first["action"], &first["form_id"]), (&json!(action), &form["form_id"]));
        let events = run.events(&editor).await;
        assert_eq!(of_type(&events, "form.submitted").len(), 1);
        assert_eq!(outputs(&events), json!({"action": action}));
        let later = Client::send(run.answering(&editor, &form, "approve", json!({"note": "again"}))).await;
        assert_eq!(later.problem(409, "form_answered")["first"], first, "also after the end of the run");
    }
}

#[tokio::test]
async fn invalid_answers_are_reported_and_change_nothing() {
    let server = server().await;
    let editor = server.editor();
    let (run, form) = waiting(&server).await;
    let before = server.stored().await;
    let faults = async |action: &str, fields: Value| {
        Client::send(run.answering(&editor, &form, action, fields)).await.faults()
    };
    assert_eq!(faults("approve", json!({})).await, ["body.fields.note"]);
    assert_eq!(
        faults("approve", json!({"note": 5, "stars": 1.5, "mood": "good"})).await,
        ["body.fields.mood", "body.fields.note", "body.fields.stars"]
    );
    assert_eq!(faults("maybe", json!({"note": "x"})).await, ["body.action"]);
    let post = async |body: Value| editor.post(&run.path("resume"), body).await;
    assert_eq!(post(json!({})).await.faults(), ["body.action"]);
    assert_eq!(post(json!({"action": "approve", "event": "x"})).await.faults(), ["body.event"]);
    assert_eq!(post(json!({"form_id": "five", "action": "approve"})).await.faults(), ["body.form_id"]);
    let other = json!({"form_id": run.stream, "action": "approve", "fields": {"note": "x"}});
    post(other).await.not_found();
    post(json!({"event": "paid"})).await.problem(409, "not_waiting");
    post(json!({"action": "continue"})).await.expect(409);
    assert_eq!(server.stored().await, before);
    Client::send(run.answering(&editor, &form, "approve", json!({"note": "fine"}))).await.ok();
    assert_eq!(terminal(&run.events(&editor).await)["status"], "succeeded");
    post(json!({"action": "continue"})).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn forms_wait_in_parallel_and_across_a_restart() {
    let server = server().await;
    let config =
        json!({"config": {"actions": [{"name": "ok"}], "fields": [{"name": "n", "type": "integer"}]}});
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("left", "human", json!({"title": "Left"}), config.clone()),
        node("right", "human", json!({"title": "Right"}), config),
        node("both", "join", json!({}), json!({"config": {"mode": "all"}})),
        node("done", "end", json!({"l": "{{ left.fields.n }}", "r": "{{ right.fields.n }}"}), json!({})),
    ];
    let edges = ["start left", "start right", "left.ok both", "right.ok both", "both done"];
    let assistant = workflow(&server.editor(), graph(json!({}), nodes, &edges)).await;
    let run = Run::start(&server.editor(), &assistant, json!({})).await;
    let mut live = run.watch(&server.editor()).await;
    let (one, two) = (live.until("form.required").await, live.until("form.required").await);
    drop(live);
    let (left, right) = if one["node_id"] == "left" { (one, two) } else { (two, one) };
    let server = server.restart().await;
    let editor = server.editor();
    let ambiguous = editor.post(&run.path("resume"), json!({"action": "ok"})).await;
    assert!(matches!(ambiguous.status, 409 | 422), "{ambiguous:?}");
    Client::send(run.answering(&editor, &right["data"], "ok", json!({"n": 2}))).await.ok();
    run.until_state(&editor, "waiting").await;
    let server = server.restart().await;
    let editor = server.editor();
    let again = Client::send(run.answering(&editor, &right["data"], "ok", json!({"n": 3}))).await;
    assert_eq!(again.problem(409, "form_answered")["first"]["fields"], json!({"n": 2}));
    Client::send(run.answering(&editor, &left["data"], "ok", json!({"n": 1}))).await.ok();
    let events = run.events(&editor).await;
    assert_eq!(outputs(&events), json!({"l": 1, "r": 2}));
    assert_eq!(of_type(&events, "form.required").len(), 2, "each form is requested once");
}

#[tokio::test]
async fn unanswered_form_expires() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow(&editor, approval(Some(300))).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    let form = run.form(&editor).await;
    assert!(form["expires_at"].is_string());
    let events = run.events(&editor).await;
    assert_eq!(of_type(&events, "form.expired")[0]["data"]["form_id"], form["form_id"]);
    assert_eq!(answer(&events), "There was no answer.");
    let late = Client::send(run.answering(&editor, &form, "approve", json!({"note": "x"}))).await;
    late.problem(410, "form_expired");
}

#[tokio::test]
async fn form_expires_while_the_server_is_down() {
    let server = server().await;
    let assistant = workflow(&server.editor(), approval(Some(3_000))).await;
    let run = Run::start(&server.editor(), &assistant, json!({})).await;
    run.form(&server.editor()).await;
    run.until_state(&server.editor(), "waiting").await;
    let server = server.restart().await;
    let events = run.events(&server.editor()).await;
    assert_eq!(answer(&events), "There was no answer.");
    assert_eq!(terminal(&events)["status"], "succeeded");
}

#[tokio::test]
async fn event_resumes_a_waiting_run() {
    let server = server().await;
    let editor = server.editor();
    let nodes = vec![
        node("start", "start", json!({}), json!({})),
        node("paid", "wait", json!({}), json!({"config": {"event": "paid"}})),
        node("done", "end", json!({"sum": "{{ paid.data.sum }}"}), json!({})),
    ];
    let assistant = workflow(&editor, graph(json!({}), nodes, &["start paid", "paid done"])).await;
    let run = Run::start(&editor, &assistant, json!({})).await;
    run.until_state(&editor, "waiting").await;
    let server = server.restart().await;
    let editor = server.editor();
    let post = async |body: Value| editor.post(&run.path("resume"), body).await;
    post(json!({"event": "shipped"})).await.problem(409, "not_waiting");
    post(json!({"event": "paid", "fields": {"sum": 12}})).await.ok();
    assert_eq!(outputs(&run.events(&editor).await), json!({"sum": 12}));
    post(json!({"event": "paid"})).await.problem(409, "not_waiting");
}

#[tokio::test]
async fn resume_requires_the_owner_of_the_run() {
    let server = server().await;
    let editor = server.editor();
    let assistant = workflow_for(&editor, approval(None), "tenant").await;
    let another = workflow_for(&editor, approval(None), "tenant").await;
    let user = server.user();
    let run = Run::start(&user, &assistant, json!({})).await;
    let form = run.form(&user).await;
    for other in [server.stranger(), server.admin(), editor] {
        Client::send(run.answering(&other, &form, "approve", json!({"note": "x"}))).await.not_found();
    }
    let misled = Run { assistant: another, ..run.clone() };
    Client::send(misled.answering(&user, &form, "approve", json!({"note": "x"}))).await.not_found();
    Client::send(run.answering(&user, &form, "approve", json!({"note": "x"}))).await.ok();
    assert_eq!(terminal(&run.events(&user).await)["status"], "succeeded");
}
