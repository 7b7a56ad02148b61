//! The open question set: documents split at their headings, questions with the passages that answer them, and how well
//! each search method finds these passages.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use knowledge::{Change, DocKey, Hit, Lexical, LexicalQuery, Matrix, Passage, Quantized, fuse};
use providers::{EmbedPurpose, EmbedRequest, Embedder, Models};
use serde::Deserialize;
use uuid::Uuid;

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Folder of the set, relative to the root of the repository.
const FOLDER: &str = "tests/knowledge-questions";
/// Passages that each search method contributes to the fusion.
pub const CANDIDATES: usize = 50;
/// Number of top results among which the answer should be.
const FIRST: usize = 5;

#[derive(Deserialize)]
struct Question {
    kind: String,
    question: String,
    /// `<file>#<section>`, the sections counted from 1.
    answers: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SearchMethod {
    Lexical,
    Vector,
    Hybrid,
}

pub const SEARCH_METHODS: [SearchMethod; 3] =
    [SearchMethod::Lexical, SearchMethod::Vector, SearchMethod::Hybrid];

/// Search quality over a set of questions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub questions: u32,
    /// Questions with an answer among the first five results.
    hits: u32,
    /// The sum of 1 / rank of the first answer.
    reciprocal: f64,
}

impl Figures {
    fn add(&mut self, place: Option<usize>) {
        self.questions += 1;
        self.hits += u32::from(place.is_some_and(|place| place <= FIRST));
        self.reciprocal += place.map_or(0.0, |place| 1.0 / place as f64);
    }

    /// The fraction of questions with an answer among the first five results.
    pub fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.questions.max(1))
    }

    /// The mean of 1 / rank of the first answer.
    pub fn mrr(&self) -> f64 {
        self.reciprocal / f64::from(self.questions.max(1))
    }
}

/// The figures of each search method, for all questions (under "all") and by kind of question.
pub type Report = BTreeMap<(SearchMethod, String), Figures>;

/// Indexes all passages, together with the Markdown files of another folder if one is given, and asks all questions.
pub async fn measure(root: &Path, among: Option<&str>) -> Outcome<Report> {
    let dir = tempfile::tempdir()?;
    let lexical = Lexical::new(dir.path().into());
    let embedder = Models::builtin().find_embedder("builtin/hash").ok_or("no builtin/hash")?;
    let (tenant, base) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let mut matrix = Matrix::new(0);
    let mut names: HashMap<DocKey, String> = HashMap::new();
    let mut changes = Vec::new();
    let mut all = documents(&root.join(FOLDER).join("documents"), "")?;
    if let Some(folder) = among {
        all.extend(documents(&root.join(folder), folder)?);
    }
    for (number, (name, passages)) in (1..).zip(all) {
        let document = DocKey { document: Uuid::from_u128(number), generation: 1 };
        names.insert(document, name);
        let texts = passages.iter().map(|p| format!("{}\n{}", p.headings, p.text)).collect();
        for (passage, vector) in (0..).zip(embed(&embedder, texts, EmbedPurpose::Document).await?) {
            matrix.push(document, passage, &Quantized::new(&vector));
        }
        changes.push(Change::Add { base, document, passages });
    }
    lexical.apply(tenant, changes).await?;
    let mut report = Report::new();
    let questions: Vec<Question> =
        serde_json::from_slice(&std::fs::read(root.join(FOLDER).join("questions.json"))?)?;
    for question in questions {
        let text = question.question.clone();
        let query = LexicalQuery { text: text.clone(), bases: vec![base], limit: CANDIDATES };
        let words = lexical.search(tenant, query).await?;
        let vector = embed(&embedder, vec![text], EmbedPurpose::Query).await?.remove(0);
        let near = matrix.search(&vector, CANDIDATES, |_| true);
        let both = [words, near];
        let fused = fuse(&both).into_iter().map(|one| (one.document, one.number)).collect();
        let places = |hits: &[Hit]| hits.iter().map(|hit| (hit.document, hit.number)).collect();
        let found: [Vec<(DocKey, u32)>; 3] = [places(&both[0]), places(&both[1]), fused];
        for (way, found) in SEARCH_METHODS.into_iter().zip(found) {
            let answers = |(document, number): &(DocKey, u32)| {
                question.answers.contains(&format!("{}#{}", names[document], number + 1))
            };
            let place = found.iter().position(answers).map(|at| at + 1);
            if std::env::var_os("UNDERSTUDY_SHOW_MISSES").is_some() && place.is_none_or(|at| at > FIRST) {
                eprintln!("{way:?} {place:?} {}: {}", question.kind, question.question);
            }
            for kind in ["all", &question.kind] {
                report.entry((way, kind.to_owned())).or_default().add(place);
            }
        }
    }
    Ok(report)
}

pub async fn embed(embedder: &Embedder, texts: Vec<String>, purpose: EmbedPurpose) -> Outcome<Vec<Vec<f32>>> {
    let request =
        EmbedRequest { model: embedder.upstream_id.clone(), texts, purpose, ..EmbedRequest::default() };
    Ok(embedder.model.embed(request).await?.vectors)
}

/// The documents of a folder by name, each split into sections at its headings. `before` is the prefix of their names.
fn documents(folder: &Path, before: &str) -> Outcome<BTreeMap<String, Vec<Passage>>> {
    let mut documents = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let mut sections = text.trim_start_matches("# ").split("\n## ");
        let title = sections.next().and_then(|head| head.lines().next()).unwrap_or_default().to_owned();
        let passage = |(number, section): (u32, &str)| {
            let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
            Passage { number, headings: format!("{title}\n{heading}"), text: text.trim().to_owned() }
        };
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a filename that is not UTF-8")?;
        documents.insert(format!("{before}{name}"), (0..).zip(sections).map(passage).collect());
    }
    Ok(documents)
}
