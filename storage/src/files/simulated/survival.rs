//! Which of the changes that were not synced a power cut leaves behind.

use super::random::Random;

/// What a device writes in one piece.
pub(super) const SECTOR: u64 = 512;
/// What the page cache writes in one piece.
pub(super) const PAGE: u64 = 4096;

/// The fate of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Lost,
    Whole,
    /// Each block of it is on the disk or not.
    Torn,
}

/// Which changes reach the disk.
#[derive(Clone, Copy, Debug)]
enum Reached {
    Nothing,
    Everything,
    /// The changes before an operation, and parts of that one.
    Before(u64),
    /// Each change whole or not at all, in no order.
    Changes,
    /// Each block of each change on its own.
    Blocks,
}

/// One power cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survival {
    content: Reached,
    names: Reached,
    /// Bytes of a block that reaches the disk or not as a whole.
    pub(super) block: u64,
    /// How probable it is that a change reaches the disk, in eighths.
    eighths: u64,
    /// Whether blocks that were allocated and not written show what was on the disk before, and not zeros.
    pub(super) stale_blocks: bool,
}

impl Survival {
    /// Draws a power cut for changes of operations in this range, both ends inclusive.
    pub(super) fn draw(operations: (u64, u64), random: &mut Random) -> Self {
        let cut = random.between(operations.0, operations.1);
        let content = Reached::draw(cut, random);
        // Often one journal orders everything, and often the names have one of their own.
        let names = if random.coin() { content } else { Reached::draw(cut, random) };
        let block = if random.once_in(3) { PAGE } else { SECTOR };
        let (eighths, stale_blocks) = (random.between(1, 7), random.once_in(6));
        Self { content, names, block, eighths, stale_blocks }
    }

    /// The fate of a change of a file's content by an operation of this number.
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

    /// Of a file's changes, made by these operations in their order: how many the length on the disk shows.
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

    /// Whether a change of names reaches the disk; each does so as a whole.
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
