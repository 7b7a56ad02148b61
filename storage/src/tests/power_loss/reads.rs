//! Reads everything that an engine shows, in every possible way.

use super::history::{Contents, Violation};
use crate::engine::{Direction, Engine, KeyRange};
use crate::error::Result;
use crate::files::simulated::Random;
use bytes::Bytes;

type Pairs = Vec<(Bytes, Bytes)>;

/// The content of an engine, which must be the same in all scans and in reads by key. Returns an error if it cannot be
/// read.
pub(super) fn shown(engine: &dyn Engine, random: &mut Random) -> Result<Result<Contents, Violation>> {
    let forward = engine.scan(KeyRange::all(), Direction::Forward, usize::MAX)?;
    let mut reverse = engine.scan(KeyRange::all(), Direction::Reverse, usize::MAX)?;
    reverse.reverse();
    let (limit, bytes) = (random.between(1, 9) as usize, random.between(1, 5_000) as usize);
    let chunks = chunks(engine, Direction::Forward, limit, bytes)?;
    let mut backward = chunks_backward(engine, limit, bytes)?;
    backward.reverse();
    let ways = [("reverse scan", reverse), ("scan in parts", chunks), ("reverse scan in parts", backward)];
    for (way, pairs) in ways {
        if pairs != forward {
            return Ok(Err(Violation::new(format!(
                "a {way} shows {} keys of {}",
                pairs.len(),
                forward.len()
            ))));
        }
    }
    if !forward.is_sorted_by(|(one, _), (other, _)| one < other) {
        return Ok(Err(Violation::new("a scan is not sorted")));
    }
    for _ in 0..forward.len().min(10) {
        let (key, value) = &forward[random.below(forward.len() as u64) as usize];
        let absent = [key, &b"\0"[..]].concat();
        let is_there = forward.iter().any(|(key, _)| *key == absent[..]);
        if engine.get(key)?.as_ref() != Some(value) || !is_there && engine.get(&absent)?.is_some() {
            return Ok(Err(Violation::new(format!("a scan and a read of {key:?} differ"))));
        }
    }
    Ok(Ok(forward.into_iter().collect()))
}

fn chunks_backward(engine: &dyn Engine, limit: usize, bytes: usize) -> Result<Pairs> {
    chunks(engine, Direction::Reverse, limit, bytes)
}

fn chunks(engine: &dyn Engine, direction: Direction, limit: usize, bytes: usize) -> Result<Pairs> {
    let mut rest = Some(KeyRange::all());
    let mut pairs = Vec::new();
    while let Some(range) = rest {
        let chunk = engine.chunk(range, direction, limit, bytes)?;
        pairs.extend(chunk.pairs);
        rest = chunk.rest;
    }
    Ok(pairs)
}
