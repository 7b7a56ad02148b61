//! Lists, loops, joins, child runs, and the limits of a run.

use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Run, graph, in_node, node, nodes_of, of_type, outputs, workflow};
use crate::api::streams::reading::{server, terminal};
use crate::harness::counting_server::{CountingServer, Reply};
use crate::harness::{Client, text};

fn plain(id: &str, kind: &str, inputs: Value) -> Value {
    node(id, kind, inputs, json!({}))
}

async fn run_within(client: &Client, nodes: Vec<Value>, edges: &[&str], limits: Value) -> Vec<Value> {
    let mut graph = graph(json!({}), [vec![plain("start", "start", json!({}))], nodes].concat(), edges);
    graph["limits"] = limits;
    let assistant = workflow(client, graph).await;
    Run::start(client, &assistant, json!({})).await.events(client).await
}

async fn run(client: &Client, nodes: Vec<Value>, edges: &[&str]) -> Vec<Value> {
    run_within(client, nodes, edges, json!({})).await
}

/// Asserts that the run succeeded, and returns its outputs.
#[track_caller]
fn given(events: &[Value]) -> Value {
    assert_eq!(terminal(events)["status"], "succeeded", "{events:#?}");
    outputs(events)
}

/// The highest number of requests in progress at the same time, computed from the events of the nodes.
fn at_once(events: &[Value], node: &str) -> usize {
    let (mut now, mut most) = (0, 0);
    for event in events.iter().filter(|event| event["node_id"] == node) {
        match event["type"].as_str() {
            Some("node.started") => now += 1,
            Some("node.finished") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[tokio::test]
async fn each_limits_concurrency_and_keeps_the_order_of_items() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    web.always("/x", Reply::json(json!(1)).after(Duration::from_millis(30)));
    for (concurrency, limit) in [(1, 16), (3, 16), (12, 2)] {
        let config =
            json!({"config": {"concurrency": concurrency, "result": "{{ all.item * 10 + all.index }}"}});
        let nodes = vec![
            node("all", "each", json!({"items": "{{ range(12)|list }}"}), config),
            node(
                "send",
                "http",
                json!({"url": web.url("/x"), "query": {"i": "{{ all.item }}"}}),
                json!({"parent": "all"}),
            ),
            plain(
                "done",
                "end",
                json!({"items": "{{ all.items }}", "count": "{{ all.count }}", "failed": "{{ all.failed }}"}),
            ),
        ];
        let events =
            run_within(&editor, nodes, &["start all", "all done"], json!({"concurrency": limit})).await;
        let items: Vec<_> = (0..12).map(|i| i * 11).collect();
        assert_eq!(given(&events), json!({"items": items, "count": 12, "failed": 0}));
        assert_eq!(at_once(&events, "send"), concurrency.min(limit));
    }
    // An empty list, and a list of values of different types.
    for items in [json!([]), json!([null, {"a": [1]}, "x"])] {
        let nodes = vec![
            plain("all", "each", json!({"items": items})),
            node("t", "template", json!({"text": "{{ all.index }}"}), json!({"parent": "all"})),
            plain("done", "end", json!({"items": "{{ all.items }}"})),
        ];
        let events = run(&editor, nodes, &["start all", "all done"]).await;
        let count = items.as_array().map_or(0, Vec::len);
        let texts: Vec<_> = (0..count).map(|i| json!({"text": i.to_string()})).collect();
        assert_eq!(given(&events), json!({"items": texts}));
    }
}

#[tokio::test]
async fn each_stops_at_a_failed_item_or_nulls_or_drops_it() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let graph_of = |way: &str, concurrency: u32| {
        let config =
            json!({"config": {"concurrency": concurrency, "on_item_error": way, "result": "{{ all.item }}"}});
        vec![
            node("all", "each", json!({"items": [0, 1, 2, 3, 4]}), config),
            node("test", "if", json!({"condition": "{{ all.item == 2 }}"}), json!({"parent": "all"})),
            node("no", "http", json!({"url": web.url("/no")}), json!({"parent": "all"})),
            node("yes", "http", json!({"url": web.url("/yes")}), json!({"parent": "all"})),
            plain(
                "done",
                "end",
                json!({"items": "{{ all.items }}", "count": "{{ all.count }}", "failed": "{{ all.failed }}"}),
            ),
        ]
    };
    let edges = ["start all", "test.true no", "test.false yes", "all done"];
    web.always("/no", Reply::status(500));
    for (way, items) in [("null", json!([0, 1, null, 3, 4])), ("drop", json!([0, 1, 3, 4]))] {
        let events = run(&editor, graph_of(way, 2), &edges).await;
        let end = terminal(&events);
        assert_eq!(end["status"], "partial", "{end}");
        assert_eq!(outputs(&events)["items"], items, "{way}");
        assert_eq!(outputs(&events)["failed"], 1);
        let failed = of_type(&events, "iteration.finished")
            .into_iter()
            .filter(|event| event["data"]["error"].is_object());
        assert_eq!(failed.map(|event| event["data"]["index"].clone()).collect::<Vec<_>>(), [2]);
    }
    let before = web.count("/yes");
    let events = run(&editor, graph_of("stop", 1), &edges).await;
    let end = terminal(&events);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("http_status")));
    assert_eq!(web.count("/yes"), before + 2, "later items do not start");
    // Other items in progress are stopped.
    web.always("/yes", Reply::hang());
    let events = run(&editor, graph_of("stop", 5), &edges).await;
    assert_eq!(terminal(&events)["status"], "failed");
    web.idle().await;
}

