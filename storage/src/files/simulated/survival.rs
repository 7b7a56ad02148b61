//! Which of the unsynced changes survive a power loss.

use super::random::Random;

/// The unit in bytes that a device writes atomically.
pub(super) const SECTOR: u64 = 512;
/// The unit in bytes that the page cache writes.
pub(super) const PAGE: u64 = 4096;

/// The fate of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Lost,
    Whole,
    /// Each block of the change reaches the disk or not, independently.
    Torn,
}

/// Which changes reach the disk.
#[derive(Clone, Copy, Debug)]
enum Reached {
    Nothing,
    Everything,
    /// All changes before an operation, and parts of that operation.
    Before(u64),
    /// Each change either completely or not at all, in no order.
    Changes,
    /// Each block of each change independently.
    Blocks,
}

/// The parameters of one power loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survival {
    content: Reached,
    names: Reached,
    /// Size in bytes of a block, which either reaches the disk as a whole or not at all.
    pub(super) block: u64,
    /// The probability that a change reaches the disk, in eighths.
    eighths: u64,
    /// Whether blocks that were allocated but not written show previous content of the disk instead of zeros.
    pub(super) stale_blocks: bool,
}

impl Survival {
    /// Draws a power loss for changes of operations in this range, both ends inclusive.
    pub(super) fn draw(operations: (u64, u64), random: &mut Random) -> Self {
        let cut = random.between(operations.0, operations.1);
        let content = Reached::draw(cut, random);
        // On some file systems one journal orders everything; on others the names have their own journal. Both are
        // frequent.
        let names = if random.coin() { content } else { Reached::draw(cut, random) };
        let block = if random.once_in(3) { PAGE } else { SECTOR };
        let (eighths, stale_blocks) = (random.between(1, 7), random.once_in(6));
        Self { content, names, block, eighths, stale_blocks }
    }

    /// The fate of a change of a file's content by the operation with this number.
    pub(super) fn of_content(&self, operation: u64, random: &mut Random) -> Fate {
        match self.content {
            Reached::Nothing => Fate::Lost,
            Reached::Everything => Fate::Whole,
            Reached::Before(cut) if operation == cut => Fate::Torn,
            Reached::Before(cut) if operation < cut => Fate::Whole,
            Reached::Before(_) => Fate::Lost,
            Reached::Changes if self.is_lucky(random) => Fate::Whole,
            Reached::Changes => Fate::Lost,
            Reached::Blocks => Fate::Torn,
        }
    }

    /// Whether a block of a torn change reaches the disk.
    pub(super) fn is_lucky(&self, random: &mut Random) -> bool {
        random.below(8) < self.eighths
    }

    /// Given the changes of a file, made by these operations in order: how many of them the length on the disk
    /// reflects.
    pub(super) fn of_length(&self, operations: &[u64], random: &mut Random) -> usize {
        let all = operations.len();
        match self.content {
            Reached::Nothing => 0,
            Reached::Everything => all,
            Reached::Before(cut) => {
                let before = operations.iter().filter(|operation| **operation < cut).count();
                (before + usize::from(random.coin())).min(all)
            }
            Reached::Changes | Reached::Blocks => match random.below(4) {
                0 => 0,
                1 | 2 => all,
                _ => random.between(0, all as u64) as usize,
            },
        }
    }

    /// Whether a change of names reaches the disk. Each does so as a whole or not at all.
    pub(super) fn of_name(&self, operation: u64, random: &mut Random) -> bool {
        match self.names {
            Reached::Nothing => false,
            Reached::Everything => true,
            Reached::Before(cut) => operation < cut || operation == cut && random.coin(),
            Reached::Changes | Reached::Blocks => self.is_lucky(random),
        }
    }
}

impl Reached {
    fn draw(cut: u64, random: &mut Random) -> Self {
        match random.below(8) {
            0 => Self::Nothing,
            1 => Self::Everything,
            2 | 3 => Self::Before(cut),
            4 | 5 => Self::Changes,
            _ => Self::Blocks,
        }
    }
}
