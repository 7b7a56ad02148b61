//! Reading what callers send, with every fault found at once.
//!
//! A derived `Deserialize` stops at its first error. So a value with faults is read several
//! times: each pass puts a harmless stand-in where the last one failed and goes on, until the
//! whole shape has been walked. Values without faults are read once.

mod error;
mod node;
mod standin;

use domain::{Fault, Faults, Step, Validate};
use error::ReadError;
use node::{Node, Pass, Place};
use serde::de::DeserializeOwned;
use serde_json::Value;
use standin::StandIn;
use std::collections::HashMap;

/// The way from the top of a value to a place in it.
pub(crate) type Way = Vec<Step>;

/// More faults than this are not looked for.
const MOST_FAULTS: usize = 50;
/// How much text the passes over one faulty value may walk, so that rubbish stays cheap.
const WORK: usize = 4 * 1024 * 1024;

/// How leaves are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As JSON: a number is a number.
    Json,
    /// As text (form fields): strings turn into what is asked for.
    Text,
    /// As text, and fields that nobody asked for are left alone.
    Query,
}

/// Reads `value`, whose text was `size` bytes long, as a `T`, and applies `T`'s rules.
/// Answers every fault, each located below `place`.
pub(crate) fn read<T: DeserializeOwned + Validate>(
    place: &'static str,
    value: &Value,
    size: usize,
    mode: Mode,
) -> Result<T, Vec<Fault>> {
    let mut standins: HashMap<Way, usize> = HashMap::new();
    let mut faults: Vec<ReadError> = Vec::new();
    let mut passes = (WORK / size.max(1)).clamp(4, 4 * MOST_FAULTS);
    loop {
        let pass = Pass::new(&standins, mode);
        match T::deserialize(Node::top(value, &pass)) {
            Ok(read) => {
                faults.extend(pass.into_unknown());
                return finish(read, place, faults, &standins);
            }
            Err(error) => {
                let error = error.at_top();
                let unknown = pass.into_unknown();
                passes -= 1;
                let hopeless = faults.len() >= MOST_FAULTS || passes == 0;
                if hopeless || !step(error, &mut faults, &mut standins) {
                    faults.extend(unknown);
                    return Err(locate(place, faults));
                }
            }
        }
    }
}

/// A value of a type, with all its fields as far as stand-ins fit them; for looking at its rules. None where a required
/// field takes no stand-in.
pub(crate) fn specimen<T: DeserializeOwned>() -> Option<T> {
    let mut standins: HashMap<Way, usize> = HashMap::new();
    // More than any type has fields, times the stand-ins for each.
    for _ in 0..1_000 {
        let pass = Pass::full(&standins);
        let error = match T::deserialize(StandIn::new(&pass, Place::Top)) {
            Ok(read) => return Some(read),
            Err(error) => error.at_top(),
        };
        let mut way = error.way();
        loop {
            let turn = standins.entry(way.clone()).or_insert(0);
            if *turn < standin::TRIES {
                // What holds something that nothing fits is left out at once.
                *turn = if way == error.way() { *turn + 1 } else { standin::TRIES };
                break;
            }
            way.pop()?;
        }
    }
    None
}

/// Notes an error and chooses the stand-in that lets the next pass go on. False: there is none.
fn step(error: ReadError, faults: &mut Vec<ReadError>, standins: &mut HashMap<Way, usize>) -> bool {
    let way = error.way();
    let tries = error.tries;
    let inside = (0..=way.len()).any(|end| standins.contains_key(&way[..end]));
    if !inside {
        faults.push(error);
    }
    let Some(last) = standins.get_mut(&way) else {
        standins.insert(way, 0);
        return true;
    };
    *last += 1;
    if *last < tries {
        return true;
    }
    // No stand-in fits here: put one in place of what holds it.
    (0..way.len()).rev().any(|end| match standins.contains_key(&way[..end]) {
        true => false,
        false => standins.insert(way[..end].to_vec(), 0).is_none(),
    })
}

fn finish<T: Validate>(
    read: T,
    place: &'static str,
    errors: Vec<ReadError>,
    standins: &HashMap<Way, usize>,
) -> Result<T, Vec<Fault>> {
    let mut rules = Faults::of(place);
    read.validate(&mut rules);
    if errors.is_empty() && rules.is_empty() {
        return Ok(read);
    }
    let mut faults = locate(place, errors);
    // Rules broken by a stand-in are not the caller's fault.
    let real = |fault: &Fault| !standins.keys().any(|way| fault.loc[1..].starts_with(way));
    faults.extend(rules.into_vec().into_iter().filter(real));
    Err(faults)
}

fn locate(place: &'static str, errors: Vec<ReadError>) -> Vec<Fault> {
    let fault = |error: ReadError| {
        let loc = std::iter::once(Step::Name(place.to_owned())).chain(error.way()).collect();
        Fault { loc, msg: error.msg, kind: error.kind.to_owned() }
    };
    errors.into_iter().map(fault).collect()
}

#[cfg(test)]
mod tests;
