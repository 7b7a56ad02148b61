//! `each` and `loop`: iterations begin, end, fail, and add up.

use std::sync::Arc;

use expr::Template;
use runs::event::flow::{IterationFinished, IterationStarted, NodeStatus};
use runs::{EventBody, EventData, TerminalError, WriteError};
use serde_json::{Value, json};

use super::Engine;
use super::end::OF_CHILDREN;
use super::exec::{Iterations, Phase};
use super::place::{Key, RegionId, TOP};
use super::values::{size, visible};
use crate::graph::{EachConfig, LoopConfig, NodeKind};
use crate::nodes::NodeError;

/// Bytes of JSON that the results of one list may come to.
const MOST: u64 = 64 << 20;

impl Engine {
    /// Ends iterations in which nothing can go on, begins the next ones, ends containers.
    pub(super) async fn tend_containers(&mut self) -> Result<(), WriteError> {
        while !self.state.drained.is_empty() || !self.touched.is_empty() {
            for region in std::mem::take(&mut self.state.drained) {
                self.end_iteration(region).await?;
            }
            for key in std::mem::take(&mut self.touched) {
                self.tend(key).await?;
            }
            if self.outcome.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn end_iteration(&mut self, id: RegionId) -> Result<(), WriteError> {
        let Some(region) = self.state.region(id).filter(|region| id != TOP && region.open == 0) else {
            return Ok(());
        };
        let Some((of, index)) = region.of.filter(|(of, index)| self.state.iteration(*of, *index) == Some(id))
        else {
            return Ok(());
        };
        let template = match &self.state.plan.clone().node(of.1).kind {
            NodeKind::Each(EachConfig { result, .. }) | NodeKind::Loop(LoopConfig { result, .. }) => {
                result.clone()
            }
            _ => None,
        };
        let last = region.last.and_then(|ix| region.execs.get(&ix)).and_then(|exec| exec.outputs.clone());
        let result = match template {
            Some(template) => match self.evaluate(id, &template).await {
                Ok(result) => result,
                Err(why) => return self.item_failed(of, index, why.into()),
            },
            None => match last.as_deref() {
                Some(Value::Object(kept)) => match self.vault.load_all(kept).await {
                    Ok(outputs) => Value::Object(outputs),
                    Err(why) => return self.item_failed(of, index, why.into()),
                },
                _ => Value::Null,
            },
        };
        let result = match self.vault.store_one(result).await {
            Ok(result) => result,
            Err(why) => return self.item_failed(of, index, why.into()),
        };
        let done = IterationFinished { index, result, error: None };
        self.record_at(of, EventData::IterationFinished(done))?;
        self.touched.insert(of);
        Ok(())
    }

    /// The value of a template, seen from a region.
    pub(super) async fn evaluate(&mut self, from: RegionId, template: &Template) -> Result<Value, NodeError> {
        let values =
            visible(&self.state, &mut self.vault, &self.around, from, std::iter::once(template)).await?;
        template.evaluate(&values).map_err(|why| NodeError::new("template", why.to_string()))
    }

    /// Begins as many iterations as may begin, or ends the container.
    async fn tend(&mut self, key: Key) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let active = self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Active);
        match &plan.node(key.1).kind {
            NodeKind::Each(config) if active => self.tend_each(key, config).await,
            NodeKind::Loop(config) if active => self.tend_loop(key, config).await,
            _ => Ok(()),
        }
    }

    async fn tend_each(&mut self, key: Key, config: &EachConfig) -> Result<(), WriteError> {
        let count = match self.count_items(key).await {
            Ok(count) => count,
            Err(why) => return self.fail_node(key, why.into()),
        };
        while let Some(iterations) = self.iterations(key) {
            let more = iterations.next < count && !iterations.breaking;
            if !more || iterations.open >= config.concurrency.max(1) as u64 {
                break;
            }
            let index = iterations.next;
            self.begin_iteration(key, index)?;
        }
        let Some(iterations) = self.iterations(key) else { return Ok(()) };
        let through = iterations.next >= count || iterations.breaking;
        if !through || iterations.open > 0 {
            return Ok(());
        }
        let (results, failed) = (iterations.results.clone(), iterations.failed);
        let mut items = Vec::with_capacity(results.len());
        if results.values().flatten().map(size).sum::<u64>() > MOST {
            let why = format!("the results come to more than {} MiB", MOST >> 20);
            return self.fail_node(key, NodeError::new("too_large", why).into());
        }
        for result in results.into_values().flatten() {
            match self.vault.load(&result).await {
                Ok(value) => items.push(Arc::unwrap_or_clone(value)),
                Err(why) => return self.fail_node(key, why.into()),
            }
        }
        let count = items.len();
        self.succeed(key, json!({"items": items, "count": count, "failed": failed})).await
    }