#[tokio::test]
async fn loop_ends_by_maximum_condition_or_break() {
    let server = server().await;
    let editor = server.editor();
    let turns = |config: Value, more: Vec<Value>, edges: &[&'static str]| {
        let inner = node(
            "sum",
            "template",
            json!({"text": "{{ again.last.text or '' }}{{ again.index }}"}),
            json!({"parent": "again"}),
        );
        let done =
            plain("done", "end", json!({"count": "{{ again.count }}", "result": "{{ again.result }}"}));
        let nodes =
            [vec![node("again", "loop", json!({}), json!({"config": config})), inner, done], more].concat();
        let edges = [&["start again", "again done"], edges].concat();
        let editor = editor.clone();
        async move { run(&editor, nodes, &edges).await }
    };
    let events = turns(json!({"max": 5}), vec![], &[]).await;
    assert_eq!(given(&events), json!({"count": 5, "result": {"text": "01234"}}));
    let events = turns(json!({"max": 50, "while": "{{ again.index < 3 }}"}), vec![], &[]).await;
    assert_eq!(given(&events), json!({"count": 3, "result": {"text": "012"}}));
    let events = turns(json!({"max": 5, "while": "{{ false }}"}), vec![], &[]).await;
    assert_eq!(given(&events), json!({"count": 0, "result": null}));
    let events = turns(json!({"max": 3, "while": "{{ true }}"}), vec![], &[]).await;
    assert_eq!(terminal(&events)["error"]["code"], "loop_max");
    let test = node("test", "if", json!({"condition": "{{ again.index == 2 }}"}), json!({"parent": "again"}));
    let stop = node("stop", "break", json!({}), json!({"parent": "again"}));
    let events = turns(json!({"max": 50}), vec![test, stop], &["sum test", "test.true stop"]).await;
    assert_eq!(given(&events)["count"], 3);
    let events = turns(json!({"max": 4, "result": "{{ again.index * 2 }}"}), vec![], &[]).await;
    assert_eq!(given(&events), json!({"count": 4, "result": 6}));
}

