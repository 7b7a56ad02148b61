//! The values that a node's templates can refer to: the run, its inputs, its variables, and other nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use expr::{Reference, Template, Values};
use serde_json::{Map, Value, json};
use storage::Row;
use storage::records::Run;

use super::state::{Key, RegionId, State};
use super::value_store::{ValueStore, marked};
use crate::graph::{NodeIx, NodeKind};
use crate::nodes::{Fields, NodeError};

/// The values of a run that are not part of its state.
pub struct RunValues {
    pub store: ValueStore,
    /// The value of `run` in expressions: `{id, started_at, user_id}`.
    run: Arc<Value>,
    pub inputs: Arc<Value>,
    /// Outputs of nodes whose failure is ignored, in the form stored in the journal.
    pub defaults: HashMap<NodeIx, Fields>,
}

impl RunValues {
    /// Creates the values of a run from its complete inputs.
    pub fn new(store: ValueStore, run: &Row<Run>, inputs: Fields) -> Self {
        let run = json!({"id": run.id, "started_at": run.created_at, "user_id": run.user});
        let inputs = Arc::new(Value::Object(inputs));
        Self { store, run: Arc::new(run), inputs, defaults: HashMap::new() }
    }

    /// Evaluates a template in the scope of a region.
    pub async fn evaluate(
        &mut self,
        state: &State,
        from: RegionId,
        template: &Template,
    ) -> Result<Value, NodeError> {
        let values = self.visible(state, from, std::iter::once(template)).await?;
        template.evaluate(&values).map_err(|why| NodeError::new("template", why.to_string()))
    }

    /// Returns the values that the templates of a node in the region `from` can refer to.
    pub async fn visible<'t>(
        &mut self,
        state: &State,
        from: RegionId,
        templates: impl Iterator<Item = &'t Template>,
    ) -> Result<Values, NodeError> {
        let mut values = Values::new();
        for (root, fields) in references(templates) {
            let value = match root.as_str() {
                "run" => self.run.clone(),
                "inputs" => self.inputs.clone(),
                "vars" => Arc::new(Value::Object(self.store.load_all(&state.vars).await?)),
                _ => match state.plan.by_id.get(&root) {
                    Some(ix) => match self.node(state, from, *ix, fields.as_ref()).await? {
                        Some(value) => value,
                        None => continue,
                    },
                    None => continue,
                },
            };
            values.insert(root, value);
        }
        Ok(values)
    }

    /// Returns the value of a node: its outputs or, for a node inside the container, the item and index of the iteration.
    async fn node(
        &mut self,
        state: &State,
        from: RegionId,
        ix: NodeIx,
        fields: Option<&BTreeSet<String>>,
    ) -> Result<Option<Arc<Value>>, NodeError> {
        if matches!(state.plan.nodes[ix].kind, NodeKind::Start) {
            return Ok(Some(self.inputs.clone()));
        }
        if let Some((of, index)) = enclosing(state, from, ix) {
            return self.iteration(state, of, index).await.map(Some);
        }
        let Some(exec) = visible_execution(state, from, ix).and_then(|key| state.exec(key)) else {
            return Ok(None);
        };
        let Some(outputs) = &exec.outputs else { return Ok(None) };
        let Value::Object(stored) = &**outputs else { return Ok(Some(outputs.clone())) };
        let wanted = |name: &str| fields.is_none_or(|fields| fields.contains(name));
        if !stored.iter().any(|(name, value)| wanted(name) && marked(value).is_some()) {
            return Ok(Some(outputs.clone()));
        }
        let wanted: Map<_, _> =
            stored.iter().filter(|(name, _)| wanted(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
        Ok(Some(Arc::new(Value::Object(self.store.load_all(&wanted).await?))))
    }

    /// Returns the value of a container as seen by the nodes inside it.
    async fn iteration(&mut self, state: &State, of: Key, index: u64) -> Result<Arc<Value>, NodeError> {
        let Some(exec) = state.exec(of) else { return Ok(Arc::new(Value::Null)) };
        let Some(iterations) = &exec.iterations else { return Ok(Arc::new(Value::Null)) };
        let items = match (&iterations.items, exec.inputs.get("items")) {
            (Some(items), _) => Some(items.clone()),
            // After a restart, this may be the first use of the items.
            (None, Some(stored)) => Some(self.store.load(stored).await?),
            (None, None) => None,
        };
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let item = items.as_ref().and_then(|items| items.get(at)).cloned();
        let last = (*self.store.load(&iterations.last).await?).clone();
        Ok(Arc::new(json!({"item": item, "index": index, "last": last})))
    }
}

/// Collects the references of templates: the first names, each with the second names (`None` for the whole value).
fn references<'t>(
    templates: impl Iterator<Item = &'t Template>,
) -> BTreeMap<String, Option<BTreeSet<String>>> {
    let mut references: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
    let all: Vec<&Reference> = templates.flat_map(|template| template.references()).collect();
    for reference in all {
        let Some((root, rest)) = reference.split_first() else { continue };
        let entry = references.entry(root.clone()).or_insert_with(|| Some(BTreeSet::new()));
        match rest.first() {
            Some(field) => drop(entry.as_mut().map(|fields| fields.insert(field.clone()))),
            None => *entry = None,
        }
    }
    references
}

/// Returns the iteration of the container `ix` that contains a region.
fn enclosing(state: &State, from: RegionId, ix: NodeIx) -> Option<(Key, u64)> {
    let mut at = from;
    loop {
        let (of, index) = state.region(at)?.of?;
        if of.1 == ix {
            return Some((of, index));
        }
        at = of.0;
    }
}

/// Returns the execution of a node in the region itself, or in an enclosing region.
fn visible_execution(state: &State, from: RegionId, ix: NodeIx) -> Option<Key> {
    let parent = state.plan.nodes[ix].parent;
    let mut at = from;
    loop {
        let region = state.region(at)?;
        if region.of.map(|(of, _)| of.1) == parent {
            return Some((at, ix));
        }
        at = region.of?.0.0;
    }
}