    async fn tend_loop(&mut self, key: Key, config: &LoopConfig) -> Result<(), WriteError> {
        let Some(iterations) = self.iterations(key) else { return Ok(()) };
        if iterations.open > 0 {
            return Ok(());
        }
        let (next, breaking, last) = (iterations.next, iterations.breaking, iterations.last.clone());
        let again = !breaking && self.may_go_round(key, config, next).await?;
        // The question itself may have failed.
        if !self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Active) {
            return Ok(());
        }
        match again {
            true if next >= config.max => {
                let why = format!("the loop would go round more than {} times", config.max);
                self.fail_node(key, NodeError::new("loop_max", why).into())
            }
            true => self.begin_iteration(key, next),
            false => match self.vault.load(&last).await {
                Ok(last) => self.succeed(key, json!({"count": next, "result": *last})).await,
                Err(why) => self.fail_node(key, why.into()),
            },
        }
    }

    /// Whether the loop's condition holds. It is asked from within the iteration that would begin.
    async fn may_go_round(&mut self, key: Key, config: &LoopConfig, next: u64) -> Result<bool, WriteError> {
        let Some(condition) = &config.condition else { return Ok(next < config.max) };
        // A look from inside: the region is gone before anything could begin in it.
        let inside = self.state.look_inside(key, next);
        let asked = self.evaluate(inside, condition).await;
        self.state.look_away(inside);
        match asked {
            Ok(value) => Ok(crate::nodes::is_true(&value)),
            Err(why) => {
                self.fail_node(key, why.into())?;
                Ok(false)
            }
        }
    }

    fn begin_iteration(&mut self, key: Key, index: u64) -> Result<(), WriteError> {
        self.record_at(key, EventData::IterationStarted(IterationStarted { index }))
    }

    fn iterations(&self, key: Key) -> Option<&Iterations> {
        self.state.exec(key)?.iterations.as_deref()
    }

    /// The items of an `each`, brought in when they are first asked for.
    async fn count_items(&mut self, key: Key) -> Result<u64, NodeError> {
        let Some(exec) = self.state.exec(key) else { return Ok(0) };
        if let Some(count) = exec.iterations.as_ref().and_then(|iterations| iterations.count) {
            return Ok(count);
        }
        let kept = exec.inputs.get("items").cloned().unwrap_or_default();
        let items = self.vault.load(&kept).await?;
        let count = match &*items {
            Value::Array(items) => items.len() as u64,
            Value::Null => 0,
            _ => return Err(NodeError::new("type_mismatch", "`items` is no list")),
        };
        if let Some(iterations) = self.state.exec_mut(key).and_then(|exec| exec.iterations.as_mut()) {
            (iterations.items, iterations.count) = (Some(items), Some(count));
        }
        Ok(count)
    }

    /// A container, or anything else that is no task, is over and gave this.
    pub(super) async fn succeed(&mut self, key: Key, outputs: Value) -> Result<(), WriteError> {
        let Value::Object(outputs) = outputs else { return Ok(()) };
        self.complete(key, crate::nodes::NodeResult::with(outputs), Vec::new()).await
    }

    /// What a failure of an execution leads to around it.
    pub(super) fn consequence(&mut self, key: Key, error: TerminalError) -> Result<(), WriteError> {
        let plan = self.state.plan.clone();
        let ends_all = matches!(plan.node(key.1).kind, NodeKind::Fail);
        match self.state.region(key.0).and_then(|region| region.of).filter(|_| !ends_all) {
            None => {
                self.fail(error);
                Ok(())
            }
            Some((of, index)) => self.item_failed(of, index, error),
        }
    }

    /// An iteration failed.
    fn item_failed(&mut self, of: Key, index: u64, error: TerminalError) -> Result<(), WriteError> {
        if let Some(region) = self.state.iteration(of, index) {
            self.stop_region(region)?;
        }
        let passes = self.state.plan.node(of.1).kind.passes_failed();
        let done = IterationFinished { index, result: Value::Null, error: Some(error.clone()) };
        self.record_at(of, EventData::IterationFinished(done))?;
        match passes {
            true => {
                self.touched.insert(of);
                Ok(())
            }
            false => self.fail_node(of, error),
        }
    }

    /// Stops everything in a region.
    pub(super) fn stop_region(&mut self, id: RegionId) -> Result<(), WriteError> {
        let Some(region) = self.state.region(id) else { return Ok(()) };
        let live = region.execs.iter().filter(|(_, exec)| matches!(exec.phase, Phase::Ready | Phase::Active));
        let live: Vec<_> = live.map(|(ix, _)| (id, *ix)).collect();
        for key in live {
            self.stop(key)?;
        }
        Ok(())
    }

    /// Tells the task of an execution to end. It is dropped if it does not do so soon.
    pub(super) fn stop_task(&mut self, key: Key) {
        let Some(handle) = self.handles.remove(&key) else { return };
        handle.cancel.cancel();
        // Stopping a run that was started takes longer than stopping work of our own.
        let grace = if handle.watches { OF_CHILDREN } else { self.work.cancel_grace() };
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            handle.abort.abort();
        });
    }

    /// Stops an execution with all that is in it.
    pub(super) fn stop(&mut self, key: Key) -> Result<(), WriteError> {
        for (region, of, _) in self.state.regions_within(key.0) {
            if of == key {
                self.stop_region(region)?;
            }
        }
        self.stop_task(key);
        let started = self.state.exec(key).is_some_and(|exec| exec.phase == Phase::Active);
        let finished = self.finished(key, NodeStatus::Cancelled);
        if started {
            return self.finish(key, Vec::new(), finished);
        }
        let at = self.state.name(key);
        let data = EventData::NodeFinished(Box::new(finished));
        self.record(vec![EventBody { node: Some(at), data }])
    }
}
