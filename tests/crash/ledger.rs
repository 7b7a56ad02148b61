//! Everything that the server has shown to any client, by run. The server may not take any of it back.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;
use tokio::sync::Notify;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recovery {
    Keep,
    Continue,
    Retry,
}

impl Recovery {
    pub const ALL: [Recovery; 3] = [Recovery::Keep, Recovery::Continue, Recovery::Retry];

    pub fn name(self) -> &'static str {
        match self {
            Recovery::Keep => "keep",
            Recovery::Continue => "continue",
            Recovery::Retry => "retry",
        }
    }
}

/// One run as its readers saw it.
#[derive(Clone, Debug)]
pub struct Run {
    pub id: String,
    pub conversation: String,
    pub recovery: Recovery,
    /// The bytes of each event by sequence number, as received in `data:`.
    pub events: BTreeMap<u64, String>,
    /// The terminal record, from the first place that showed it.
    pub terminal: Option<Value>,
    /// The last event that has been shown since the last start to a reader that began at the first event.
    shown_again: u64,
    /// The last event that had been shown when the server was killed.
    at_crash: u64,
    /// Number of crashes during the run.
    pub crashes: u32,
}

#[derive(Default)]
struct Pages {
    runs: HashMap<String, Run>,
    faults: Vec<String>,
}

#[derive(Default)]
pub struct Ledger {
    pages: Mutex<Pages>,
    bell: Notify,
}

impl Ledger {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap()
    }

    pub fn fault(&self, what: String) {
        self.pages().faults.push(what);
    }

    /// Opens the record of a run. `crashes` is the number of crashes that may have occurred before its
    /// first response.
    pub fn open(&self, id: &str, conversation: &str, recovery: Recovery, crashes: u32) {
        let (events, terminal) = (BTreeMap::new(), None);
        let (id, conversation) = (id.to_owned(), conversation.to_owned());
        let run = Run { id, conversation, recovery, events, terminal, shown_again: 0, at_crash: 0, crashes };
        self.pages().runs.entry(run.id.clone()).or_insert(run);
    }

    /// Records an event that a reader received after the event `before`.
    pub fn enter(&self, id: &str, before: u64, seq: u64, data: &str) {
        let mut pages = self.pages();
        let Pages { runs, faults } = &mut *pages;
        let Some(run) = runs.get_mut(id) else {
            return faults.push(format!("{id}: an event of an unknown run"));
        };
        if seq != before + 1 {
            // All readers are fast here, so no events may have been folded.
            faults.push(format!("{id}: event {seq} came after {before}"));
        }
        match run.events.get(&seq) {
            Some(known) if known != data => {
                faults.push(format!("{id}: event {seq} was\n  {known}\nand is now\n  {data}"))
            }
            Some(_) => {}
            None if run.is_read_out() && run.last_seq() < seq => {
                faults.push(format!("{id}: event {seq} after the end: {data}"));
            }
            None => _ = run.events.insert(seq, data.to_owned()),
        }
        if run.shown_again + 1 == seq {
            run.shown_again = seq;
            if seq >= run.at_crash {
                self.bell.notify_waiters();
            }
        }
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        if event["type"] == "run.ended" {
            end(run, faults, &event["data"]["terminal"]);
        }
    }

    /// Records a terminal record that the receipt of a cancellation showed.
    pub fn ended(&self, id: &str, terminal: &Value) {
        let mut pages = self.pages();
        let Pages { runs, faults } = &mut *pages;
        if let Some(run) = runs.get_mut(id) {
            end(run, faults, terminal);
        }
    }

    /// Runs whose end no reader has seen.
    pub fn unfinished(&self) -> Vec<String> {
        self.pages().runs.values().filter(|run| !run.is_read_out()).map(|run| run.id.clone()).collect()
    }

    pub fn run(&self, id: &str) -> Run {
        self.pages().runs[id].clone()
    }

    pub fn runs(&self) -> Vec<Run> {
        self.pages().runs.values().cloned().collect()
    }

    /// Records that the server was killed. Everything that was shown so far must be shown again.
    pub fn crashed(&self) {
        for run in self.pages().runs.values_mut().filter(|run| !run.is_read_out()) {
            run.at_crash = run.last_seq();
            run.shown_again = 0;
            run.crashes += 1;
        }
    }

    /// Runs that have not yet been shown again up to where they were at the crash.
    pub fn behind(&self) -> Vec<Run> {
        self.pages().runs.values().filter(|run| run.shown_again < run.at_crash).cloned().collect()
    }

    pub async fn caught_up(&self) {
        loop {
            let rung = self.bell.notified();
            tokio::pin!(rung);
            rung.as_mut().enable();
            if self.behind().is_empty() {
                return;
            }
            rung.await;
        }
    }

    /// Whether each of these runs has shown an event of this type since the last start, or its end.
    pub fn have_come_on(&self, runs: &[String], kind: &str) -> bool {
        let (pages, mark) = (self.pages(), format!("\"{kind}\""));
        let comes_on = |run: &Run| {
            run.is_read_out() || run.events.range(run.at_crash + 1..).any(|(_, data)| data.contains(&mark))
        };
        runs.iter().filter_map(|id| pages.runs.get(id)).all(comes_on)
    }

    /// Number of runs with this recovery policy that were interrupted by a crash and recovered.
    pub fn recovered(&self, recovery: Recovery) -> usize {
        self.pages().runs.values().filter(|run| run.recovery == recovery && run.crashes > 0).count()
    }

    pub fn assert_sound(&self, when: &str) {
        let pages = self.pages();
        assert!(
            pages.faults.is_empty(),
            "{when}: {} faults:\n{}",
            pages.faults.len(),
            pages.faults.join("\n")
        );
    }

    pub fn summary(&self) -> String {
        let pages = self.pages();
        let events: usize = pages.runs.values().map(|run| run.events.len()).sum();
        let mut ends: BTreeMap<String, usize> = BTreeMap::new();
        for run in pages.runs.values() {
            let status =
                run.terminal.as_ref().map_or("none", |terminal| terminal["status"].as_str().unwrap_or("?"));
            *ends.entry(format!("{} {status}", run.recovery.name())).or_default() += 1;
        }
        format!("{} runs, {events} events shown and kept: {ends:?}", pages.runs.len())
    }
}

impl Run {
    fn last_seq(&self) -> u64 {
        self.events.keys().next_back().copied().unwrap_or(0)
    }

    /// Whether all events are known, from the first to the end.
    fn is_read_out(&self) -> bool {
        self.terminal.is_some()
            && self.events.values().next_back().is_some_and(|data| data.contains("\"run.ended\""))
    }
}

fn end(run: &mut Run, faults: &mut Vec<String>, terminal: &Value) {
    match &run.terminal {
        Some(known) if known != terminal => {
            faults.push(format!("{}: the terminal record was\n  {known}\nand is now\n  {terminal}", run.id));
        }
        Some(_) => {}
        None if terminal.is_object() => run.terminal = Some(terminal.clone()),
        None => faults.push(format!("{}: an end without a terminal record: {terminal}", run.id)),
    }
}
