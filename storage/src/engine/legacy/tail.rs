//! The commits in the logs of a database of version 1 that the database itself does not contain yet.

use super::Ops;
use super::wal::{Content, Damage};

/// The commits in the logs that the database does not contain yet.
#[derive(Default)]
pub(super) struct Tail {
    /// Writes that are not in the database yet, in order.
    pub ops: Ops,
    /// Commits that cannot be applied, by log.
    pub left: Vec<UnappliedCommits>,
}

/// Commits of one log that cannot be applied.
pub(super) struct UnappliedCommits {
    pub log: usize,
    pub epoch: u64,
    /// The minimum number of these commits, including unreadable ones.
    pub count: u64,
    /// The reason, for the log.
    pub why: String,
    /// Whether a crash explains the gap. Otherwise an operator has to decide what to do.
    pub is_gap: bool,
}

impl Tail {
    /// Combines the content of the logs after epoch `known`. After the first missing commit, none is applied.
    pub fn new(known: u64, logs: [Content; 2]) -> Self {
        let mut order = logs.into_iter().enumerate().collect::<Vec<_>>();
        order.sort_by_key(|(_, content)| content.epoch);
        let (mut tail, mut last) = (Self::default(), known);
        // How many commits of the previous epoch were applied, and whether one is missing.
        let (mut applied, mut is_broken) = (None, false);
        for (log, content) in order {
            let Content { epoch, groups, before, damage, is_marked, .. } = content;
            if damage == Some(Damage::Mark) && !is_marked && groups.is_empty() {
                let why = "its header and its first record are damaged".to_owned();
                tail.left.push(UnappliedCommits { log, epoch, count: 1, why, is_gap: false });
                is_broken = true;
                continue;
            }
            if epoch <= known {
                continue;
            }
            let follows = epoch == last + 1 && before.zip(applied).is_none_or(|(all, had)| all == had);
            last = epoch;
            if is_broken || !follows {
                let behind = match damage {
                    Some(Damage::Record { behind, .. }) => behind.len(),
                    _ => 0,
                };
                let count = (groups.len() + behind) as u64;
                if count > 0 {
                    let why = "commits before those in it are missing".to_owned();
                    tail.left.push(UnappliedCommits { log, epoch, count, why, is_gap: true });
                }
                is_broken = true;
                continue;
            }
            applied = Some(groups.len() as u64);
            tail.ops.extend(groups.into_iter().flatten());
            let (count, why) = match damage {
                None => continue,
                Some(Damage::Mark) => (0, "its header is damaged".to_owned()),
                Some(Damage::Record { offset, number, behind, last }) => {
                    is_broken = true;
                    let (count, readable) = (last - number + 1, behind.len());
                    let why = format!(
                        "the record at byte {offset} is damaged: {count} commits cannot be applied, this one and those \
                         behind it, {readable} of which can be read"
                    );
                    (count, why)
                }
            };
            tail.left.push(UnappliedCommits { log, epoch, count, why, is_gap: false });
        }
        tail
    }
}
