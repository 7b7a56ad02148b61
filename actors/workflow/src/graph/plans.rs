//! A cache of plans. Reading a large graph takes longer than starting its run.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use runs::GraphFault;
use serde_json::Value;

use super::digest;
use super::plan::Plan;

/// Maximum number of cached plans.
const MAX_PLANS: usize = 256;

/// The most recently used plans, by the hash of their graph. Can be shared between threads.
#[derive(Debug, Default)]
pub struct Plans(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    plans: HashMap<String, (Arc<Plan>, u64)>,
    uses: u64,
}

impl Plans {
    /// Returns the plan of a graph. The graph is read only if the plan is not cached.
    pub fn get_or_read(&self, graph: &Value) -> Result<Arc<Plan>, Vec<GraphFault>> {
        let hash = digest::of_graph(graph);
        if let Some(plan) = self.find(&hash) {
            return Ok(plan);
        }
        // The graph is read without holding the lock. If two callers read the same graph at once, both results are valid.
        let plan = Arc::new(Plan::read(graph)?);
        self.insert(Arc::clone(&plan));
        Ok(plan)
    }

    /// Returns the cached plan of a graph with this hash, if any.
    pub fn find(&self, hash: &str) -> Option<Arc<Plan>> {
        let mut entries = self.0.lock();
        entries.uses += 1;
        let uses = entries.uses;
        let (plan, used) = entries.plans.get_mut(hash)?;
        *used = uses;
        Some(Arc::clone(plan))
    }

    fn insert(&self, plan: Arc<Plan>) {
        let mut entries = self.0.lock();
        entries.uses += 1;
        let uses = entries.uses;
        entries.plans.insert(plan.hash.clone(), (plan, uses));
        if entries.plans.len() > MAX_PLANS {
            let oldest =
                entries.plans.iter().min_by_key(|(_, (_, used))| *used).map(|(hash, _)| hash.clone());
            oldest.and_then(|hash| entries.plans.remove(&hash));
        }
    }
}
