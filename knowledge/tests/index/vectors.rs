use knowledge::{Matrix, Quantized};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::doc;

const DIMENSIONS: usize = 96;

fn random(rng: &mut StdRng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| rng.random_range(-1.0f32..1.0) + rng.random_range(-1.0f32..1.0)).collect()
}

/// Vectors near one of a few centres that differ only slightly.
fn clustered(rng: &mut StdRng, number: usize) -> Vec<Vec<f32>> {
    let centres: Vec<Vec<f32>> = (0..20).map(|_| random(rng)).collect();
    let near = |rng: &mut StdRng| {
        let centre = &centres[rng.random_range(0..centres.len())];
        centre.iter().zip(random(rng)).map(|(a, b)| a + 0.4 * b).collect()
    };
    (0..number).map(|_| near(rng)).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn matrix(vectors: &[Vec<f32>]) -> Matrix {
    let mut matrix = Matrix::new(DIMENSIONS);
    for (number, vector) in (0..).zip(vectors) {
        matrix.push(doc(u128::from(number % 7)), number, &Quantized::new(vector));
    }
    matrix
}

fn recall(vectors: &[Vec<f32>], queries: &[Vec<f32>]) -> f64 {
    let matrix = matrix(vectors);
    let mut found = 0;
    for query in queries {
        let mut exact: Vec<(f32, u32)> =
            (0..).zip(vectors).map(|(number, vector)| (cosine(query, vector), number)).collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let hits = matrix.search(query, 10, |_| true);
        assert_eq!(hits.len(), 10);
        for hit in &hits {
            assert!((hit.score - cosine(query, &vectors[hit.number as usize])).abs() < 0.01);
        }
        found += exact[..10].iter().filter(|(_, n)| hits.iter().any(|hit| hit.number == *n)).count();
    }
    found as f64 / (queries.len() * 10) as f64
}

#[test]
fn quantized_search_has_the_recall_of_floats() {
    let mut rng = StdRng::seed_from_u64(7);
    let vectors: Vec<Vec<f32>> = (0..2000).map(|_| random(&mut rng)).collect();
    let queries: Vec<Vec<f32>> = (0..50).map(|_| random(&mut rng)).collect();
    let random = recall(&vectors, &queries);
    let mut vectors = clustered(&mut rng, 2050);
    let queries = vectors.split_off(2000);
    let clustered = recall(&vectors, &queries);
    assert!(random >= 0.98 && clustered >= 0.98, "random {random}, clustered {clustered}");
}

#[test]
fn search_sorts_by_cosine_and_applies_the_filter() {
    let mut rng = StdRng::seed_from_u64(8);
    let vectors: Vec<Vec<f32>> = (0..500).map(|_| random(&mut rng)).collect();
    let matrix = matrix(&vectors);
    for limit in [1, 3, 499, 500, 501, usize::MAX] {
        let hits = matrix.search(&vectors[42], limit, |_| true);
        assert_eq!(hits.len(), limit.min(500));
        assert_eq!(hits[0].number, 42);
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    }
    let some = matrix.search(&vectors[42], 500, |key| *key != doc(0));
    assert_eq!(some.len(), vectors.len() - vectors.len().div_ceil(7));
    assert!(matrix.search(&vectors[42], 0, |_| true).is_empty());
    assert!(matrix.search(&vectors[42][1..], 5, |_| true).is_empty());
}

#[test]
fn search_orders_ties_by_document_and_number() {
    let vector = Quantized::new(&[1.0, 2.0, 3.0]);
    let mut matrix = Matrix::new(3);
    for (document, number) in [(2, 0), (1, 1), (3, 5), (1, 0)] {
        matrix.push(doc(document), number, &vector);
    }
    let hits = matrix.search(&[1.0, 2.0, 3.0], 3, |_| true);
    let order: Vec<_> = hits.iter().map(|hit| (hit.document, hit.number)).collect();
    assert_eq!(order, [(doc(1), 0), (doc(1), 1), (doc(2), 0)]);
}

#[test]
fn remove_keeps_the_other_documents() {
    let mut rng = StdRng::seed_from_u64(9);
    let vectors: Vec<Vec<f32>> = (0..300).map(|_| random(&mut rng)).collect();
    let mut all = matrix(&vectors);
    let before = all.search(&vectors[1], 300, |key| *key != doc(3));
    all.remove(&doc(3));
    all.remove(&doc(99));
    assert_eq!(all.search(&vectors[1], 300, |_| true), before);
    for number in 0..7 {
        all.remove(&doc(number));
    }
    assert!(all.is_empty() && all.bytes() == 0, "{} bytes", all.bytes());
    all.push(doc(1), 0, &Quantized::new(&vectors[0]));
    assert_eq!(all.search(&vectors[0], 5, |_| true).len(), 1);
}

#[test]
fn push_and_search_accept_degenerate_vectors() {
    let mut matrix = Matrix::new(0);
    assert!(matrix.search(&[], 5, |_| true).is_empty());
    matrix.push(doc(1), 0, &Quantized::new(&[]));
    assert!(matrix.is_empty());
    matrix.push(doc(1), 0, &Quantized::new(&[3.0, 4.0]));
    matrix.push(doc(1), 1, &Quantized::new(&[1.0, 2.0, 3.0]));
    assert_eq!(matrix.len(), 1, "the first vector says how long they are");
    for odd in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0], [1e-40, 1e-40], [3e38, 3e38]] {
        let quantized = Quantized::new(&odd);
        assert!(quantized.scale.is_finite());
        matrix.push(doc(2), 0, &quantized);
        assert!(matrix.search(&odd, 9, |_| true).iter().all(|hit| hit.score.is_finite()));
    }
    assert_eq!(matrix.search(&[3.0, 4.0], 1, |_| true)[0].document, doc(1));
}

#[test]
fn write_and_read_round_trip() {
    let mut rng = StdRng::seed_from_u64(10);
    let vectors: Vec<Quantized> = (0..5).map(|_| Quantized::new(&random(&mut rng))).collect();
    let mut bytes = Vec::new();
    vectors.iter().for_each(|vector| vector.write(&mut bytes));
    assert_eq!(bytes.len(), 5 * (DIMENSIONS + 4));
    assert_eq!(Quantized::read(&bytes, DIMENSIONS), Some(vectors));
    assert_eq!(Quantized::read(&bytes[1..], DIMENSIONS), None);
    assert_eq!(Quantized::read(&bytes, usize::MAX), None);
    assert_eq!(Quantized::read(&[], DIMENSIONS), Some(Vec::new()));
}
