//! Containers (`each` and `loop`): how iterations begin, end and fail, and how they produce the outputs of the container.

use std::sync::Arc;

use runs::EventData;
use runs::event::flow::{IterationFinished, IterationStarted};
use serde_json::{Value, json};

use super::node_end::NodeEnd;
use super::state::{Iterations, Key, RegionId, State, TOP};
use super::value_store::size;
use crate::graph::{EachConfig, LoopConfig, NodeKind};
use crate::nodes::{self, NodeError, NodeResult};

/// Maximum size of the results of one list, in bytes of JSON.
const MAX_RESULTS: u64 = 64 << 20;

/// Executes the iterations of containers.
pub struct Containers<'e> {
    pub end: NodeEnd<'e>,
}

impl Containers<'_> {
    /// Ends iterations in which nothing can continue, begins the next iterations, and ends containers. Repeats this until nothing
    /// changes or the end of the run is decided.
    pub async fn advance(mut self) {
        while !self.end.recorder.state.drained.is_empty() || self.end.scheduler.has_changed_containers() {
            for region in std::mem::take(&mut self.end.recorder.state.drained) {
                self.end_iteration(region).await;
            }
            for key in self.end.scheduler.take_containers() {
                self.advance_one(key).await;
            }
            if self.end.outcome.is_some() {
                return;
            }
        }
    }

    async fn end_iteration(&mut self, id: RegionId) {
        let Some((of, index)) = finished_iteration(self.state(), id) else { return };
        match self.result_of(id, of).await {
            Ok(result) => {
                let done = IterationFinished { index, result, error: None };
                self.end.recorder.record_at(of, EventData::IterationFinished(done));
                self.end.scheduler.container_changed(of);
            }
            Err(why) => self.end.fail_iteration(of, index, why.into()),
        }
    }

    /// Returns the result of an iteration in the form stored in the journal: the value of the container's template, or the
    /// outputs of the last execution.
    async fn result_of(&mut self, id: RegionId, of: Key) -> Result<Value, NodeError> {
        let (state, values) = (&self.end.recorder.state, &mut *self.end.values);
        let template = match &state.plan.node(of.1).kind {
            NodeKind::Each(EachConfig { result, .. }) | NodeKind::Loop(LoopConfig { result, .. }) => {
                result.as_ref()
            }
            _ => None,
        };
        let result = match template {
            Some(template) => values.evaluate(state, id, template).await?,
            None => {
                let region = state.region(id);
                let last = region.and_then(|region| region.execs.get(&region.last?)?.outputs.clone());
                match last.as_deref() {
                    Some(Value::Object(stored)) => Value::Object(values.store.load_all(stored).await?),
                    _ => Value::Null,
                }
            }
        };
        values.store.store_one(result).await
    }

    /// Begins as many iterations as are allowed, or ends the container.
    async fn advance_one(&mut self, key: Key) {
        let plan = self.state().plan.clone();
        if !self.state().is_active(key) {
            return;
        }
        match &plan.node(key.1).kind {
            NodeKind::Each(config) => self.advance_each(key, config).await,
            NodeKind::Loop(config) => self.advance_loop(key, config).await,
            _ => {}
        }
    }

    async fn advance_each(&mut self, key: Key, config: &EachConfig) {
        let count = match self.count_items(key).await {
            Ok(count) => count,
            Err(why) => return self.end.fail(key, why.into()),
        };
        while let Some(iterations) = self.iterations(key) {
            let more = iterations.next < count && !iterations.breaking;
            if !more || iterations.open >= config.concurrency.max(1) as u64 {
                break;
            }
            let index = iterations.next;
            self.begin_iteration(key, index);
        }
        let Some(iterations) = self.iterations(key) else { return };
        let all_begun = iterations.next >= count || iterations.breaking;
        if !all_begun || iterations.open > 0 {
            return;
        }
        let (results, failed) = (iterations.results.clone(), iterations.failed);
        if results.values().flatten().map(size).sum::<u64>() > MAX_RESULTS {
            let why = format!("the results are larger than {} MiB", MAX_RESULTS >> 20);
            return self.end.fail(key, NodeError::new("too_large", why).into());
        }
        let mut items = Vec::with_capacity(results.len());
        for result in results.into_values().flatten() {
            match self.end.values.store.load(&result).await {
                Ok(value) => items.push(Arc::unwrap_or_clone(value)),
                Err(why) => return self.end.fail(key, why.into()),
            }
        }
        let count = items.len();
        self.succeed(key, json!({"items": items, "count": count, "failed": failed})).await;
    }

    async fn advance_loop(&mut self, key: Key, config: &LoopConfig) {
        let Some(iterations) = self.iterations(key).filter(|iterations| iterations.open == 0) else { return };
        let (next, breaking, last) = (iterations.next, iterations.breaking, iterations.last.clone());
        let again = match breaking {
            true => Ok(false),
            false => self.condition_holds(key, config, next).await,
        };
        match again {
            Err(why) => self.end.fail(key, why.into()),
            Ok(true) if next >= config.max => {
                let why = format!("the loop would exceed {} iterations", config.max);
                self.end.fail(key, NodeError::new("loop_max", why).into());
            }
            Ok(true) => self.begin_iteration(key, next),
            Ok(false) => match self.end.values.store.load(&last).await {
                Ok(last) => self.succeed(key, json!({"count": next, "result": *last})).await,
                Err(why) => self.end.fail(key, why.into()),
            },
        }
    }

    /// Whether the loop's condition is true. The condition is evaluated in the scope of the iteration that would begin.
    async fn condition_holds(&mut self, key: Key, config: &LoopConfig, next: u64) -> Result<bool, NodeError> {
        let Some(condition) = &config.condition else { return Ok(next < config.max) };
        let probe = self.end.recorder.state.open_probe(key, next);
        let value = self.end.values.evaluate(&self.end.recorder.state, probe, condition).await;
        self.end.recorder.state.close_probe(probe);
        value.map(|value| nodes::is_true(&value))
    }

    fn begin_iteration(&mut self, key: Key, index: u64) {
        self.end.recorder.record_at(key, EventData::IterationStarted(IterationStarted { index }));
    }

    /// Returns the number of items of an `each`. Loads the items on first use.
    async fn count_items(&mut self, key: Key) -> Result<u64, NodeError> {
        let Some(exec) = self.state().exec(key) else { return Ok(0) };
        if let Some(count) = exec.iterations.as_ref().and_then(|iterations| iterations.count) {
            return Ok(count);
        }
        let stored = exec.inputs.get("items").cloned().unwrap_or_default();
        let items = self.end.values.store.load(&stored).await?;
        let count = match &*items {
            Value::Array(items) => items.len() as u64,
            Value::Null => 0,
            _ => return Err(NodeError::new("type_mismatch", "`items` is not a list")),
        };
        self.end.recorder.state.remember_items(key, items, count);
        Ok(count)
    }

    async fn succeed(&mut self, key: Key, outputs: Value) {
        let Value::Object(outputs) = outputs else { return };
        self.end.complete(key, NodeResult::with(outputs), Vec::new()).await;
    }

    fn iterations(&self, key: Key) -> Option<&Iterations> {
        self.state().exec(key)?.iterations.as_deref()
    }

    fn state(&self) -> &State {
        &self.end.recorder.state
    }
}

/// Returns the container and index of a running iteration in which nothing can continue.
fn finished_iteration(state: &State, id: RegionId) -> Option<(Key, u64)> {
    let region = state.region(id).filter(|region| id != TOP && region.open == 0)?;
    region.of.filter(|(of, index)| state.iteration(*of, *index) == Some(id))
}
