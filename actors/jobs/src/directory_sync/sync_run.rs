//! Synchronises group after group. Groups that were completed before a crash are not repeated.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use providers::directory::{Changes, Directory, DirectoryError};
use runs::event::directory::{DirectoryGroupDone, GroupOutcome};
use runs::{Event, EventData, RunOutcome, Work, WriteError};
use storage::records::{DirectorySource, Group, GroupListing, GroupSync, Provisioning, SyncCounts, Tenant};
use storage::{Reader, Row, Scan, TenantId, Timestamp};
use uuid::Uuid;

use super::commit::{Stop, add_to_history, commit, fence};
use super::group;
use super::people::ListedMembers;
use super::{DirectoriesConfig, leave, missing_groups, people, source};

/// If a group with at least this many people becomes empty, the directory's answer is not trusted.
const MIN_SUSPICIOUS_LOSS: u64 = 5;

/// The state of a synchronisation run.
pub(super) struct SyncRun<'a> {
    pub work: &'a Work,
    pub sync: GroupSync,
    source: Row<DirectorySource>,
    directory: Box<dyn Directory>,
    /// Whether listed people with an account become members of the tenant.
    pub provisions: bool,
    pub done: Done,
}

/// The results of earlier steps, including steps of earlier epochs.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub outcomes: BTreeMap<Uuid, GroupOutcome>,
    /// Missing groups for which this has been recorded.
    noted: BTreeSet<Uuid>,
    /// Whether the members of the tenant have been checked.
    members: bool,
    /// Whether the removal of members was withheld.
    held: bool,
}

impl Done {
    fn from_history(history: &[Event]) -> Self {
        let mut done = Self::default();
        for event in history {
            match EventData::read(event) {
                Some(EventData::DirectoryGroup(group)) => done.apply(&group),
                Some(EventData::DirectoryMembers(members)) => {
                    (done.members, done.held) = (true, members.detail.is_some());
                }
                _ => {}
            }
        }
        done
    }

    pub fn apply(&mut self, group: &DirectoryGroupDone) {
        self.outcomes.insert(group.group_id, group.outcome);
        if group.outcome == GroupOutcome::Missing {
            self.noted.insert(group.group_id);
        }
    }

    /// Returns the groups that do not exist in the directory.
    pub fn missing(&self) -> BTreeSet<Uuid> {
        let missing = self.outcomes.iter().filter(|(_, outcome)| **outcome == GroupOutcome::Missing);
        missing.map(|(id, _)| *id).collect()
    }

    /// Whether it has been recorded that a group is missing.
    pub fn has_noted(&self, group: Uuid) -> bool {
        self.noted.contains(&group)
    }

    fn count(&self, outcome: GroupOutcome) -> usize {
        self.outcomes.values().filter(|other| **other == outcome).count()
    }

    /// Whether all groups could be read and all answers were trusted.
    pub fn is_whole(&self) -> bool {
        self.count(GroupOutcome::Failed) + self.count(GroupOutcome::Kept) == 0
    }
}

/// Synchronises all selected groups with the directory.
pub(super) async fn sync(work: &Work, config: DirectoriesConfig) -> Result<RunOutcome, WriteError> {
    let begun = match work.history.is_empty() {
        true => {
            let begun = EventData::RunStarted {
                model: String::new(),
                message_id: None,
                parent_id: None,
                input_estimate: 0,
            };
            work.begin(begun)?.verdict().await.map_err(|_| WriteError)
        }
        false => work.writer.push(EventData::RunRecovered { epoch: work.run.epoch, kept_chars: 0 }),
    };
    begun?;
    match SyncRun::go(work, config).await {
        Ok(ending) => Ok(ending),
        Err(Stop::Lost) => Ok(RunOutcome::failed(
            "directory_changed",
            "the directory was changed or removed during the synchronisation",
        )),
        Err(Stop::Written(why)) => Err(why),
        Err(Stop::Storage(why)) => {
            tracing::warn!(run = %work.run.id, %why, "a synchronisation could not read or write");
            Err(WriteError)
        }
    }
}

fn failed(why: &DirectoryError) -> RunOutcome {
    RunOutcome::failed(why.kind.code(), why.message.clone())
}

