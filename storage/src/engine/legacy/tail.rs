//! What the logs of a database of version 1 hold beyond the database.

use super::Ops;
use super::wal::{Content, Damage};

/// What the logs hold beyond the database.
#[derive(Default)]
pub(super) struct Tail {
    /// Writes that are not in the database yet, in order.
    pub ops: Ops,
    /// Which logs hold commits that cannot be applied, and these.
    pub left: Vec<UnappliedCommits>,
}

/// Commits of one log that cannot be applied.
pub(super) struct UnappliedCommits {
    pub log: usize,
    pub epoch: u64,
    /// How many there are at least, unreadable ones included.
    pub count: u64,
    /// The reason, for the log.
    pub why: String,
    /// Whether a crash explains it. Otherwise an operator has to decide what becomes of it.
    pub is_gap: bool,
}

impl Tail {
    /// Puts together what the logs hold beyond epoch `known`. After the first commit that is missing, none is applied.
    pub fn new(known: u64, logs: [Content; 2]) -> Self {
        let mut order = logs.into_iter().enumerate().collect::<Vec<_>>();
        order.sort_by_key(|(_, content)| content.epoch);
        let (mut tail, mut last) = (Self::default(), known);
        // How many commits of the epoch before were applied, and whether any is missing.
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
