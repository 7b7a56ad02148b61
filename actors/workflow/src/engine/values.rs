//! Values: what templates of a node may see, and how large ones are kept out of the journal.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use expr::{Reference, Template, Values};
use runs::EpochStore;
use serde_json::{Map, Value, json};
use storage::records::RunBlob;
use storage::{BlobId, TenantId};
use uuid::Uuid;

use super::place::{Key, RegionId};
use super::state::State;
use crate::graph::{NodeIx, NodeKind};
use crate::nodes::{Fields, NodeError};
use crate::{LARGEST, read};

/// JSON that is longer than this, in bytes, is kept as a blob of its own.
const LARGE: usize = 16 * 1024;
/// Values read from blobs that are kept at hand, in bytes of JSON.
const AT_HAND: usize = 16 << 20;
/// Values that are nested deeper cannot be read back from the journal.
const DEEPEST: usize = 100;
/// Times that a store that has too much to do is asked.
const TRIES: u32 = 40;
/// The member that stands for a value kept elsewhere.
const MARK: &str = "$blob";

/// Where large values of a run are kept.
pub struct ValueStore {
    store: EpochStore,
    tenant: TenantId,
    run: Uuid,
    at_hand: HashMap<BlobId, Arc<Value>>,
    bytes: usize,
}

impl ValueStore {
    pub fn new(store: impl Into<EpochStore>, tenant: TenantId, run: Uuid) -> Self {
        Self { store: store.into(), tenant, run, at_hand: HashMap::new(), bytes: 0 }
    }

    /// Fields as the journal takes them: what is large goes to a blob, which the run claims before
    /// anything names it.
    pub async fn store(&mut self, fields: Fields) -> Result<Fields, NodeError> {
        if fields.values().any(|value| is_deep(value, DEEPEST)) {
            return Err(too_deep());
        }
        if fields.values().all(|value| !is_large(value) && !is_marked(value)) {
            return Ok(fields);
        }
        let mut kept = Fields::with_capacity(fields.len());
        for (name, value) in fields {
            kept.insert(name, self.store_one(value).await?);
        }
        Ok(kept)
    }

    /// One value as the journal takes it.
    pub async fn store_one(&mut self, value: Value) -> Result<Value, NodeError> {
        if is_deep(&value, DEEPEST) {
            return Err(too_deep());
        }
        if !is_large(&value) && !is_marked(&value) {
            return Ok(value);
        }
        let json = Bytes::from(serde_json::to_vec(&value).unwrap_or_default());
        let size = json.len();
        if size as u64 > LARGEST {
            return Err(NodeError::new("too_large", format!("a value is larger than {} MiB", LARGEST >> 20)));
        }
        let blob_id = self.store.blobs().put_bytes(self.tenant, json).await.map_err(lost)?;
        self.claim_sized(vec![(blob_id.clone(), size as u64)]).await?;
        let mark = json!({ MARK: blob_id, "bytes": size });
        self.remember(blob_id, Arc::new(value), size);
        Ok(mark)
    }

    /// Claims blobs for the run that other rows of its user count already.
    pub async fn claim(&self, blobs: Vec<BlobId>) -> Result<(), NodeError> {
        self.claim_sized(blobs.into_iter().map(|blob_id| (blob_id, 0)).collect()).await
    }

    /// Claims blobs for the run: they stay for as long as its journal, and their sizes in bytes count toward
    /// what is stored for the run's user.
    async fn claim_sized(&self, blobs: Vec<(BlobId, u64)>) -> Result<(), NodeError> {
        let (tenant, run) = (self.tenant, self.run);
        let blobs = Arc::new(blobs);
        for _ in 0..TRIES {
            let blobs = blobs.clone();
            let claimed = self.store.run(move |tx| {
                for (blob_id, size) in blobs.iter() {
                    let id = (run, blob_id.to_string());
                    if tx.get::<RunBlob>(tenant, &id)?.is_none() {
                        tx.insert(tenant, id, RunBlob { blob_id: blob_id.clone(), size: *size })?;
                    }
                }
                Ok::<_, storage::Error>(())
            });
            match claimed.await {
                // Too much waits for the disk just now.
                Err(storage::Error::Busy | storage::Error::Full) => {
                    tokio::time::sleep(Duration::from_millis(250)).await
                }
                Err(storage::Error::LimitReached(why)) => {
                    return Err(NodeError::new("storage_quota_reached", why.to_string()));
                }
                other => return other.map_err(lost),
            }
        }
        Err(lost("the store is busy"))
    }