impl<'a> SyncRun<'a> {
    async fn go(work: &'a Work, config: DirectoriesConfig) -> Result<RunOutcome, Stop> {
        let (tenant, run) = (work.tenant, work.run.id);
        let read = work.store.read(move |reader| {
            let opened = source::open(reader, tenant, config.limits)?;
            let sync = reader.require::<GroupSync>(tenant, &run)?;
            let row = reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?;
            Ok::<_, storage::Error>((opened, sync.body, row.provisioning == Provisioning::Directory))
        });
        let (opened, sync, provisions) = read.await?;
        let (source, directory) = opened.ok_or(Stop::Lost)?;
        let directory = match directory {
            Ok(directory) => directory,
            Err(why) => return Ok(failed(&why)),
        };
        let done = Done::from_history(&work.history);
        let sync_run = Self { work, sync, source, directory, provisions, done };
        sync_run.through(config).await
    }

    async fn through(mut self, config: DirectoriesConfig) -> Result<RunOutcome, Stop> {
        let tenant = self.work.tenant;
        match self.directory.has_groups().await {
            Ok(true) => {}
            Ok(false) => {
                let why = "the directory lists no groups at all, which is not plausible: nothing was changed";
                return Ok(RunOutcome::failed("directory_empty", why));
            }
            Err(why) => return Ok(failed(&why)),
        }
        let changes = match self.changes(config).await {
            Ok(changes) => changes,
            Err(why) => return Ok(failed(&why)),
        };
        let chosen = self.work.store.read(move |reader| chosen(reader, tenant)).await?;
        for (row, listing) in chosen {
            if self.done.outcomes.contains_key(&row.id) {
                continue;
            }
            if let Some(why) = self.group(&row, listing.as_ref(), &changes).await? {
                // All other groups would fail in the same way, each after a wait.
                return Ok(self.cut_short(&why));
            }
        }
        if self.done.is_whole() {
            missing_groups::check_missing_groups(&mut self).await?;
        }
        if !self.done.members && self.provisions {
            self.done.held = leave::leave(&self).await?;
        }
        if !self.sync.dry_run {
            people::sweep(&self.work.store, tenant).await?;
            self.remember(&changes).await?;
        }
        Ok(self.ending())
    }

    /// Returns the changes since the last complete run, if the directory supports this.
    async fn changes(&self, config: DirectoriesConfig) -> Result<Changes, DirectoryError> {
        let lately =
            self.source.read_in_full_at.is_some_and(|at| at + config.read_in_full_after > Timestamp::now());
        let since = self.source.changes.as_deref().filter(|_| lately && !self.sync.full);
        match self.directory.changes(since).await {
            Err(why) if why.kind.ends_all() => Err(why),
            Err(why) => {
                tracing::info!(run = %self.work.run.id, %why, "the directory does not report changes, so everything is read");
                Ok(Changes::Untold)
            }
            result => result,
        }
    }

    /// Synchronises one group. Returns the error if the directory must not be queried any further.
    async fn group(
        &mut self,
        row: &Row<Group>,
        listing: Option<&Row<GroupListing>>,
        changes: &Changes,
    ) -> Result<Option<DirectoryError>, Stop> {
        let tenant = self.work.tenant;
        let id = row.id;
        if let Some(listing) = listing.filter(|listing| is_unchanged(row, listing, changes)) {
            let addresses = self.work.store.read(move |reader| people::listed_in(reader, tenant, id)).await?;
            let people = addresses.keys().map(|address| vec![address.clone()]).collect();
            let nested = listing.nested.clone();
            let listed = ListedMembers { group: None, nested, addresses, people };
            return self.bring_up(id, listed, GroupOutcome::Unchanged).await;
        }
        match self.directory.roll(&row.external_id).await {
            Ok(Some(roll)) => {
                let before = listing.map_or(0, |listing| listing.people);
                if roll.people.is_empty() && before >= MIN_SUSPICIOUS_LOSS && !self.sync.force {
                    let why = format!(
                        "{:?} had {before} people and now has none; it was left unchanged: a synchronisation with \
                         `force` empties it",
                        row.name
                    );
                    self.pass_over(row, GroupOutcome::Kept, why).await?;
                    return Ok(None);
                }
                let listed = ListedMembers::new(roll.group, roll.nested, roll.people.into_values());
                self.bring_up(id, listed, GroupOutcome::Synced).await
            }
            Ok(None) => {
                // The decision about the group is made when all other groups are known.
                self.done.outcomes.insert(id, GroupOutcome::Missing);
                Ok(None)
            }
            Err(why) => {
                let message = format!("{:?} could not be read: {}", row.name, why.message);
                self.pass_over(row, GroupOutcome::Failed, message).await?;
                Ok(why.kind.ends_all().then_some(why))
            }
        }
    }

