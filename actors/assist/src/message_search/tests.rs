//! Builds of an index that are interrupted, and changes while one is built.

use std::collections::BTreeSet;
use std::pin::pin;

use knowledge::messages::SearchWords;
use knowledge::{MessageKey, MessageQuery};
use storage::records::{Conversation, Part};
use storage::{StoreOptions, Tx, new_id};
use tempfile::TempDir;
use uuid::Uuid;

use super::index::BATCH;
use super::*;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
/// The number of messages of the tenant: two batches, and half of one.
const MESSAGES: usize = 2 * BATCH + BATCH / 2;

struct Stage {
    dir: TempDir,
    inner: Arc<Inner>,
    home: Uuid,
    messages: Vec<Uuid>,
}

fn message(text: &str) -> Message {
    Message { parts: vec![Part::Text { text: text.to_owned() }], ..Message::default() }
}

async fn write(store: &Store, mut work: impl FnMut(&mut Tx) -> storage::Result<()> + Send + 'static) {
    store.run(move |tx: &mut Tx| work(tx)).await.expect("the rows are written");
}

impl Stage {
    /// A tenant whose messages all contain the word `tide`.
    async fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let store = Store::open(StoreOptions::new(dir.path().join("data"))).expect("a store");
        let (home, mut messages) = (new_id(), (0..MESSAGES).map(|_| new_id()).collect::<Vec<_>>());
        messages.sort();
        write(&store, move |tx| tx.insert(TENANT, home, Conversation::default()).map(drop)).await;
        for part in messages.chunks(BATCH / 4) {
            let part = part.to_vec();
            let insert = move |tx: &mut Tx| {
                part.iter()
                    .try_for_each(|id| tx.insert_message(TENANT, (home, *id), message("tide")).map(drop))
            };
            write(&store, insert).await;
        }
        let search = MessageSearch::new(store, dir.path().join("index"));
        Self { dir, inner: search.0, home, messages }
    }

    /// Returns when a build has added its first batch.
    async fn first_batch(&self) {
        let position = self.inner.index.folder(TENANT.0).join("position");
        while !position.exists() {
            tokio::task::yield_now().await;
        }
    }

    /// Changes, deletes and adds messages: of the first batch, which the index contains, and of the last one. Returns
    /// the messages that contain `tide`, and those that contain `ebb`, afterwards.
    async fn change(&self) -> [BTreeSet<Uuid>; 2] {
        let (home, all, new) = (self.home, self.messages.clone(), [new_id(), new_id()]);
        let (changed, deleted) = ([all[3], all[MESSAGES - 3]], [all[5], all[MESSAGES - 5]]);
        let changes = move |tx: &mut Tx| {
            for id in changed {
                let mut row = tx.require::<Message>(TENANT, &(home, id))?;
                row.parts = message("ebb").parts;
                tx.update_message(TENANT, row)?;
            }
            for id in deleted {
                tx.delete_message(TENANT, &(home, id))?;
            }
            tx.insert_message(TENANT, (home, new[0]), message("tide"))?;
            tx.insert_message(TENANT, (home, new[1]), message("ebb")).map(drop)
        };
        write(&self.inner.store, changes).await;
        let others = all.iter().filter(|id| !changed.contains(id) && !deleted.contains(id));
        [others.copied().chain([new[0]]).collect(), changed.into_iter().chain([new[1]]).collect()]
    }

    /// The messages that the index contains with a word.
    async fn found(&self, word: &str) -> BTreeSet<Uuid> {
        let query = MessageQuery {
            words: SearchWords::new(word),
            owner: None,
            conversations: vec![self.home],
            roles: Vec::new(),
            orders: (0, u64::MAX),
            limit: 2 * MESSAGES,
        };
        let hits = self.inner.index.search(TENANT.0, query).await.expect("an index");
        let ids: BTreeSet<_> = hits.iter().map(|hit| hit.key).collect();
        assert_eq!(ids.len(), hits.len(), "each message once");
        ids.into_iter().map(|MessageKey { message, .. }| message).collect()
    }

    async fn check(&self, [tide, ebb]: [BTreeSet<Uuid>; 2]) {
        assert_eq!(self.found("ebb").await, ebb);
        assert!(self.found("tide").await == tide);
    }
}

#[tokio::test]
async fn build_continues_after_an_interruption_and_misses_no_change() {
    let stage = Stage::new().await;
    let turn = stage.inner.turn(TENANT);
    tokio::select! {
        biased;
        () = stage.first_batch() => {}
        _ = stage.inner.bring_up(TENANT, &turn) => panic!("the build has not been interrupted"),
    }
    assert!(!index::is_complete(&stage.inner.index.folder(TENANT.0)));
    let want = stage.change().await;
    let added = {
        let _turn = turn.lock.lock().await;
        stage.inner.build(TENANT, &turn).await.expect("a build")
    };
    // Without the first batch: one of the others was deleted, and two are new.
    assert_eq!(added, MESSAGES - BATCH + 1);
    stage.inner.bring_up(TENANT, &turn).await.expect("an index");
    assert!(index::is_complete(&stage.inner.index.folder(TENANT.0)));
    assert!(!stage.dir.path().join("index").join(TENANT.0.to_string()).join("position").exists());
    stage.check(want).await;
}

#[tokio::test]
async fn build_includes_changes_that_are_made_during_it() {
    let stage = Stage::new().await;
    let turn = stage.inner.turn(TENANT);
    let mut build = pin!(stage.inner.bring_up(TENANT, &turn));
    tokio::select! {
        biased;
        () = stage.first_batch() => {}
        _ = &mut build => panic!("the build has ended before the changes"),
    }
    let want = stage.change().await;
    build.await.expect("an index");
    stage.check(want).await;
}

#[tokio::test]
async fn build_begins_again_if_its_position_is_damaged() {
    let stage = Stage::new().await;
    let turn = stage.inner.turn(TENANT);
    tokio::select! {
        biased;
        () = stage.first_batch() => {}
        _ = stage.inner.bring_up(TENANT, &turn) => panic!("the build has not been interrupted"),
    }
    std::fs::write(stage.inner.index.folder(TENANT.0).join("position"), "x").expect("written");
    assert_eq!(stage.inner.build(TENANT, &turn).await.expect("a build"), MESSAGES);
}