    /// The value that a field of the journal stands for.
    pub async fn load(&mut self, kept: &Value) -> Result<Arc<Value>, NodeError> {
        let Some(id) = marked(kept) else { return Ok(Arc::new(kept.clone())) };
        if let Some(value) = self.at_hand.get(&id) {
            return Ok(value.clone());
        }
        let value: Arc<Value> = Arc::new(read(&self.store, self.tenant, &id).await.map_err(lost)?);
        self.remember(id, Arc::clone(&value), usize::try_from(size(kept)).unwrap_or(AT_HAND));
        Ok(value)
    }

    /// Fields with all that is kept elsewhere brought in.
    pub async fn load_all(&mut self, kept: &Fields) -> Result<Fields, NodeError> {
        let mut fields = Fields::with_capacity(kept.len());
        for (name, value) in kept {
            let value = match marked(value) {
                Some(_) => (*self.load(value).await?).clone(),
                None => value.clone(),
            };
            fields.insert(name.clone(), value);
        }
        Ok(fields)
    }

    fn remember(&mut self, id: BlobId, value: Arc<Value>, size: usize) {
        if self.bytes + size > AT_HAND {
            self.at_hand.clear();
            self.bytes = 0;
        }
        if size <= AT_HAND && self.at_hand.insert(id, value).is_none() {
            self.bytes += size;
        }
    }
}

fn too_deep() -> NodeError {
    NodeError::new("too_deep", format!("a value is nested more than {DEEPEST} levels deep"))
}

fn lost(why: impl std::fmt::Display) -> NodeError {
    tracing::error!(%why, "a value of a run could not be kept or read");
    NodeError::new("storage", "a value of the run could not be kept or read")
}

/// The blob that a field of the journal stands for.
pub fn marked(value: &Value) -> Option<BlobId> {
    let id = value.as_object()?.get(MARK)?.as_str()?;
    BlobId::parse(id).ok()
}

/// About how many bytes of JSON a value of the journal stands for.
pub fn size(kept: &Value) -> u64 {
    match marked(kept) {
        Some(_) => kept.get("bytes").and_then(Value::as_u64).unwrap_or_default(),
        // What is not kept elsewhere is small.
        None => 256,
    }
}

/// Whether what somebody sends can be kept.
pub fn is_keepable(fields: &Fields) -> bool {
    !fields.values().any(|value| is_deep(value, DEEPEST - 2))
}

/// Whether a value is nested deeper than the journal can be read back.
fn is_deep(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(items) => left == 0 || items.iter().any(|item| is_deep(item, left - 1)),
        Value::Object(members) => left == 0 || members.values().any(|item| is_deep(item, left - 1)),
        _ => false,
    }
}

/// Whether somebody's own value looks like one that is kept elsewhere: then it is, so that nobody
/// can name a blob that is not theirs.
fn is_marked(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.contains_key(MARK))
}

/// Whether a value is longer than [`LARGE`], about; looks no further than it has to.
fn is_large(value: &Value) -> bool {
    fn within(value: &Value, left: &mut usize) -> bool {
        let own = match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => items.len() + 2,
            Value::Object(members) => members.keys().map(|name| name.len() + 4).sum(),
            _ => 8,
        };
        if own > *left {
            return false;
        }
        *left -= own;
        match value {
            Value::Array(items) => items.iter().all(|item| within(item, left)),
            Value::Object(members) => members.values().all(|item| within(item, left)),
            _ => true,
        }
    }
    let mut left = LARGE;
    !within(value, &mut left)
}

