//! Scheduled synchronisations.

use serde_json::{Value, json};
use storage::records::DirectorySource;
use storage::{Timestamp, Tx};

use super::{CREDENTIAL, HISTORY, choose, people, sync, tenant};
use crate::harness::fake_directory::FakeDirectory;
use crate::harness::{Client, TestServer, comes};

/// Sets the time at which the directory was configured, and removes the last synchronisation.
async fn set_at(server: &TestServer, at: Timestamp) {
    let tenant = tenant(server);
    let change = move |tx: &mut Tx| {
        let mut source = tx.require::<DirectorySource>(tenant, &tenant.0)?;
        (source.set_at, source.sync) = (at, None);
        tx.update(tenant, source).map(drop)
    };
    server.store().run(change).await.map_err(|why: storage::Error| why).expect("a change");
}

async fn history(admin: &Client) -> Vec<Value> {
    admin.get(HISTORY).await.ok()["items"].as_array().expect("items").clone()
}

async fn until(admin: &Client, count: usize) -> Vec<Value> {
    let mut items = Vec::new();
    let ended = comes(async || {
        items = history(admin).await;
        items.len() >= count && items.iter().all(|item| !item["finished_at"].is_null())
    });
    assert!(ended.await, "{items:?}");
    items
}

#[tokio::test]
async fn due_synchronisation_starts_once_and_not_again_after_a_restart() {
    let directory = FakeDirectory::start().await;
    people(&directory);
    directory.group("staff", &["user"]);
    let server = TestServer::start_with(|config| config.directories.sweep_seconds = 0.02).await;
    let admin = server.admin();
    let mut credential = directory.graph();
    credential["every_minutes"] = json!(15);
    assert_eq!(admin.put(CREDENTIAL, credential).await.ok()["every_minutes"], 15);
    choose(&admin, &["staff"]).await;
    let now = Timestamp::now().as_millis();
    // First before the synchronisation is due, then after it has been due many times.
    set_at(&server, Timestamp::from_millis(now - 14 * 60 * 1_000)).await;
    assert_eq!(history(&admin).await, Vec::<Value>::new());
    set_at(&server, Timestamp::from_millis(now - 24 * 60 * 60 * 1_000)).await;
    let first = until(&admin, 1).await;
    assert_eq!((first.len(), &first[0]["by_clock"]), (1, &json!(true)), "{first:?}");
    assert_eq!((&first[0]["status"], &first[0]["counts"]["members_added"]), (&json!("succeeded"), &json!(1)));
    assert_eq!(first[0]["user_id"], server.admin_person().id);
    let server = server.restart().await;
    let admin = server.admin();
    let asked = sync(&admin, json!({})).await;
    assert_eq!(asked["by_clock"], false);
    let both = history(&admin).await;
    assert_eq!(both.iter().filter(|item| item["by_clock"] == true).count(), 1, "{both:?}");
    // Without a schedule no synchronisation is due, however long ago the last one was.
    admin.put(CREDENTIAL, directory.graph()).await.ok();
    set_at(&server, Timestamp::from_millis(0)).await;
    sync(&admin, json!({})).await;
    assert_eq!(history(&admin).await.len(), 3);
}