    async fn bring_up(
        &mut self,
        id: Uuid,
        listed: ListedMembers,
        outcome: GroupOutcome,
    ) -> Result<Option<DirectoryError>, Stop> {
        group::bring_up(self.work, &self.sync, id, listed).await?;
        self.done.outcomes.insert(id, outcome);
        Ok(None)
    }

    /// Records that a group is left unchanged, and why.
    pub async fn pass_over(
        &mut self,
        row: &Row<Group>,
        outcome: GroupOutcome,
        why: String,
    ) -> Result<(), Stop> {
        let (tenant, run) = (self.work.tenant, self.work.run.id);
        let counts = SyncCounts { groups_seen: 1, groups_failed: 1, ..SyncCounts::default() };
        let (group_id, name) = (row.id, row.name.clone());
        let done = DirectoryGroupDone { group_id, name, outcome, counts, detail: Some(why.clone()) };
        commit(self.work, |tx| {
            fence(tx, tenant, run)?;
            add_to_history(tx, tenant, run, &counts, Some(why.clone()))?;
            Ok(vec![EventData::DirectoryGroup(Box::new(done.clone())).into()])
        })
        .await?;
        self.done.apply(&done);
        Ok(())
    }

    /// Stores the directory's change token, provided that all changes up to it have been applied.
    async fn remember(&self, changes: &Changes) -> Result<(), Stop> {
        let (tenant, run, whole) = (self.work.tenant, self.work.run.id, self.done.is_whole());
        let (next, in_full) = match changes {
            Changes::Untold => (None, true),
            Changes::Anything { next } => (Some(next.clone()), true),
            Changes::Groups { next, .. } => (Some(next.clone()), false),
        };
        if !whole {
            return Ok(());
        }
        // Groups that were completed before a crash may have changed since, and the new token was issued after the crash. The
        // next run therefore starts from the token that this run started with.
        let recovered = !self.work.history.is_empty();
        let next = if recovered { self.source.changes.clone().filter(|_| !in_full) } else { next };
        let written = self.work.store.run(move |tx| {
            fence(tx, tenant, run)?;
            let mut source = tx.require::<DirectorySource>(tenant, &tenant.0)?;
            source.changes.clone_from(&next);
            if in_full {
                source.read_in_full_at = Some(Timestamp::now());
            }
            tx.update(tenant, source)?;
            Ok::<_, Stop>(())
        });
        written.await
    }

    fn cut_short(&self, why: &DirectoryError) -> RunOutcome {
        let through = self.done.count(GroupOutcome::Synced) + self.done.count(GroupOutcome::Unchanged);
        match through {
            0 => failed(why),
            through => {
                RunOutcome::Partial { reason: format!("{through} groups are done; then: {}", why.message) }
            }
        }
    }

    fn ending(&self) -> RunOutcome {
        let skipped = self.done.count(GroupOutcome::Failed)
            + self.done.count(GroupOutcome::Kept)
            + self.done.count(GroupOutcome::Missing);
        let through = self.done.outcomes.len() - skipped;
        match (skipped, self.done.held) {
            (0, false) => RunOutcome::Succeeded { reason: None },
            (0, true) => RunOutcome::Partial { reason: "members were left unchanged".to_owned() },
            _ if through == 0 && self.done.count(GroupOutcome::Failed) == skipped => {
                RunOutcome::failed("directory_failed", "no group could be read; the warnings say why")
            }
            _ => RunOutcome::Partial {
                reason: format!("{skipped} of {} groups were left unchanged", skipped + through),
            },
        }
    }
}

/// Whether a group and its nested groups are unchanged since they were read.
fn is_unchanged(row: &Row<Group>, listing: &GroupListing, changes: &Changes) -> bool {
    let Changes::Groups { ids, .. } = changes else { return false };
    let ids: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut within = listing.nested.iter().map(String::as_str).chain([row.external_id.as_str()]);
    row.synced_at.is_some() && listing.missing == 0 && !within.any(|id| ids.contains(id))
}

type SelectedGroups = Vec<(Row<Group>, Option<Row<GroupListing>>)>;

/// Returns the selected groups and their stored lists, ordered by group id.
fn chosen(reader: &Reader, tenant: TenantId) -> storage::Result<SelectedGroups> {
    let groups = reader.scan::<Group>(tenant, Scan::table())?.items;
    let with_listing = |row: Row<Group>| {
        let listing = reader.get::<GroupListing>(tenant, &row.id)?;
        Ok((row, listing))
    };
    groups.into_iter().map(with_listing).collect()
}
