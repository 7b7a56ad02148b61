//! Documents under `kill -9`: every accepted document is indexed in the end, completely and once, and
//! embeddings that were paid for are not paid for again.
//!
//! `UNDERSTUDY_KNOWLEDGE_CRASHES` sets the number of crashes (10); `UNDERSTUDY_SEED` repeats a run's random
//! choices.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::server::{EMAIL, PASSWORD, Server};
use super::setting;
use crate::harness::fake_embedder::FakeEmbedder;
use crate::harness::{Client, Person, comes, text};

/// Number of documents added between two crashes.
const LOAD: usize = 3;
/// Passages per embedding request.
const BLOCK: u64 = 64;
/// Number of documents that are processed concurrently.
const AT_ONCE: u64 = 2;
/// Time limit until every document is indexed when there are no further crashes.
const ALL_READY: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_are_indexed_completely_and_once() {
    let crashes = setting("UNDERSTUDY_KNOWLEDGE_CRASHES", 10);
    let seed = setting("UNDERSTUDY_SEED", rand::rng().random_range(0..1_000_000));
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{crashes} crashes; UNDERSTUDY_SEED={seed} repeats them");
    let mut dice = StdRng::seed_from_u64(seed);
    let embedder = FakeEmbedder::start().await;
    let mut server = Server::install_with(&embedder.toml()).await;
    let mut reader = Reader::log_in(&server).await;
    let base = reader.base().await;
    embedder.delay(Duration::from_millis(40));

    let mut texts: Vec<String> = Vec::new();
    let (mut accepted, mut older) = (0, 0);
    for crash in 0..crashes {
        for _ in 0..LOAD {
            texts.push(letter(texts.len(), dice.random_range(50..600)));
        }
        let mut upload = 0;
        let long = crash % 3 == 2;
        let longest = if long { 4_000 } else { 900 };
        let until = Instant::now() + Duration::from_millis(dice.random_range(longest / 2..longest));
        while Instant::now() < until {
            match texts.get(accepted).filter(|_| upload < LOAD) {
                Some(letter) if reader.upload(&base, accepted, letter).await => {
                    (accepted, upload) = (accepted + 1, upload + 1)
                }
                _ => sleep(Duration::from_millis(5)).await,
            }
        }
        // Occasionally wait until older documents are indexed. A run that never makes progress is rightly
        // marked as failed.
        if long {
            comes(async || reader.are_ready(&base, older).await).await;
            older = accepted;
        }
        server.kill();
        server.spawn();
        server.ready().await;
        reader.client = Client::new(server.url.clone(), Some(reader.client.bearer().to_owned()));
        let known = reader.documents(&base).await;
        assert_eq!(known.len(), accepted, "crash {crash}, seed {seed}: an accepted document is gone");
    }
    embedder.delay(Duration::ZERO);
    let ready = reader.all_ready(&base, seed).await;
    let paid = embedder.texts();

    // The same documents, undisturbed, in another base with the same settings.
    let calm = reader.base().await;
    for (n, letter) in texts.iter().take(accepted).enumerate() {
        assert!(reader.upload(&calm, n, letter).await);
    }
    let undisturbed = reader.all_ready(&calm, seed).await;
    assert_eq!(ready, undisturbed, "seed {seed}: passages or tokens differ");

    let chunks: u64 = ready.values().map(|(chunks, _)| *chunks).sum();
    let again: u64 = paid.values().map(|times| times - 1).sum();
    println!("{accepted} documents, {chunks} passages, {again} of them embedded again");
    // A crash can waste at most the work that was in progress.
    assert!(again <= crashes * AT_ONCE * BLOCK, "seed {seed}: {again} passages were embedded twice");
    for n in (0..accepted).step_by(7) {
        let found = reader.sources(&base, &word(n)).await;
        assert!(found.iter().any(|source| source["title"] == title(n)), "seed {seed}, letter {n}: {found:?}");
        let places: HashSet<String> = found.iter().map(|source| source["place"].to_string()).collect();
        assert_eq!(places.len(), found.len(), "seed {seed}: a passage is found twice");
    }
}

fn title(n: usize) -> String {
    format!("letter-{n}.txt")
}

