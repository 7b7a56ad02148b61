//! Regions: activations of graph levels. They are opened and closed together with the run and its iterations.

use super::State;
use super::exec::{Phase, Region};
use super::place::{Key, Path, RegionId};
use crate::graph::NodeIx;

impl State {
    /// Opens the region of an iteration of a container.
    pub(super) fn open_iteration(&mut self, of: Key, index: u64) -> RegionId {
        let (container, path) = (&self.plan.nodes[of.1], &self.regions[&of.0].path);
        let (path, roots) = (path.iteration(&container.id, index), container.roots.clone());
        let id = self.open_region(Some((of, index)), path, &roots);
        self.iterations.insert((of, index), id);
        id
    }

    /// Opens an empty region for an iteration that has not begun, so that a condition can be evaluated in its scope.
    /// [`State::close_probe`] removes the region.
    pub fn open_probe(&mut self, of: Key, index: u64) -> RegionId {
        let path = self.regions[&of.0].path.iteration(&self.plan.nodes[of.1].id, index);
        self.open_region(Some((of, index)), path, &[])
    }

    pub fn close_probe(&mut self, region: RegionId) {
        self.detach(region);
        self.regions.remove(&region);
    }

    /// Removes a region from its enclosing region, and returns the enclosing region.
    fn detach(&mut self, id: RegionId) -> Option<RegionId> {
        let (of, _) = self.regions.get(&id)?.of?;
        self.regions.get_mut(&of.0)?.inner.remove(&id);
        Some(of.0)
    }

    pub(super) fn open_region(&mut self, of: Option<(Key, u64)>, path: Path, roots: &[NodeIx]) -> RegionId {
        let id = self.next_region;
        self.next_region += 1;
        self.regions.insert(id, Box::new(Region { of, path, ..Region::default() }));
        if let Some(around) = of.and_then(|(of, _)| self.regions.get_mut(&of.0)) {
            around.inner.insert(id);
        }
        for root in roots {
            self.make_ready((id, *root));
        }
        id
    }

    /// Returns the region of a running iteration.
    pub fn iteration(&self, of: Key, index: u64) -> Option<RegionId> {
        self.iterations.get(&(of, index)).copied()
    }

    /// Closes an iteration and everything inside it.
    pub(super) fn close_iteration(&mut self, of: Key, index: u64) {
        if let Some(id) = self.iterations.remove(&(of, index)) {
            self.forget(id);
        }
    }

    fn forget(&mut self, id: RegionId) {
        for (inner, of, index) in self.regions_within(id) {
            self.iterations.remove(&(of, index));
            self.forget(inner);
        }
        let around = self.detach(id);
        // Compensation of executions inside the region needs the values around them.
        let keeps = |region: &Region| region.keeps || region.execs.values().any(|exec| exec.undoable);
        match self.region(id).is_some_and(keeps) {
            true => drop(
                around.and_then(|around| self.regions.get_mut(&around)).map(|around| around.keeps = true),
            ),
            false => drop(self.regions.remove(&id)),
        }
    }

    /// Returns the running iterations of containers in a region: their regions, containers and indexes.
    pub(super) fn regions_within(&self, id: RegionId) -> Vec<(RegionId, Key, u64)> {
        let Some(region) = self.regions.get(&id) else { return Vec::new() };
        let inner = region.inner.iter().filter_map(|inner| {
            let (of, index) = self.regions.get(inner)?.of?;
            Some((*inner, of, index))
        });
        inner.collect()
    }

    /// Returns the regions of the iterations of one container.
    pub fn regions_of(&self, container: Key) -> Vec<RegionId> {
        let within = self.regions_within(container.0).into_iter();
        within.filter(|(_, of, _)| *of == container).map(|(region, ..)| region).collect()
    }

    pub(super) fn make_ready(&mut self, key: Key) {
        let Some(region) = self.regions.get_mut(&key.0) else { return };
        region.open += 1;
        region.execs.entry(key.1).or_default().phase = Phase::Ready;
        self.ready.push_back(key);
    }

    /// Notes that one of a region's open executions has ended.
    pub(super) fn close_one(&mut self, region: RegionId) {
        if let Some(there) = self.regions.get_mut(&region) {
            there.open = there.open.saturating_sub(1);
            if there.open == 0 {
                self.drained.push(region);
            }
        }
    }

    /// Adds all regions without open executions to `drained`. Called after a replay, because the previous epoch may have been
    /// interrupted before it handled them.
    pub fn find_drained(&mut self) {
        let drained = self.regions.iter().filter(|(_, region)| region.open == 0);
        let drained: Vec<_> = drained.map(|(id, _)| *id).collect();
        self.drained.extend(drained);
    }
}
