//! Checks after the last crash: reads each run once more from its first event, and compares it with
//! its message and receipt.

use std::sync::Arc;

use serde_json::Value;

use super::client::Client;
use super::ledger::{Ledger, Recovery, Run};

/// Compares every run that ever started with the server's current state.
pub async fn assert_kept(client: &Client, ledger: &Arc<Ledger>, seed: u64) {
    let mut faults = Vec::new();
    for run in ledger.runs() {
        // The ledger compares the events while they are read, and contains the complete run.
        client.clone().follow(run.id.clone(), 0).await;
        let run = ledger.run(&run.id);
        let story = Story::of(&run, &mut faults);
        message(client, &run, &story, &mut faults).await;
        receipt(client, &run, &mut faults).await;
    }
    ledger.assert_sound(&format!("read once more, seed {seed}"));
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The text and the message id in a run's events.
#[derive(Default)]
struct Story {
    text: String,
    message_id: String,
}

impl Story {
    fn of(run: &Run, faults: &mut Vec<String>) -> Story {
        let mut story = Story::default();
        let (mut epoch, mut expected, mut cancelling, mut resumed) = (0, 1, false, false);
        let mut fault = |what: String| faults.push(format!("{} ({}): {what}", run.id, run.recovery.name()));
        for (&seq, data) in &run.events {
            let event: Value = serde_json::from_str(data).unwrap_or_default();
            let (kind, data) = (event["type"].as_str().unwrap_or_default(), &event["data"]);
            if seq != expected || event["seq"] != seq || event["run_id"] != run.id.as_str() {
                fault(format!("event {expected} is {event}"));
            }
            expected = seq + 1;
            let now = event["epoch"].as_u64().unwrap_or(0);
            if now < epoch {
                fault(format!("epoch {now} after {epoch}: {event}"));
            }
            match kind {
                "run.started" => {
                    story.message_id = data["message_id"].as_str().unwrap_or_default().to_owned()
                }
                "text.delta" => story.text += data["text"].as_str().unwrap_or_default(),
                "run.recovered" => {
                    resumed = true;
                    if data["kept_chars"] != story.text.chars().count() || data["epoch"] != now {
                        fault(format!("{} characters were stored, but {event}", story.text.chars().count()));
                    }
                }
                "run.reset" => {
                    resumed = true;
                    story.text.clear();
                }
                "run.cancelling" => cancelling = true,
                _ => {}
            }
            epoch = now;
        }
        let terminal = run.terminal.clone().unwrap_or_default();
        let status = terminal["status"].as_str().unwrap_or_default();
        if terminal["last_seq"] != expected - 1 {
            fault(format!("the last event is {}, not as {terminal}", expected - 1));
        }
        if cancelling && status != "cancelled" {
            fault(format!("a cancel was shown, and then {terminal}"));
        }
        if resumed && run.recovery == Recovery::Keep {
            fault("it went on, which its policy forbids".to_owned());
        }
        if run.crashes == 0 && status == "interrupted" {
            fault(format!("interrupted without a crash: {terminal}"));
        }
        if !matches!(status, "succeeded" | "cancelled" | "interrupted") {
            fault(format!("ended as {terminal}"));
        }
        story
    }
}

/// Checks that the conversation contains the text that was shown, with the status that the run ended with.
async fn message(client: &Client, run: &Run, story: &Story, faults: &mut Vec<String>) {
    let answer = client.get(&format!("/api/conversations/{}", run.conversation)).send().await.unwrap();
    let conversation: Value = answer.json().await.unwrap();
    let messages = conversation["messages"].as_array().cloned().unwrap_or_default();
    let terminal = run.terminal.clone().unwrap_or_default();
    let status = match terminal["status"].as_str() {
        Some("succeeded") => "complete",
        Some("cancelled") => "stopped",
        Some(other) => other,
        None => "none",
    };
    // A run that ended before it was started has no message.
    if story.message_id.is_empty() && story.text.is_empty() {
        return;
    }
    let Some(message) = messages.iter().find(|message| message["id"] == story.message_id.as_str()) else {
        return faults.push(format!("{}: no message {:?} in {conversation}", run.id, story.message_id));
    };
    let parts = message["parts"].as_array().cloned().unwrap_or_default();
    let kept: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    if kept != story.text || message["status"] != status {
        let shown = &story.text;
        faults.push(format!("{}: {shown:?} with {status} was shown, but {message} is stored", run.id));
    }
    let answers = messages.iter().filter(|message| message["role"] == "assistant").count();
    if answers != 1 {
        faults.push(format!("{}: {answers} answers to one question: {conversation}", run.id));
    }
}

/// Checks that no stream is active, and that a cancellation now returns the terminal record that was there before.
async fn receipt(client: &Client, run: &Run, faults: &mut Vec<String>) {
    let streams = format!("/api/conversations/{}/streams", run.conversation);
    let active = client.get(&format!("{streams}/active")).send().await.unwrap();
    if active.status() != 204 {
        faults.push(format!("{}: still active: {}", run.id, active.text().await.unwrap_or_default()));
    }
    let answer = client.delete(&format!("{streams}/{}", run.id)).send().await.unwrap();
    let (status, receipt) = (answer.status(), answer.json::<Value>().await.unwrap_or_default());
    if status != 200 || Some(&receipt["terminal"]) != run.terminal.as_ref() {
        faults.push(format!("{}: the receipt is {status} {receipt}, not {:?}", run.id, run.terminal));
    }
}
