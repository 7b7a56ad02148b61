//! The indexes of messages: how they are built, and what a search responds until they are complete.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::json;
use storage::records::{Message, Part};
use storage::{TenantId, Tx};
use uuid::Uuid;

use super::search::{PATH, found, put};
use crate::api::streams::reading::{ask, conversation, server};
use crate::harness::{TestServer, until};

/// Whether the indexes of all tenants are complete, of which there are `count`.
fn are_complete(index: &Path, count: usize) -> bool {
    let folders = std::fs::read_dir(index).into_iter().flatten().flatten();
    folders.filter(|tenant| tenant.path().join("complete").exists()).count() == count
}

#[tokio::test]
async fn indexes_that_are_missing_are_built_after_the_start() {
    let server = TestServer::start().await;
    for client in [server.user(), server.stranger()] {
        let home = conversation(&client).await;
        put(&client, &home, vec![json!({"role": "user", "content": "the tide"})]).await;
        assert_eq!(found(&client, "query=tide").await.len(), 1);
    }
    let index = server.dir().join("message-index");
    let server = server.restart_with(|_| std::fs::remove_dir_all(&index).expect("an index")).await;
    // No one searches, and no message changes.
    until("the indexes are built", async || are_complete(&index, 2)).await;
    for client in [server.user(), server.stranger()] {
        assert_eq!(found(&client, "query=tide").await.len(), 1);
    }
}

/// Adds messages about the sea to new conversations of the user, a thousand to each. One of a thousand has the word
/// `zephyr`.
async fn fill(server: &TestServer, tenant: TenantId, count: usize) -> Vec<Uuid> {
    let mut homes = Vec::new();
    for from in (0..count).step_by(1_000) {
        let home: Uuid = conversation(&server.user()).await.parse().expect("an id");
        homes.push(home);
        let fill = move |tx: &mut Tx| {
            (from..count.min(from + 1_000)).try_for_each(|n| {
                let text = format!(
                    "{} of the sea {n}",
                    if n.is_multiple_of(1_000) { "the zephyr" } else { "the calm" }
                );
                let message = Message { parts: vec![Part::Text { text }], ..Message::default() };
                tx.insert_message(tenant, (home, storage::new_id()), message).map(drop)
            })
        };
        server.store().run(fill).await.expect("the messages are written");
    }
    homes
}

/// `UNDERSTUDY_SEARCH_MESSAGES` sets the number of messages of the large tenant. The time that the build takes is printed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_search_of_a_large_tenant_delays_no_other_tenant() {
    let given = std::env::var("UNDERSTUDY_SEARCH_MESSAGES").ok().and_then(|count| count.parse().ok());
    let count: usize = given.unwrap_or(10_000);
    let server = server().await;
    let user = server.user();
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    let mut homes = fill(&server, tenant, count).await;
    let began = Instant::now();
    let searcher = user.clone();
    let building = tokio::spawn(async move {
        let mut before = 0;
        loop {
            let answer = searcher.get(&format!("{PATH}?query=zephyr&limit=200")).await;
            if answer.status != 503 {
                return answer.ok()["items"].as_array().map(Vec::len);
            }
            let problem = answer.problem(503, "indexing");
            // Changes that are added after the build have no progress.
            let progress = problem["progress"].as_u64().unwrap_or(99);
            assert!((before..100).contains(&progress), "{progress} after {before}");
            before = progress;
            assert!(answer.header("retry-after").is_some());
        }
    });
    // Changes while the index is built: one message is deleted with its conversation, one is edited, and one is new.
    let gone = homes.remove(0);
    user.delete(&format!("/api/conversations/{gone}")).await.no_content();
    let home = conversation(&user).await;
    put(&user, &home, vec![json!({"role": "user", "content": "the zephyr"})]).await;
    let stranger = server.stranger();
    let elsewhere = conversation(&stranger).await;
    put(&stranger, &elsewhere, vec![json!({"role": "user", "content": "the zephyr"})]).await;
    let mut others = 0;
    while !building.is_finished() || others == 0 {
        assert_eq!(found(&stranger, "query=zephyr").await.len(), 1);
        ask(&stranger, &elsewhere, json!({"message": "Speak.", "parameters": {"length": 5}}))
            .await
            .rest()
            .await;
        others += 1;
    }
    building.await.expect("the search").expect("items");
    println!("{count} messages: {:?}; {others} searches and answers elsewhere during it", began.elapsed());
    assert_eq!(found(&user, "query=zephyr&limit=200").await.len(), count.div_ceil(1_000));
}

/// A pipe that has no reader yet, so that a writer waits.
struct Blockage<'p>(&'p Path);

impl<'p> Blockage<'p> {
    fn new(path: &'p Path) -> Self {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
        Self(path)
    }
}

impl Drop for Blockage<'_> {
    /// Lets the writer continue. A server that cannot end would otherwise keep the test from ending.
    fn drop(&mut self) {
        let path = self.0.to_owned();
        std::thread::spawn(move || std::fs::read(path)).join().expect("no panic").expect("a pipe");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_reports_that_the_index_is_being_built_and_how_far_it_is() {
    let server = server().await;
    let tenant = TenantId(server.user_person().tenant.parse().expect("an id"));
    fill(&server, tenant, 3_000).await;
    let user = server.user();
    assert_eq!(found(&user, "query=zephyr").await.len(), 3);
    let folder = server.dir().join("message-index").join(tenant.0.to_string());
    // The build stops where it records that it has added the first 2,000 messages.
    let position = folder.join("position.new");
    let mut blockage = None;
    let server = server
        .restart_with(|_| {
            std::fs::remove_file(folder.join("complete")).expect("a complete index");
            blockage = Some(Blockage::new(&position));
        })
        .await;
    let user = server.user();
    let answer = user.get(&format!("{PATH}?query=zephyr")).await;
    drop(blockage);
    let problem = answer.problem(503, "indexing");
    assert_eq!(problem["progress"], 66, "{problem}");
    assert_eq!(problem["detail"], "the messages are being indexed: 66 % are complete");
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert_eq!(found(&user, "query=zephyr").await.len(), 3);
}
