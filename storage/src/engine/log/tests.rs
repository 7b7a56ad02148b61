//! Segments with arbitrary content, and logs that are truncated and damaged.

use super::fuzzing::{open, salvage, segment_of};
use super::{BEGIN, Log, LogOptions, Position, Replay, Segment, Segments, name_of};
use crate::files::simulated::SimulatedDisk;
use crate::files::{FileSystem, RandomAccessFile, create_dir_synced};
use bytes::Bytes;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const DIR: &str = "/srv/log";

/// The writes of a commit.
type Writes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// A file in memory that records the size of the largest buffer it was read into.
#[derive(Debug)]
struct Measured {
    content: Vec<u8>,
    largest: AtomicUsize,
}

impl RandomAccessFile for Measured {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.largest.fetch_max(buffer.len(), Ordering::Relaxed);
        let rest = self.content.get(offset as usize..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64) -> std::io::Result<()> {
        unreachable!("it is read only")
    }

    fn len(&self) -> std::io::Result<u64> {
        Ok(self.content.len() as u64)
    }

    fn set_len(&self, _len: u64) -> std::io::Result<()> {
        unreachable!("it is read only")
    }

    fn sync(&self) -> std::io::Result<()> {
        Ok(())
    }
}

fn read_all(disk: &SimulatedDisk) -> (Vec<Writes>, bool) {
    let (segments, _) = Segments::open(Arc::new(disk.clone()), Path::new(DIR)).unwrap();
    let mut replay = Replay::new(&Arc::new(segments), Position { segment: 1, offset: BEGIN, next: 1 });
    let mut commits = Vec::new();
    while let Some((_, record)) = replay.next().unwrap() {
        let plain =
            |(key, value): (Bytes, Option<(_, Bytes)>)| (key.into(), value.map(|(_, value)| value.into()));
        commits.push(record.ops().map(|op| plain(op.unwrap())).collect());
    }
    (commits, replay.end().unwrap().gap.is_some())
}

/// Creates a log with these commits, in segments of 300 bytes or more.
fn written(commits: &[Writes]) -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    create_dir_synced(&disk, Path::new(DIR)).unwrap();
    let (segments, _) = Segments::open(Arc::new(disk.clone()), Path::new(DIR)).unwrap();
    let options = LogOptions { power_safe: false, segment_bytes: 300 };
    let begin = Position { segment: 1, offset: BEGIN, next: 1 };
    let mut log = Log::new(Arc::new(segments), options, begin).unwrap();
    for writes in commits {
        let writes = writes.iter().map(|(key, value)| (&key[..], value.as_deref()));
        log.append(writes, &mut Vec::new()).unwrap();
    }
    disk
}

fn writes() -> impl Strategy<Value = Writes> {
    let bytes = |most| prop::collection::vec(any::<u8>(), 0..most);
    prop::collection::vec((bytes(12), prop::option::of(bytes(100))), 0..5)
}

#[test]
fn fuzz_corpus_can_be_opened() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/wal");
    let inputs: Vec<_> = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        open(dir.path(), &segment_of(&std::fs::read(input).unwrap()));
    }
}

proptest! {
    #[test]
    fn segment_with_arbitrary_content_can_be_read_and_continued(input: Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        open(dir.path(), &segment_of(&input));
        open(dir.path(), &[Segment::header(1, 1, 7), input].concat());
    }

    /// Lengths in headers are not trusted.
    #[test]
    fn reading_a_segment_takes_no_more_memory_than_its_file(input: Vec<u8>, len: u32, number: u64) {
        let mut content = segment_of(&[&[1], &input[..]].concat());
        let mut header = [&len.to_be_bytes()[..], &number.to_be_bytes()].concat();
        header.extend(super::checksum(7, &header).to_be_bytes());
        content.extend(header);
        content.extend(input);
        let size = content.len();
        let file = Arc::new(Measured { content, largest: AtomicUsize::new(0) });
        let segment = Arc::new(Segment::open(file.clone(), 1).unwrap().unwrap());
        salvage(&segment).unwrap();
        prop_assert!(file.largest.load(Ordering::Relaxed) <= size);
    }

    #[test]
    fn log_reads_back_and_a_damaged_log_reads_up_to_the_damage(
        commits in prop::collection::vec(writes(), 1..20), file: prop::sample::Index, at: prop::sample::Index, is_cut: bool
    ) {
        let disk = written(&commits);
        let (read, has_gap) = read_all(&disk);
        prop_assert_eq!((&read, has_gap), (&commits, false));
        let mut names = disk.names(Path::new(DIR)).unwrap();
        names.sort();
        prop_assert_eq!(&names[0], &name_of(1));
        // Headers are left intact: a segment without a header counts as missing.
        let path = Path::new(DIR).join(file.get(&names));
        let (opened, len) = (disk.open(&path).unwrap(), crate::files::read(&disk, &path).unwrap().len());
        if len == BEGIN as usize {
            return Ok(());
        }
        let at = BEGIN + at.index(len - BEGIN as usize) as u64;
        if is_cut {
            opened.set_len(at).unwrap();
        } else {
            let mut byte = [0];
            opened.read_at(&mut byte, at).unwrap();
            opened.write_at(&[byte[0] ^ 1], at).unwrap();
        }
        let (damaged, has_gap) = read_all(&disk);
        prop_assert!(damaged.len() <= commits.len());
        prop_assert_eq!(&damaged[..], &commits[..damaged.len()]);
        // A record is missing, unless the truncation was before the very last record.
        let is_last = path.ends_with(names.last().unwrap());
        prop_assert!(damaged.len() < commits.len());
        prop_assert!(has_gap || is_last || damaged.len() + 1 == commits.len());
    }
}
