//! The word index on disk, the vector index in memory, and how texts are split into passages.

mod cache;
mod chunk;
mod damage;
mod lexical;
mod questions;
#[path = "../../../benches/in_process/knowledge/questions.rs"]
mod set;
mod vectors;

use std::path::Path;

use knowledge::{Change, DocKey, Hit, Lexical, LexicalQuery, Passage};
use uuid::Uuid;

/// A document key that depends only on the number.
pub fn doc(number: u128) -> DocKey {
    DocKey { document: Uuid::from_u128(number), generation: 1 }
}

/// Adds passages with these texts, without headings.
pub fn add(base: Uuid, document: DocKey, texts: &[&str]) -> Change {
    let passage =
        |(number, text): (u32, &&str)| Passage { number, headings: String::new(), text: (*text).to_owned() };
    Change::Add { base, document, passages: (0..).zip(texts).map(passage).collect() }
}

/// The index of one tenant with one knowledge base.
pub struct TestIndex {
    pub lexical: Lexical,
    pub tenant: Uuid,
    pub base: Uuid,
}

impl TestIndex {
    pub fn open(dir: &Path) -> Self {
        Self { lexical: Lexical::new(dir.into()), tenant: Uuid::from_u128(1), base: Uuid::from_u128(2) }
    }

    pub async fn put(&self, document: DocKey, texts: &[&str]) {
        self.apply(vec![add(self.base, document, texts)]).await;
    }

    pub async fn apply(&self, changes: Vec<Change>) {
        self.lexical.apply(self.tenant, changes).await.expect("the changes are made");
    }

    pub async fn hits(&self, text: &str) -> Vec<Hit> {
        self.hits_in(&[self.base], text).await
    }

    pub async fn hits_in(&self, bases: &[Uuid], text: &str) -> Vec<Hit> {
        let query = LexicalQuery { text: text.to_owned(), bases: bases.to_vec(), limit: 10 };
        self.lexical.search(self.tenant, query).await.expect("the search works")
    }

    /// The documents and numbers of the passages that are found, from best to worst.
    pub async fn found(&self, text: &str) -> Vec<(DocKey, u32)> {
        self.hits(text).await.iter().map(|hit| (hit.document, hit.number)).collect()
    }
}
