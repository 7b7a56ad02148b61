//! Fuses several result lists into one.

use std::collections::HashMap;

use crate::hit::{DocKey, Hit};

/// How little the first places outweigh the following ones. Large numbers, such as the usual 60, prefer passages in the
/// middle of every list over the first passage of one list, for example for a question with one rare word among common
/// ones. With 4, the first passage of one of two lists is among the first six of the result, regardless of its place in
/// the other list; and the open questions of the bench `knowledge` are answered no worse, alone and among many other
/// passages.
const FLATNESS: f32 = 4.0;

/// A passage with its places in the lists that it was fused from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The document that contains the passage.
    pub document: DocKey,
    /// The index of the passage in the document, from 0.
    pub number: u32,
    /// The sum of 1 / (4 + place) over all lists that contain the passage.
    pub score: f32,
    /// The place of the passage in each list, from 1.
    pub places: Vec<Option<u32>>,
}

/// Fuses lists, each sorted from best to worst, by reciprocal rank (Cormack, Clarke and Büttcher, SIGIR 2009), so that
/// scores of different kinds need not be compared. The result is sorted from best to worst; ties are ordered by
/// document and number.
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn hit(number: u32) -> Hit {
        let document = DocKey { document: Uuid::from_u128(1), generation: 1 };
        Hit { document, number, score: 0.0 }
    }

    #[test]
    fn fuse_places_the_first_of_one_list_among_the_first_six() {
        let others: Vec<Hit> = (1..=50).map(hit).collect();
        for (first, behind) in [(0, 50), (0, 49), (0, 3)] {
            // One list has the passage first, followed by the others; the other list has the others first, and the
            // passage far behind.
            let one: Vec<Hit> = std::iter::once(hit(first)).chain(others.iter().cloned()).collect();
            let mut other = others.clone();
            other.insert(behind, hit(first));
            other.truncate(50);
            for lists in [[one.clone(), other.clone()], [other, one]] {
                let place = fuse(&lists).iter().position(|fused| fused.number == first);
                assert!(place.is_some_and(|place| place < 6), "{place:?}");
            }
        }
    }

    #[test]
    fn fuse_prefers_passages_near_the_top_of_both_lists() {
        let lists = [vec![hit(1), hit(2), hit(3)], vec![hit(4), hit(2), hit(1)]];
        let fused = fuse(&lists);
        let numbers: Vec<u32> = fused.iter().map(|fused| fused.number).collect();
        assert_eq!(numbers, [1, 2, 4, 3]);
        assert_eq!(fused[0].places, [Some(1), Some(3)]);
    }
}
