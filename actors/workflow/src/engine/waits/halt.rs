//! Halts: breakpoints, steps, and nodes for which it is unknown whether they took effect.

use std::collections::HashMap;

use runs::TerminalError;
use runs::event::flow::RunPaused;

use crate::engine::state::{Key, State};

/// Actions for an ordinary halt.
const CONTINUE: &[&str] = &["continue"];
/// Actions for a halt at a node for which it is unknown whether it took effect.
const DECISIONS: &[&str] = &["continue", "retry", "skip", "fail"];

/// The reason why no more executions begin.
#[derive(Clone, Debug)]
pub struct Halt {
    pub why: RunPaused,
    /// The next execution, which may begin when the run continues.
    key: Option<Key>,
}

impl Halt {
    fn new(reason: &str, node: String, key: Option<Key>) -> Self {
        let actions = match actions(reason) {
            DECISIONS => DECISIONS.iter().map(|action| (*action).to_owned()).collect(),
            // No actions: the halt ends with the next `play` request of the debug session.
            _ => Vec::new(),
        };
        Self { why: RunPaused { reason: reason.into(), node: Some(node), actions }, key }
    }

    /// Whether a user must decide how to handle a node.
    pub fn needs_decision(&self) -> bool {
        actions(&self.why.reason) == DECISIONS
    }

    /// The actions that end the halt.
    pub fn actions(&self) -> &'static [&'static str] {
        actions(&self.why.reason)
    }
}

fn actions(reason: &str) -> &'static [&'static str] {
    match reason {
        "uncertain_effect" | "crash_loop" => DECISIONS,
        _ => CONTINUE,
    }
}

/// The error of a node that fails because it is unknown whether it took effect.
pub fn uncertain_error(reason: &str) -> TerminalError {
    let message = match reason {
        "crash_loop" => "the process repeatedly went down while this node was running",
        _ => "the process went down while this node was running, and it is unknown whether it took effect",
    };
    TerminalError::new(reason, message)
}

/// The current halt, and the nodes that need a decision.
#[derive(Default)]
pub struct Halts {
    current: Option<Halt>,
    /// Executions for which a crash left it unknown whether they took effect, with the reason for the halt.
    uncertain: HashMap<Key, String>,
}

impl Halts {
    pub fn current(&self) -> Option<&Halt> {
        self.current.as_ref()
    }

    pub fn is_halted(&self) -> bool {
        self.current.is_some()
    }

    pub fn has_uncertain(&self) -> bool {
        !self.uncertain.is_empty()
    }

    /// Restores the halt of an earlier epoch. Uncertain nodes are determined again, because a decision may have been made before
    /// the crash without being recorded as a resumption.
    pub fn restore(&mut self, paused: Option<RunPaused>) {
        let halt = paused.map(|why| Halt { why, key: None });
        self.current = halt.filter(|halt| !halt.needs_decision());
    }

    pub fn clear(&mut self) {
        self.current = None;
    }

    /// Halts before an execution, unless the run is already halted.
    pub fn halt_before(&mut self, state: &State, key: Key, reason: &str) {
        let node = state.name(key).exec_id.to_string();
        self.current.get_or_insert_with(|| Halt::new(reason, node, Some(key)));
    }

    /// Halts after an execution, unless the run is already halted.
    pub fn halt_after(&mut self, state: &State, key: Key, reason: &str) {
        let node = state.name(key).exec_id.to_string();
        self.current.get_or_insert_with(|| Halt::new(reason, node, None));
    }

    /// Adds an execution for which a user must decide how to continue.
    pub fn add_uncertain(&mut self, state: &State, key: Key, reason: &str) {
        self.uncertain.insert(key, reason.into());
        self.halt_before(state, key, reason);
    }

    /// Removes an execution that is about to be decided, and returns the reason for its halt.
    pub fn take_uncertain(&mut self, key: Key) -> String {
        self.uncertain.remove(&key).unwrap_or_default()
    }

    /// Returns the executions that need a decision: all of them, or those with a name.
    pub fn uncertain_named(&self, state: &State, named: Option<&str>) -> Vec<Key> {
        self.uncertain.keys().copied().filter(|key| state.is_named(*key, named)).collect()
    }

    /// Handles the end of an execution. A halt that needs a decision lasts as long as there is something to decide.
    pub fn execution_ended(&mut self, state: &State, key: Key) {
        self.uncertain.remove(&key);
        if self.uncertain.is_empty() {
            self.current.take_if(|halt| halt.needs_decision());
        } else if !self.current.as_ref().is_some_and(Halt::needs_decision) {
            self.current = None;
            self.halt_for_uncertain(state);
        }
    }

    /// Halts at the next execution that needs a decision, if there is one.
    pub fn halt_for_uncertain(&mut self, state: &State) {
        if let Some((key, reason)) = self.uncertain.iter().next().map(|(key, reason)| (*key, reason.clone()))
        {
            self.halt_before(state, key, &reason);
        }
    }

    /// Ends the halt. Returns the execution before which the run had halted, which may begin now.
    pub fn release(&mut self, state: &State) -> Option<Key> {
        let halt = self.current.take()?;
        let named = |key: &Key| halt.why.node.as_deref() == Some(&*state.name(*key).exec_id);
        halt.key.or_else(|| state.ready.iter().copied().find(named))
    }
}
