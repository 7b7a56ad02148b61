//! One list out of several.

use std::collections::HashMap;

use crate::hit::{DocKey, Hit};

/// How little the first places count more than those behind them.
const FLATNESS: f32 = 60.0;

/// A passage with its places in the lists that it was fused from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The document.
    pub document: DocKey,
    /// The passage, counted from 0.
    pub number: u32,
    /// The sum of 1 / (60 + place) over all lists that have it.
    pub score: f32,
    /// Its place in each list, from 1.
    pub places: Vec<Option<u32>>,
}

/// Fuses lists, each the best first, by reciprocal rank (Cormack, Clarke and Büttcher, SIGIR 2009):
/// scores of different kinds need not be compared. The best comes first; of two that are alike, the one
/// that is first by its document and number.
pub fn fuse(lists: &[Vec<Hit>]) -> Vec<Fused> {
    let mut fused: HashMap<(DocKey, u32), Fused> = HashMap::new();
    for (list, hits) in lists.iter().enumerate() {
        for (place, hit) in (1u32..).zip(hits) {
            let entry = fused.entry((hit.document, hit.number)).or_insert_with(|| Fused {
                document: hit.document,
                number: hit.number,
                score: 0.0,
                places: vec![None; lists.len()],
            });
            if entry.places[list].is_none() {
                entry.places[list] = Some(place);
                entry.score += 1.0 / (FLATNESS + place as f32);
            }
        }
    }
    let mut all: Vec<Fused> = fused.into_values().collect();
    all.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.document, a.number).cmp(&(b.document, b.number)))
    });
    all
}
