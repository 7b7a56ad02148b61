//! Plans at hand: reading a large graph takes longer than starting its run.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use runs::GraphFault;
use serde_json::Value;

use super::digest;
use super::plan::Plan;

/// Plans that are kept.
const MOST: usize = 256;

/// The plans that were used last, by the hash of their graph. Safe to share.
#[derive(Debug, Default)]
pub struct Plans(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    plans: HashMap<String, (Arc<Plan>, u64)>,
    uses: u64,
}

impl Plans {
    /// The plan of a graph: read, unless it was read before.
    pub fn get_or_read(&self, graph: &Value) -> Result<Arc<Plan>, Vec<GraphFault>> {
        let hash = digest::of_graph(graph);
        if let Some(plan) = self.find(&hash) {
            return Ok(plan);
        }
        // Read outside of the lock: two readers of one graph at once do no harm.
        let plan = Arc::new(Plan::read(graph)?);
        self.insert(Arc::clone(&plan));
        Ok(plan)
    }

    /// The plan of a graph's hash, if it is at hand.
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
        if entries.plans.len() > MOST {
            let oldest =
                entries.plans.iter().min_by_key(|(_, (_, used))| *used).map(|(hash, _)| hash.clone());
            oldest.and_then(|hash| entries.plans.remove(&hash));
        }
    }
}