/// A word that occurs in one document only, and shares no part with a word of another document.
fn word(n: usize) -> String {
    let mut left = (n + 1) * 104_729;
    let mut word = String::new();
    while left > 0 {
        word.push(char::from(b'b' + (left % 25) as u8));
        left /= 25;
    }
    word
}

fn letter(n: usize, sentences: usize) -> String {
    let mut letter = format!("Letter {} keeps the keyword brindle{n}.\n\n", word(n));
    for s in 0..sentences {
        letter.push_str(&format!("Sentence {s} of letter number {n} tells of boats, tides and ropes. "));
        if s % 6 == 5 {
            letter.push_str("\n\n");
        }
    }
    letter
}

/// A user who adds documents and asks questions about them.
struct Reader {
    client: Client,
}

impl Reader {
    async fn log_in(server: &Server) -> Self {
        let person = Person::log_in(&server.url, EMAIL, PASSWORD).await;
        let client = Client::new(server.url.clone(), Some(person.access_token));
        let made = client.post("/api/auth/api-tokens", json!({"name": "crash test"})).await.created();
        Self { client: Client::new(server.url.clone(), Some(text(&made["token"]))) }
    }

    async fn base(&self) -> String {
        let body =
            json!({"name": "Letters", "embedding_model": "fake/embed", "chunk_tokens": 64, "overlap": 8});
        text(&self.client.post("/api/knowledge-bases", body).await.created()["id"])
    }

    /// Uploads a document; false if the server did not respond, or refused it.
    async fn upload(&self, base: &str, n: usize, letter: &str) -> bool {
        let form = format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
             content-type: text/plain\r\n\r\n{letter}\r\n--x--\r\n",
            title(n)
        );
        let path = format!("/api/knowledge-bases/{base}/files");
        let request = self.client.request(Method::POST, &path);
        let request = request.header("content-type", "multipart/form-data; boundary=x").body(form);
        let answer = request.send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    async fn documents(&self, base: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/api/knowledge-bases/{base}/documents?limit=200{cursor}");
            let page = self.client.get(&path).await.ok();
            all.extend(page["items"].as_array().cloned().unwrap_or_default());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }

    /// Whether the first `first` documents are indexed.
    async fn are_ready(&self, base: &str, first: usize) -> bool {
        let documents = self.documents(base).await;
        let is_older = |document: &Value| (0..first).any(|n| document["title"] == title(n));
        documents.iter().filter(|it| is_older(it)).all(|document| document["status"] == "ready")
    }

    /// Passages and tokens by title, after all documents have been indexed.
    async fn all_ready(&self, base: &str, seed: u64) -> BTreeMap<String, (u64, u64)> {
        let until = Instant::now() + ALL_READY;
        loop {
            let documents = self.documents(base).await;
            if documents.iter().all(|document| document["status"] == "ready") {
                let count = |document: &Value, name: &str| document[name].as_u64().unwrap_or_default();
                let sizes = documents.iter().map(|document| {
                    (text(&document["title"]), (count(document, "chunks"), count(document, "tokens")))
                });
                return sizes.collect();
            }
            let failed: Vec<_> = documents.iter().filter(|document| document["status"] == "failed").collect();
            assert!(failed.is_empty(), "seed {seed}: {failed:#?}");
            assert!(Instant::now() < until, "seed {seed}: not all documents are indexed: {documents:#?}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// The sources of a completion over a knowledge base.
    async fn sources(&self, base: &str, question: &str) -> Vec<Value> {
        let conversation = text(&self.client.post("/api/conversations", json!({})).await.created()["id"]);
        let body = json!({"message": question, "knowledge_base_ids": [base], "stream": false});
        let path = format!("/api/conversations/{conversation}/completion");
        self.client.post(&path, body).await.ok();
        let whole = self.client.get(&format!("/api/conversations/{conversation}")).await.ok();
        let messages = whole["messages"].as_array().cloned().unwrap_or_default();
        let parts =
            messages.iter().flat_map(|message| message["parts"].as_array().cloned().unwrap_or_default());
        parts.filter(|part| part["type"] == "source").collect()
    }
}