#[tokio::test]
async fn join_waits_for_all_any_or_a_number_of_branches() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let nodes = |mode: Value, others: &str| {
        let rest = |id: &str, ms: u64| plain(id, "delay", json!({"ms": ms}));
        vec![
            plain("split", "parallel", json!({})),
            rest("a", 10),
            rest("b", 250),
            rest("c", 700),
            plain("c2", "http", json!({"url": web.url("/c")})),
            node("meet", "join", json!({}), json!({"config": {"mode": mode, "others": others}})),
            plain("done", "end", json!({"arrived": "{{ meet.arrived }}"})),
        ]
    };
    let edges =
        ["start split", "split a", "split b", "split c", "c c2", "a meet", "b meet", "c2 meet", "meet done"];
    for (mode, arrived) in
        [(json!("all"), vec!["a", "b", "c2"]), (json!({"n": 2}), vec!["a", "b"]), (json!("any"), vec!["a"])]
    {
        let asked = web.count("/c");
        let events = run(&editor, nodes(mode.clone(), "cancel"), &edges).await;
        assert_eq!(given(&events), json!({"arrived": arrived}), "{mode}");
        let cancelled = of_type(&events, "node.finished")
            .iter()
            .filter(|event| event["data"]["status"] == "cancelled")
            .count();
        assert_eq!(cancelled, 3 - arrived.len(), "{mode}");
        tokio::time::sleep(Duration::from_millis(800)).await;
        assert_eq!(web.count("/c") - asked, usize::from(arrived.len() == 3), "{mode}");
    }
    // A join does not wait for a branch that is not taken.
    let nodes = vec![
        plain("test", "if", json!({"condition": "{{ true }}"})),
        plain("a", "template", json!({"text": "a"})),
        plain("b", "template", json!({"text": "b"})),
        plain("meet", "join", json!({})),
        plain("done", "end", json!({"arrived": "{{ meet.arrived }}"})),
    ];
    let edges = ["start test", "test.true a", "test.false b", "a meet", "b meet", "meet done"];
    assert_eq!(given(&run(&editor, nodes, &edges).await), json!({"arrived": ["a"]}));
}

#[tokio::test]
async fn containers_can_be_nested() {
    let server = server().await;
    let nodes = vec![
        node("rows", "each", json!({"items": [1, 2, 3]}), json!({"config": {"result": "{{ cols.items }}"}})),
        node(
            "cols",
            "each",
            json!({"items": "{{ range(rows.item)|list }}"}),
            json!({"parent": "rows", "config": {"result": "{{ cell.text }}{{ turns.count }}"}}),
        ),
        node(
            "turns",
            "loop",
            json!({}),
            json!({"parent": "cols", "config": {"max": 3, "while": "{{ turns.index < cols.item }}"}}),
        ),
        node("tick", "template", json!({"text": "{{ turns.index }}"}), json!({"parent": "turns"})),
        node(
            "cell",
            "template",
            json!({"text": "{{ rows.index }}-{{ cols.index }}:"}),
            json!({"parent": "cols"}),
        ),
        plain("done", "end", json!({"rows": "{{ rows.items }}"})),
    ];
    let events = run(&server.editor(), nodes, &["start rows", "rows done", "turns cell"]).await;
    let rows = json!([["0-0:0"], ["1-0:0", "1-1:1"], ["2-0:0", "2-1:1", "2-2:2"]]);
    assert_eq!(given(&events), json!({"rows": rows}));
    let deep: Vec<_> =
        of_type(&events, "node.started").into_iter().filter(|event| event["node_id"] == "tick").collect();
    assert_eq!(deep.len(), 4);
    assert!(deep.iter().any(|event| event["exec_id"] == "rows:2/cols:2/turns:1/tick"
        && event["scope"] == json!([["rows", 2], ["cols", 2], ["turns", 1]])));
}

