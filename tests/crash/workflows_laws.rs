//! Invariants of the journal of a workflow run, and of the requests that it sent, regardless of what crashed in the
//! middle of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::ledger::Run;
use super::workflows_graphs::{effect, is_once};
use super::workflows_ward::Ward;

/// All violations in all runs.
pub fn faults(ward: &Ward) -> Vec<String> {
    let mut faults = Vec::new();
    let mut done = HashSet::new();
    for run in ward.ledger.runs() {
        let events: Vec<Value> =
            run.events.values().map(|data| serde_json::from_str(data).unwrap_or_default()).collect();
        let plot = ward.plot(&run.id);
        let mut fault = |what: String| faults.push(format!("{} ({}): {what}", run.id, plot.assistant));
        each_node_once(&events, &mut fault);
        same_end(ward, &run, &events, &mut fault);
        for event in events.iter().filter(|event| event["type"] == "node.finished") {
            if event["data"]["status"] == "succeeded" {
                done.insert(format!("{}:{}", run.id, event["exec_id"].as_str().unwrap_or_default()));
            }
        }
        let node = |event: &Value| event["node_id"].as_str().unwrap_or_default().to_owned();
        let http = |id: &str| {
            let mut nodes = plot.graph["nodes"].as_array().into_iter().flatten();
            nodes.any(|node| node["id"] == id && node["type"] == "http")
        };
        for event in events.iter().filter(|event| event["type"] == "node.finished" && http(&node(event))) {
            let key = format!("{}:{}", run.id, event["exec_id"].as_str().unwrap_or_default());
            if ward.web.count_key(&key) == 0 {
                fault(format!("{key} has ended, but its request was never received"));
            }
        }
    }
    requests(ward, &done, &mut faults);
    faults
}

/// Checks that a node may start several times, but finishes once.
fn each_node_once(events: &[Value], fault: &mut dyn FnMut(String)) {
    let mut over: HashSet<&str> = HashSet::new();
    let mut attempts: HashMap<&str, u64> = HashMap::new();
    for event in events {
        let Some(exec) = event["exec_id"].as_str() else { continue };
        let kind = event["type"].as_str().unwrap_or_default();
        if over.contains(exec) {
            fault(format!("{exec} has ended, but is followed by {event}"));
        }
        match kind {
            "node.started" => {
                let attempt = event["data"]["attempt"].as_u64().unwrap_or(0);
                if attempts.insert(exec, attempt).unwrap_or(0) >= attempt {
                    fault(format!("an attempt twice: {event}"));
                }
            }
            "node.finished" | "node.skipped" => _ = over.insert(exec),
            _ => {}
        }
    }
    for exec in attempts.keys().filter(|exec| !over.contains(*exec)) {
        fault(format!("{exec} has started and never ended"));
    }
}

/// Checks that the run ended with the result that the same graph has when undisturbed.
fn same_end(ward: &Ward, run: &Run, events: &[Value], fault: &mut dyn FnMut(String)) {
    let status = run.terminal.as_ref().map(|terminal| terminal["status"].clone()).unwrap_or_default();
    if status != "succeeded" {
        return fault(format!("ended as {:?}", run.terminal));
    }
    let told = events.iter().filter(|event| event["type"] == "outputs").collect::<Vec<_>>();
    let [told] = told.as_slice() else { return fault(format!("outputs {} times: {told:?}", told.len())) };
    let Some(Some(_)) = ward.cases.lock().get(&run.id).copied() else { return };
    let plot = ward.plot(&run.id);
    if told["data"]["outputs"] != plot.outputs {
        fault(format!("gave {}, not {}: {:#}", told["data"]["outputs"], plot.outputs, plot.graph));
    }
    let text = answer(events);
    if text != plot.text {
        fault(format!("said {text:?}, not {:?}", plot.text));
    }
}

/// The parts of the text that the run wrote, with a blank line between them.
fn answer(events: &[Value]) -> String {
    let mut parts: Vec<(&str, String)> = Vec::new();
    for event in events.iter().filter(|event| event["type"] == "text.delta") {
        let (part, text) = (event["data"]["part"].as_str(), event["data"]["text"].as_str());
        let (part, text) = (part.unwrap_or_default(), text.unwrap_or_default());
        match parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, so_far)) => so_far.push_str(text),
            None => parts.push((part, text.to_owned())),
        }
    }
    parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n")
}

/// Checks that requests that may be sent only once were sent once, and that repeated requests were identical.
fn requests(ward: &Ward, done: &HashSet<String>, faults: &mut Vec<String>) {
    let mut by_key: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for seen in ward.web.seen() {
        let key = seen.key().unwrap_or("none").to_owned();
        by_key.entry(key).or_default().push((seen.path, seen.body));
    }
    for (key, requests) in by_key {
        let (run, exec) = key.split_once(':').unwrap_or_default();
        if !ward.cases.lock().contains_key(run) {
            // The undisturbed runs, and the runs that they started.
            continue;
        }
        let node = exec.rsplit('/').next().unwrap_or_default();
        let effect = effect(&ward.plot(run).graph, node);
        if is_once(effect) && requests.len() > 1 {
            faults.push(format!("{key} is {effect}, but was requested {} times", requests.len()));
        }
        if requests.iter().any(|request| *request != requests[0]) {
            faults.push(format!("{key} was requested in different ways: {requests:?}"));
        }
        if !done.contains(&key) {
            faults.push(format!("{key} was asked for and is not over"));
        }
    }
}
