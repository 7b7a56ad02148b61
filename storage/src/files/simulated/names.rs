//! The names in directories: what processes see, what is durable, and the changes in between.

use super::random::Random;
use super::survival::Survival;
use std::collections::{BTreeMap, BTreeSet};

/// The root directory.
pub(super) const ROOT: u64 = 0;

type Tree = BTreeMap<u64, BTreeMap<String, u64>>;

/// A change of names, which takes place either completely or not at all.
#[derive(Clone, Debug)]
pub(super) enum NameChange {
    Link { dir: u64, name: String, node: u64 },
    Unlink { dir: u64, name: String },
    Rename { from: (u64, String), to: (u64, String), node: u64 },
}

impl NameChange {
    fn is_within(&self, dirs: &BTreeSet<u64>) -> bool {
        match self {
            Self::Link { dir, .. } | Self::Unlink { dir, .. } => dirs.contains(dir),
            Self::Rename { from, to, .. } => dirs.contains(&from.0) || dirs.contains(&to.0),
        }
    }

    fn apply(&self, tree: &mut Tree) {
        match self {
            Self::Link { dir, name, node } => {
                tree.entry(*dir).or_default().insert(name.clone(), *node);
            }
            Self::Unlink { dir, name } => {
                tree.entry(*dir).or_default().remove(name);
            }
            Self::Rename { to, node, .. } => {
                // A file has one name, whichever of the earlier changes are on the disk.
                for names in tree.values_mut() {
                    names.retain(|_, named| named != node);
                }
                tree.entry(to.0).or_default().insert(to.1.clone(), *node);
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Pending {
    operation: u64,
    change: NameChange,
}

/// The names of a disk. Files and directories are represented by numbers.
#[derive(Clone, Debug)]
pub(super) struct Names {
    cached: Tree,
    durable: Tree,
    pending: Vec<Pending>,
}

impl Default for Names {
    fn default() -> Self {
        let tree = Tree::from([(ROOT, BTreeMap::new())]);
        Self { cached: tree.clone(), durable: tree, pending: Vec::new() }
    }
}

impl Names {
    pub(super) fn get(&self, dir: u64, name: &str) -> Option<u64> {
        self.cached.get(&dir)?.get(name).copied()
    }

    pub(super) fn list(&self, dir: u64) -> Vec<String> {
        self.cached.get(&dir).into_iter().flat_map(BTreeMap::keys).cloned().collect()
    }

    /// Creates an empty directory without a name.
    pub(super) fn make_dir(&mut self, dir: u64) {
        self.cached.insert(dir, BTreeMap::new());
        self.durable.insert(dir, BTreeMap::new());
    }

    pub(super) fn change(&mut self, operation: u64, change: NameChange) {
        change.apply(&mut self.cached);
        self.pending.push(Pending { operation, change });
    }

    /// Makes all changes in a directory durable. If a pending rename connects it to another directory, the changes in
    /// that directory are made durable as well.
    pub(super) fn sync(&mut self, dir: u64) {
        let mut synced = BTreeSet::from([dir]);
        let mut before = 0;
        while synced.len() > before {
            before = synced.len();
            for pending in &self.pending {
                if let NameChange::Rename { from, to, .. } = &pending.change
                    && (synced.contains(&from.0) || synced.contains(&to.0))
                {
                    synced.extend([from.0, to.0]);
                }
            }
        }
        let durable = &mut self.durable;
        self.pending.retain(|pending| {
            let is_synced = pending.change.is_within(&synced);
            if is_synced {
                pending.change.apply(durable);
            }
            !is_synced
        });
    }

    pub(super) fn after_power_loss(&self, survival: &Survival, random: &mut Random) -> Self {
        let mut durable = self.durable.clone();
        for pending in &self.pending {
            if survival.of_name(pending.operation, random) {
                pending.change.apply(&mut durable);
            }
        }
        let reachable = reachable(&durable);
        durable.retain(|dir, _| reachable.contains(dir));
        Self { cached: durable.clone(), durable, pending: Vec::new() }
    }

    /// The numbers of the operations whose changes are not synced.
    pub(super) fn unsynced(&self) -> impl Iterator<Item = u64> {
        self.pending.iter().map(|pending| pending.operation)
    }

    /// All files and directories that a process can find.
    pub(super) fn visible(&self) -> BTreeSet<u64> {
        reachable(&self.cached)
    }

    /// All files and directories that have a name now or can have one after a power loss.
    pub(super) fn possible(&self) -> BTreeSet<u64> {
        let names = self.cached.values().chain(self.durable.values()).flat_map(BTreeMap::values).copied();
        let pending = self.pending.iter().filter_map(|pending| match &pending.change {
            NameChange::Link { node, .. } | NameChange::Rename { node, .. } => Some(*node),
            NameChange::Unlink { .. } => None,
        });
        names.chain(pending).collect()
    }

    /// Whether a directory is the same as another one or below it.
    pub(super) fn is_within(&self, dir: u64, other: u64) -> bool {
        below(&self.cached, other).contains(&dir)
    }
}

fn reachable(tree: &Tree) -> BTreeSet<u64> {
    below(tree, ROOT)
}

fn below(tree: &Tree, top: u64) -> BTreeSet<u64> {
    let mut found = BTreeSet::from([top]);
    let mut waiting = vec![top];
    while let Some(dir) = waiting.pop() {
        for node in tree.get(&dir).into_iter().flat_map(BTreeMap::values) {
            if found.insert(*node) {
                waiting.push(*node);
            }
        }
    }
    found
}
