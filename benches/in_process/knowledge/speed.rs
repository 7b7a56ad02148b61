//! Duration of searches, and memory and disk use of the indexes.

use std::path::Path;
use std::time::{Duration, Instant};

use knowledge::{Change, DocKey, Hit, Lexical, LexicalQuery, Matrix, Passage, Quantized, fuse};
use providers::{EmbedPurpose, Embedder, Models};
use uuid::Uuid;

use crate::questions::{CANDIDATES, Outcome, embed};
use crate::texts::Texts;

const TENANT: Uuid = Uuid::from_u128(1);
const BASE: Uuid = Uuid::from_u128(2);
/// Number of passages per document.
const DOCUMENT: usize = 100;
/// Number of timed searches; the same number of untimed searches runs first.
const SEARCHES: usize = 200;

/// Indexes filled with the given number of passages.
struct Indexes {
    lexical: Lexical,
    matrix: Matrix,
    embedder: std::sync::Arc<Embedder>,
    dir: tempfile::TempDir,
    /// Time spent indexing words, and time spent computing vectors.
    took: [Duration; 2],
}

/// Prints one table for all sizes.
pub async fn measure(sizes: &[usize]) -> Outcome<()> {
    let mut lines = Vec::new();
    for size in sizes {
        eprintln!("  {size} passages");
        let mut texts = Texts::new();
        let before = resident();
        let indexes = Indexes::build(*size, &mut texts).await?;
        let memory = resident() - before;
        let [lexical, vector, hybrid] = indexes.time(&mut texts).await?;
        let per_second = indexes.took.map(|took| *size as f64 / took.as_secs_f64());
        lines.push(format!(
            "| {size} | {lexical} | {vector} | {hybrid} | {:.0} | {:.0} | {:.1} | {:.1} | {memory:.0} |",
            per_second[0],
            per_second[1],
            indexes.matrix.bytes() as f64 / 1e6,
            on_disk(indexes.dir.path())? as f64 / 1e6,
        ));
    }
    println!(
        "\n| passages | lexical p50 / p99 ms | vector | hybrid | words put in /s | vectors made /s | \
              vectors MB | index on disk MB | memory grown MB |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    lines.iter().for_each(|line| println!("{line}"));
    println!();
    Ok(())
}

impl Indexes {
    async fn build(size: usize, texts: &mut Texts) -> Outcome<Self> {
        let dir = tempfile::tempdir()?;
        let embedder = Models::builtin().find_embedder("builtin/hash").ok_or("no builtin/hash")?;
        let lexical = Lexical::new(dir.path().into());
        let mut indexes = Self { lexical, matrix: Matrix::new(0), embedder, dir, took: [Duration::ZERO; 2] };
        for number in 0..size.div_ceil(DOCUMENT) {
            let document = DocKey { document: Uuid::from_u128(number as u128), generation: 1 };
            let all: Vec<String> = (0..DOCUMENT.min(size)).map(|_| texts.passage()).collect();
            indexes.put(document, all).await?;
        }
        Ok(indexes)
    }

    async fn put(&mut self, document: DocKey, texts: Vec<String>) -> Outcome<()> {
        let passage =
            |(number, text): (u32, &String)| Passage { number, headings: String::new(), text: text.clone() };
        let passages = (0..).zip(&texts).map(passage).collect();
        let begin = Instant::now();
        self.lexical.apply(TENANT, vec![Change::Add { base: BASE, document, passages }]).await?;
        self.took[0] += begin.elapsed();
        let begin = Instant::now();
        let vectors = embed(&self.embedder, texts, EmbedPurpose::Document).await?;
        self.took[1] += begin.elapsed();
        for (number, vector) in (0..).zip(vectors) {
            self.matrix.push(document, number, &Quantized::new(&vector));
        }
        Ok(())
    }

    /// Median and 99th percentile of searches by words, by vectors and by both.
    async fn time(&self, texts: &mut Texts) -> Outcome<[String; 3]> {
        let mut times: [Vec<Duration>; 3] = Default::default();
        for search in 0..SEARCHES * 2 {
            let question = texts.question();
            let begin = Instant::now();
            let words = self.words(&question).await?;
            let words_took = begin.elapsed();
            let near = self.near(&question).await?;
            let near_took = begin.elapsed() - words_took;
            std::hint::black_box(fuse(&[words, near]));
            if search >= SEARCHES {
                let all = begin.elapsed();
                times.iter_mut().zip([words_took, near_took, all]).for_each(|(to, took)| to.push(took));
            }
        }
        Ok(times.map(|mut times| {
            times.sort_unstable();
            let at = |part: f64| times[(times.len() as f64 * part) as usize].as_secs_f64() * 1e3;
            format!("{:.2} / {:.2}", at(0.5), at(0.99))
        }))
    }

    async fn words(&self, question: &str) -> Outcome<Vec<Hit>> {
        let query = LexicalQuery { text: question.to_owned(), bases: vec![BASE], limit: CANDIDATES };
        Ok(self.lexical.search(TENANT, query).await?)
    }

    async fn near(&self, question: &str) -> Outcome<Vec<Hit>> {
        let vector = embed(&self.embedder, vec![question.to_owned()], EmbedPurpose::Query).await?.remove(0);
        Ok(self.matrix.search(&vector, CANDIDATES, |_| true))
    }
}

/// Resident memory of the process in megabytes; 0 if the system does not report it.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}

fn on_disk(dir: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { on_disk(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}