#[tokio::test]
async fn child_runs_are_limited_in_depth() {
    let server = server().await;
    let editor = server.editor();
    let double =
        vec![plain("start", "start", json!({})), plain("done", "end", json!({"twice": "{{ start.n * 2 }}"}))];
    let double = graph(json!({"n": {"type": "integer", "required": true}}), double, &["start done"]);
    let double = workflow(&editor, double).await;
    let call = |config: Value| node("sub", "workflow", json!({"n": 21}), json!({"config": config}));
    let nodes =
        vec![call(json!({"assistant_id": double})), plain("done", "end", json!({"is": "{{ sub.twice }}"}))];
    assert_eq!(given(&run(&editor, nodes, &["start sub", "sub done"]).await), json!({"is": 42}));
    let nodes = vec![
        call(json!({"assistant_id": double, "detach": true})),
        plain("done", "end", json!({"stream": "{{ sub.stream_id }}", "home": "{{ sub.conversation_id }}"})),
    ];
    let ids = given(&run(&editor, nodes, &["start sub", "sub done"]).await);
    let alone = Run::of(&double, &json!({"conversation_id": ids["home"], "stream_id": ids["stream"]}));
    assert_eq!(given(&alone.events(&editor).await), json!({"twice": 42}));
    // Inputs that do not fit the graph of the child are refused.
    let nodes = |config: Value| {
        vec![
            node("sub", "workflow", json!({"n": "many"}), json!({"config": config})),
            plain("done", "end", json!({})),
        ]
    };
    let end =
        terminal(&run(&editor, nodes(json!({"assistant_id": double})), &["start sub", "sub done"]).await);
    assert_eq!(end["error"]["code"], "child_refused", "{end}");
    // A failed child is not reused: a retry starts another one.
    let failing = vec![plain("start", "start", json!({})), plain("no", "fail", json!({"message": "no"}))];
    let failing = workflow(&editor, graph(json!({}), failing, &["start no"])).await;
    let retry = json!({"max": 2, "base_ms": 1, "on": ["child_failed"]});
    let more = json!({"config": {"assistant_id": failing}, "policy": {"retry": retry}});
    let nodes = vec![node("sub", "workflow", json!({}), more), plain("done", "end", json!({}))];
    let events = run(&editor, nodes, &["start sub", "sub done"]).await;
    assert_eq!(terminal(&events)["error"]["code"], "child_failed");
    let started: std::collections::HashSet<_> =
        of_type(&events, "node.waiting").iter().map(|event| text(&event["data"]["run_id"])).collect();
    assert_eq!(started.len(), 3);
    // A workflow that starts itself ends at the maximum depth.
    let own = workflow(&editor, graph(json!({}), vec![plain("start", "start", json!({}))], &[])).await;
    let nodes = vec![
        plain("start", "start", json!({})),
        node("sub", "workflow", json!({}), json!({"config": {"assistant_id": own}})),
        plain("done", "end", json!({})),
    ];
    let path = format!("/api/assistants/{own}");
    editor.patch(&path, json!({"workflow": graph(json!({}), nodes, &["start sub", "sub done"])})).await.ok();
    let end = terminal(&Run::start(&editor, &own, json!({})).await.events(&editor).await);
    assert_eq!((&end["status"], &end["error"]["code"]), (&json!("failed"), &json!("child_failed")));
    assert!(text(&end["error"]["message"]).contains("deep"), "{end}");
}

#[tokio::test]
async fn run_is_limited_in_steps_and_working_time() {
    let (server, web) = (server().await, CountingServer::start().await);
    let editor = server.editor();
    let nodes = vec![
        node("again", "loop", json!({}), json!({"config": {"max": 1000}})),
        node("t", "template", json!({"text": "x"}), json!({"parent": "again"})),
        plain("done", "end", json!({})),
    ];
    let events = run_within(&editor, nodes, &["start again", "again done"], json!({"max_steps": 50})).await;
    assert_eq!(terminal(&events)["error"]["code"], "max_steps");
    assert_eq!(of_type(&events, "node.started").len(), 50);

    web.always("/hang", Reply::hang());
    let nodes = vec![plain("n", "http", json!({"url": web.url("/hang")})), plain("done", "end", json!({}))];
    let events = run_within(&editor, nodes, &["start n", "n done"], json!({"run_timeout_ms": 400})).await;
    assert_eq!(
        (&terminal(&events)["status"], &terminal(&events)["reason"]),
        (&json!("timed_out"), &json!("run_timeout"))
    );
    web.idle().await;

    // The time that a person takes does not count.
    let nodes = vec![
        node("ask", "human", json!({"title": "Well?"}), json!({"config": {"actions": [{"name": "ok"}]}})),
        plain("n", "http", json!({"url": web.url("/fine")})),
        plain("done", "end", json!({})),
    ];
    let mut asking = graph(
        json!({}),
        [vec![plain("start", "start", json!({}))], nodes].concat(),
        &["start ask", "ask.ok n", "n done"],
    );
    asking["limits"] = json!({"run_timeout_ms": 1_500});
    let assistant = workflow(&editor, asking).await;
    let asked = Run::start(&editor, &assistant, json!({})).await;
    let form = asked.form(&editor).await;
    asked.until_state(&editor, "waiting").await;
    tokio::time::sleep(Duration::from_millis(1_800)).await;
    Client::send(asked.answering(&editor, &form, "ok", json!({}))).await.ok();
    let events = asked.events(&editor).await;
    given(&events);
    assert!(nodes_of(&events, "node.finished").contains(&"n".to_owned()));
    assert_eq!(in_node(&events, "node.finished", "ask")["outputs"]["action"], "ok");
}
