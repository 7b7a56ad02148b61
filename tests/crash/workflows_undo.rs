//! Undoing under `kill -9`: a run that fails or is stopped undoes its effects in reverse order, even if the server
//! crashes in the process, and never undoes twice what may be undone only once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::client::Client;
use super::ledger::{Ledger, Run};
use super::server::Server;
use super::setting;
use super::workflows::{let_come_on, read_out, save, slow_down};
use super::workflows_graphs::{effect, is_once};
use super::workflows_ward::{Plot, Ward};
use crate::harness::counting_server::CountingServer;

/// Number of runs started between two crashes.
const LOAD: usize = 8;
/// Nodes that can be undone, with the nodes that undo them.
const UNDONE_BY: [(&str, &str); 3] = [("book", "unbook"), ("ship", "recall"), ("pay", "refund")];

/// Books, ships three items, pays, and fails if requested.
fn graph(web: &str, fails: bool) -> Value {
    let post = |id: &str, policy: Value| {
        json!({"id": id, "type": "http", "in": {"url": format!("{web}/{id}"), "body": {"of": id}},
            "config": {"method": "POST"}, "policy": policy})
    };
    let mut ship = post("ship", json!({"effect": "once", "compensate": "recall"}));
    let mut recall = post("recall", json!({"effect": "once"}));
    (ship["parent"], recall["parent"]) = (json!("rows"), json!("rows"));
    let last = match fails {
        true => json!({"id": "close", "type": "fail", "in": {"message": "as it was told to"}}),
        false => json!({"id": "close", "type": "end"}),
    };
    let path = ["start", "book", "rows", "pay", "look", "close"];
    let edges: Vec<_> = path.windows(2).map(|pair| json!({"from": pair[0], "to": pair[1]})).collect();
    json!({"schema": 1, "edges": edges, "nodes": [
        {"id": "start", "type": "start"},
        post("book", json!({"effect": "once", "compensate": "unbook"})),
        {"id": "rows", "type": "each", "in": {"items": [0, 1, 2]}, "config": {"concurrency": 2}},
        ship,
        recall,
        post("pay", json!({"effect": "irreversible", "compensate": "refund"})),
        post("look", json!({"effect": "idempotent"})),
        post("unbook", json!({"effect": "idempotent"})),
        post("refund", json!({"effect": "idempotent"})),
        last,
    ]})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workflow_effects_are_undone_despite_crashes() {
    let crashes = setting("UNDERSTUDY_WORKFLOW_CRASHES", 10);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let (ledger, web) = (Arc::new(Ledger::default()), CountingServer::start().await);
    let mut server = Server::install().await;
    let client = Client::new(&server, ledger.clone()).await;
    let mut plots = Vec::new();
    for fails in [true, false] {
        let graph = graph(&web.url(&format!("/{fails}")), fails);
        slow_down(&mut dice, &web, &graph);
        let assistant = save(&client, &graph).await;
        plots.push(Plot { assistant, graph, outputs: Value::Null, text: String::new() });
    }
    let no_inner =
        Plot { assistant: String::new(), graph: Value::Null, outputs: Value::Null, text: String::new() };
    let ward = Ward::new(client.clone(), ledger.clone(), web, plots, no_inner);

    for crash in 0..crashes {
        let mut readers = JoinSet::new();
        for id in ledger.unfinished() {
            let run = ledger.run(&id);
            if dice.random_ratio(1, 6) {
                let (client, wait) = (client.clone(), dice.random_range(0..600));
                readers.spawn(async move {
                    sleep(Duration::from_millis(wait)).await;
                    client.cancel(&run.conversation, &run.id).await;
                });
            }
            readers.spawn(client.clone().follow(id, 0));
        }
        for _ in 0..LOAD {
            let (plot, key) = (dice.random_range(0..2), Uuid::from_u128(dice.random()));
            readers.spawn(ward.clone().begin(plot, key));
        }
        let nurse = tokio::spawn(ward.clone().look_after());
        let (cut_off, long) = (ledger.unfinished(), crash % 3 == 2);
        let patience = if long { 1_500..2_500 } else { 100..900 };
        sleep(Duration::from_millis(dice.random_range(patience))).await;
        if long {
            let_come_on(&ledger, &cut_off).await;
        }
        server.kill();
        while readers.join_next().await.is_some() {}
        nurse.abort();
        ledger.assert_sound(&format!("crash {crash}, seed {seed}"));
        ledger.crashed();
        server.spawn();
        server.ready().await;
        client.moved(&server);
        ward.repeat_unanswered().await;
    }

    let nurse = tokio::spawn(ward.clone().look_after());
    let ended = timeout(Duration::from_secs(180), read_out(&ward)).await;
    nurse.abort();
    ledger.assert_sound(&format!("after the last crash, seed {seed}"));
    assert!(ended.is_ok(), "seed {seed}: runs that do not end: {:#?}", ledger.unfinished());
    let mut faults = Vec::new();
    let mut undone = 0;
    for run in ledger.runs() {
        client.clone().follow(run.id.clone(), 0).await;
        undone += judge(&ward, &ledger.run(&run.id), &mut |what| faults.push(format!("{}: {what}", run.id)));
    }
    ledger.assert_sound(&format!("read once more, seed {seed}"));
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
    println!("{}; {undone} undone", ledger.summary());
    assert!(crashes < 8 || undone > 0, "nothing was undone; seed {seed}");
}

/// Compares a run with the requests that the receiving server has seen. Returns the number of undone effects.
fn judge(ward: &Ward, run: &Run, fault: &mut dyn FnMut(String)) -> usize {
    let events: Vec<Value> =
        run.events.values().map(|data| serde_json::from_str(data).unwrap_or_default()).collect();
    let plot = ward.plot(&run.id);
    let fails = plot.assistant == ward.plots[0].assistant;
    let status = run.terminal.as_ref().and_then(|terminal| terminal["status"].as_str()).unwrap_or_default();
    let stopped = events.iter().any(|event| event["type"] == "run.cancelling");
    let expected = if stopped {
        "cancelled"
    } else if fails {
        "failed"
    } else {
        "succeeded"
    };
    if status != expected {
        fault(format!("ended as {:?} and not as {expected}", run.terminal));
    }
    // The nodes that finished, in this order.
    let mut done: Vec<(String, String)> = Vec::new();
    let mut over: HashMap<String, Value> = HashMap::new();
    for event in events.iter().filter(|event| event["type"] == "node.finished") {
        let (exec, node) = (text(&event["exec_id"]), text(&event["node_id"]));
        if over.insert(exec.clone(), event["data"].clone()).is_some() {
            fault(format!("{exec} has ended twice"));
        }
        let can_be_undone = !exec.ends_with("~undo") && UNDONE_BY.iter().any(|(undone, _)| *undone == node);
        if can_be_undone && event["data"]["status"] == "succeeded" {
            done.push((exec, node));
        }
    }
    let begun =
        events.iter().filter(|event| event["type"] == "node.started").map(|event| text(&event["exec_id"]));
    for exec in begun.filter(|exec| !over.contains_key(exec)) {
        fault(format!("{exec} has started and never ended"));
    }
    let seen = ward.web.seen();
    let first = |exec: &str| {
        let key = format!("{}:{exec}", run.id);
        seen.iter().position(|request| request.key() == Some(&key))
    };
    for request in seen.iter().filter(|request| request.key().is_some_and(|key| key.starts_with(&run.id))) {
        let exec = request.key().and_then(|key| key.split_once(':')).map_or("", |(_, exec)| exec);
        let undone = exec.strip_suffix("~undo");
        let node = exec.trim_end_matches("~undo").rsplit('/').next().unwrap_or_default();
        let by = UNDONE_BY.iter().find(|(of, _)| *of == node).map_or(node, |(_, by)| by);
        let acts = if undone.is_some() { by } else { node };
        let count = ward.web.count_key(&format!("{}:{exec}", run.id));
        if is_once(effect(&plot.graph, acts)) && count > 1 {
            fault(format!("{exec} was requested {count} times"));
        }
        if undone.is_some_and(|undone| status == "succeeded" || !done.iter().any(|(exec, _)| exec == undone))
        {
            fault(format!("{exec} was requested, but there was nothing to undo"));
        }
    }
    if status == "succeeded" {
        return 0;
    }
    let mut last = None;
    for (exec, _) in done.iter().rev() {
        let undo = format!("{exec}~undo");
        let Some(end) = over.get(&undo) else {
            fault(format!("{exec} was not undone"));
            continue;
        };
        let at = first(&undo);
        if end["status"] == "succeeded" && at.is_none() {
            fault(format!("{undo} was never asked for"));
        }
        if end["status"] != "succeeded" && end["error"]["code"] != "uncertain_effect" {
            fault(format!("{undo} ended as {end}"));
        }
        if at.is_some() && at < last {
            fault(format!("{undo} was requested before later effects were undone"));
        }
        last = at.or(last);
    }
    done.len()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
