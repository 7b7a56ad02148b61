//! Random walks over the ids of others: responses reveal nothing that belongs to others, and requests change nothing of
//! it.

use std::collections::BTreeSet;

use rand::Rng;
use serde_json::Value;

use super::callers::Who;
use super::crawl::{crawl, ids_in};
use super::matrix::server;
use super::walker::{Secrets, Walker, names, walker};
use super::world::World;
use crate::harness::Client;
use crate::sweep::made_up::Choices;

/// Number of steps of each walker.
const STEPS: usize = 600;
/// The seed of a walk: the value of `UNDERSTUDY_SEED`, or a random one.
fn seed() -> u64 {
    let given = std::env::var("UNDERSTUDY_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| rand::rng().random_range(0..1_000_000))
}

/// Walks, and returns what went wrong.
async fn walk(walker: &Walker<'_>, steps: usize) -> Vec<String> {
    let (document, places) = (understudy::INDEX.document(), &walker.places);
    let mut faults = Vec::new();
    for step in 0..steps {
        // Every operation once, and then random ones.
        let at = if step < places.len() { step } else { walker.which(places.len()) };
        if let Err(fault) = walker.step(&places[at], &document).await {
            faults.push(fault);
        }
    }
    faults
}

/// All ids that these callers can read anywhere.
async fn told(world: &World, clients: &[Client], document: &Value) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for client in clients {
        let told = crawl(client, document, world).await;
        ids.extend(told.values().flat_map(|text| ids_in(text)));
    }
    ids
}

#[tokio::test]
async fn walk_reveals_nothing_of_another_tenant() {
    let (server, seed, document) = (server().await, seed(), understudy::INDEX.document());
    let there = World::made(&server, &server.admin(), "Zibeline").await;
    let here = World::made(&server, &server.admin_elsewhere().await, "Quagga").await;
    let known = told(&here, &[here.admin.clone(), here.owner.clone()], &document).await;
    let mut ids = told(&there, &[there.admin.clone(), there.owner.clone()], &document).await;
    ids.extend(names(&there).into_iter().map(|(_, id)| id));
    ids.retain(|id| !known.contains(id));
    let before = (crawl(&there.owner, &document, &there).await, crawl(&there.admin, &document, &there).await);
    let mut faults = Vec::new();
    for who in [Who::Owner, Who::Admin, Who::User] {
        let words = vec!["zibeline".to_owned(), "zibe.example.org".to_owned()];
        let secrets = Secrets { words, ids: ids.clone() };
        faults.extend(walk(&walker(&here, who, seed, &there, secrets), STEPS).await);
    }
    let after = (crawl(&there.owner, &document, &there).await, crawl(&there.admin, &document, &there).await);
    for (before, after) in [(before.0, after.0), (before.1, after.1)] {
        for (operation, text) in &before {
            if text != &after[operation] {
                faults.push(format!(
                    "{operation} answers its own people otherwise:\n  {text}\n  {}",
                    after[operation]
                ));
            }
        }
    }
    assert!(faults.is_empty(), "UNDERSTUDY_SEED={seed}, {} faults:\n{}", faults.len(), faults.join("\n"));
}

#[tokio::test]
async fn walk_detects_revealed_secrets() {
    let (server, document) = (server().await, understudy::INDEX.document());
    let world = World::made(&server, &server.admin(), "Zibeline").await;
    let ids = told(&world, std::slice::from_ref(&world.owner), &document).await;
    let secrets = Secrets { words: vec!["zibeline".to_owned()], ids };
    let faults = walk(&walker(&world, Who::Viewer, 7, &world, secrets), 400).await.join("\n");
    for fault in ["tells \"zibeline\"", "tells the id", "tells a foreign id from none"] {
        assert!(faults.contains(fault), "the walk did not report: {fault}");
    }
}

#[tokio::test]
async fn walk_reveals_only_shared_objects_to_colleagues() {
    let (server, seed, document) = (server().await, seed(), understudy::INDEX.document());
    let theirs = World::made(&server, &server.admin(), "Zibeline").await;
    let own = World::made(&server, &server.admin(), "Quagga").await;
    let all = told(&theirs, std::slice::from_ref(&theirs.owner), &document).await;
    let mut faults = Vec::new();
    for who in [Who::Owner, Who::User] {
        let known = told(&own, &[own.cast.by(who)], &document).await;
        let mut ids: BTreeSet<_> = all.difference(&known).cloned().collect();
        for person in theirs.cast.people() {
            ids.remove(&person.id);
        }
        for name in ["user_id", "group_id", "team_id", "service-accounts/user_id"] {
            ids.remove(theirs.id(name));
        }
        let secrets = Secrets { words: vec!["zibeline".to_owned()], ids };
        faults.extend(walk(&walker(&own, who, seed, &theirs, secrets), STEPS).await);
    }
    // Administrators see what is shared, but not what people write to models.
    let said =
        ["message", "attachment", "user data", "memory", "chat", "response", "run", "video", "conversation"];
    let words = said.iter().map(|what| theirs.named(what)).collect();
    let ids = ["conversation_id", "message_id", "blob_id", "stream_id", "memory_id", "response_id"]
        .iter()
        .map(|name| theirs.id(name).to_owned())
        .collect();
    faults.extend(walk(&walker(&own, Who::Admin, seed, &theirs, Secrets { words, ids }), STEPS).await);
    assert!(faults.is_empty(), "UNDERSTUDY_SEED={seed}, {} faults:\n{}", faults.len(), faults.join("\n"));
}
