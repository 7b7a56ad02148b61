use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Quantized;
use crate::hit::{DocKey, Hit};

/// The number of components that are multiplied and added together at a time; chosen so that the compiler vectorizes
/// the loop.
const LANE: usize = 16;

/// All vectors of one version of one knowledge base.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    dimensions: usize,
    rows: Vec<(DocKey, u32)>,
    scales: Vec<f32>,
    values: Vec<i8>,
}

impl Matrix {
    /// Creates an empty matrix for vectors with this number of dimensions; 0 takes it from the first vector.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Adds the vector of a passage. A vector with a different number of dimensions is ignored.
    pub fn push(&mut self, document: DocKey, number: u32, vector: &Quantized) {
        if self.dimensions == 0 {
            self.dimensions = vector.values.len();
        }
        if vector.values.len() == self.dimensions && self.dimensions > 0 {
            self.rows.push((document, number));
            self.scales.push(vector.scale);
            self.values.extend_from_slice(&vector.values);
        }
    }

    /// Removes all passages of one generation of a document.
    pub fn remove(&mut self, document: &DocKey) {
        let mut remaining = 0;
        for row in 0..self.rows.len() {
            if self.rows[row].0 == *document {
                continue;
            }
            if remaining != row {
                self.rows[remaining] = self.rows[row];
                self.scales[remaining] = self.scales[row];
                let from = row * self.dimensions;
                self.values.copy_within(from..from + self.dimensions, remaining * self.dimensions);
            }
            remaining += 1;
        }
        self.rows.truncate(remaining);
        self.scales.truncate(remaining);
        self.values.truncate(remaining * self.dimensions);
        if self.values.capacity() > self.values.len() * 2 {
            self.shrink();
        }
    }

    /// Releases unused capacity.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.scales.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// The numbers of the passages of a document in the matrix.
    pub(super) fn numbers<'a>(&'a self, document: &'a DocKey) -> impl Iterator<Item = u32> + 'a {
        self.rows.iter().filter(move |(key, _)| key == document).map(|(_, number)| *number)
    }

    /// The number of passages.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the matrix contains no passages.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The memory usage in bytes.
    pub fn bytes(&self) -> usize {
        let row = size_of::<(DocKey, u32)>();
        self.values.capacity() + self.rows.capacity() * row + self.scales.capacity() * size_of::<f32>()
    }

    /// Returns the passages nearest to a vector by cosine, from nearest to farthest, of the documents that `accept`
    /// accepts. The score is the cosine. Ties are ordered by document and number. Every vector is compared, which takes
    /// some time for large matrices; do not call this on a thread that others wait for.
    pub fn search(&self, query: &[f32], limit: usize, accept: impl Fn(&DocKey) -> bool) -> Vec<Hit> {
        if query.len() != self.dimensions || self.dimensions == 0 || limit == 0 {
            return Vec::new();
        }
        let (query, worth) = fine(query);
        let vectors = self.values.chunks_exact(self.dimensions);
        let mut best: BinaryHeap<Worst> = BinaryHeap::with_capacity(limit.min(self.len()) + 1);
        // The passages of a document are usually adjacent, so `accept` is called once for all of them.
        let mut last_checked: Option<(DocKey, bool)> = None;
        for ((vector, (document, number)), scale) in vectors.zip(&self.rows).zip(&self.scales) {
            let accepted = match last_checked {
                Some((key, answer)) if key == *document => answer,
                _ => accept(document),
            };
            last_checked = Some((*document, accepted));
            if !accepted {
                continue;
            }
            let score = dot(vector, &query) as f32 * scale * worth;
            let hit = Worst(Hit { document: *document, number: *number, score });
            if best.len() < limit {
                best.push(hit);
            } else if best.peek().is_some_and(|worst| hit < *worst) {
                best.pop();
                best.push(hit);
            }
        }
        best.into_sorted_vec().into_iter().map(|worst| worst.0).collect()
    }
}

/// Normalizes a query vector to length 1 with 16-bit components, scaled so that sums of products with bytes fit into 32
/// bits. Also returns the value of one step. There is only one query vector, so it need not be as compact as the
/// others.
fn fine(query: &[f32]) -> (Vec<i16>, f32) {
    let length = query.iter().map(|x| x * x).sum::<f32>().sqrt();
    let most = query.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let room = i32::MAX as usize / 127 / query.len();
    let steps = room.min(i16::MAX as usize) as f32;
    let worth = most / length / steps;
    if !length.is_normal() || !worth.is_normal() {
        return (vec![0; query.len()], 0.0);
    }
    (query.iter().map(|x| (x / length / worth).round() as i16).collect(), worth)
}

/// The dot product of the vectors.
fn dot(a: &[i8], b: &[i16]) -> i32 {
    let product = |(a, b): (&i8, &i16)| i32::from(i16::from(*a)) * i32::from(*b);
    let (a, a_rest) = a.as_chunks::<LANE>();
    let (b, b_rest) = b.as_chunks::<LANE>();
    let lanes = a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(product).sum::<i32>());
    lanes.sum::<i32>() + a_rest.iter().zip(b_rest).map(product).sum::<i32>()
}

/// A hit; the ordering is reversed so that the worst hit is the greatest.
struct Worst(Hit);

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |hit: &Hit| (hit.document, hit.number);
        other.0.score.total_cmp(&self.0.score).then_with(|| place(&self.0).cmp(&place(&other.0)))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}