/// What templates refer to: the first name, and the second ones asked of it (none for all of it).
fn asked<'t>(templates: impl Iterator<Item = &'t Template>) -> BTreeMap<String, Option<BTreeSet<String>>> {
    let mut asked: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
    let references: Vec<&Reference> = templates.flat_map(|template| template.references()).collect();
    for reference in references {
        let Some((root, rest)) = reference.split_first() else { continue };
        let entry = asked.entry(root.clone()).or_insert_with(|| Some(BTreeSet::new()));
        match rest.first() {
            Some(field) => drop(entry.as_mut().map(|fields| fields.insert(field.clone()))),
            None => *entry = None,
        }
    }
    asked
}

/// What stands outside of the nodes.
pub struct Surroundings {
    /// `{id, started_at, user_id}`.
    pub run: Arc<Value>,
    /// What the run was started with.
    pub inputs: Arc<Value>,
}

/// The values that templates of a node see from where it stands.
pub async fn visible<'t>(
    state: &State,
    vault: &mut ValueStore,
    around: &Surroundings,
    from: RegionId,
    templates: impl Iterator<Item = &'t Template>,
) -> Result<Values, NodeError> {
    let mut values = Values::new();
    for (root, fields) in asked(templates) {
        let value = match root.as_str() {
            "run" => around.run.clone(),
            "inputs" => around.inputs.clone(),
            "vars" => Arc::new(Value::Object(vault.load_all(&state.vars).await?)),
            _ => match state.plan.by_id.get(&root) {
                Some(ix) => match of_node(state, vault, around, from, *ix, fields.as_ref()).await? {
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

async fn of_node(
    state: &State,
    vault: &mut ValueStore,
    around: &Surroundings,
    from: RegionId,
    ix: NodeIx,
    fields: Option<&BTreeSet<String>>,
) -> Result<Option<Arc<Value>>, NodeError> {
    if matches!(state.plan.nodes[ix].kind, NodeKind::Start) {
        return Ok(Some(around.inputs.clone()));
    }
    if let Some((of, index)) = enclosing(state, from, ix) {
        return inside(state, vault, of, index).await.map(Some);
    }
    let Some(exec) = beside(state, from, ix).and_then(|key| state.exec(key)) else { return Ok(None) };
    let Some(outputs) = &exec.outputs else { return Ok(None) };
    let Value::Object(kept) = &**outputs else { return Ok(Some(outputs.clone())) };
    let wanted = |name: &str| fields.is_none_or(|fields| fields.contains(name));
    if !kept.iter().any(|(name, value)| wanted(name) && marked(value).is_some()) {
        return Ok(Some(outputs.clone()));
    }
    let wanted: Map<_, _> =
        kept.iter().filter(|(name, _)| wanted(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
    Ok(Some(Arc::new(Value::Object(vault.load_all(&wanted).await?))))
}

/// The iteration of the container `ix` that a region is in.
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

/// The execution of a node that stands beside the region, or beside one of the containers it is in.
fn beside(state: &State, from: RegionId, ix: NodeIx) -> Option<Key> {
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

/// What a container is to the nodes in it.
async fn inside(state: &State, vault: &mut ValueStore, of: Key, index: u64) -> Result<Arc<Value>, NodeError> {
    let Some(exec) = state.exec(of) else { return Ok(Arc::new(Value::Null)) };
    let Some(iterations) = &exec.iterations else { return Ok(Arc::new(Value::Null)) };
    let items = match (&iterations.items, exec.inputs.get("items")) {
        (Some(items), _) => Some(items.clone()),
        // After a restart they are looked at here first.
        (None, Some(kept)) => Some(vault.load(kept).await?),
        (None, None) => None,
    };
    let at = usize::try_from(index).unwrap_or(usize::MAX);
    let item = items.as_ref().and_then(|items| items.get(at)).cloned();
    let last = (*vault.load(&iterations.last).await?).clone();
    Ok(Arc::new(json!({"item": item, "index": index, "last": last})))
}
