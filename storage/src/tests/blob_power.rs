//! Blobs on a disk that loses power, fails and fills up.

use super::{HERE, THERE};
use crate::files::simulated::{Failure, Fault, Operation, Random, SimulatedDisk};
use crate::files::{FileSystem, Stream, create_dir_synced};
use crate::{BlobConfig, BlobId, Blobs, Error, TenantId};
use bytes::Bytes;
use futures::TryStreamExt;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

const DATA: &str = "/srv/data";
const SOURCE: &str = "/tmp/source";

/// The contents to store, in this order. Some occur twice, and two share a directory.
fn contents() -> Vec<(TenantId, Bytes)> {
    let mut random = Random::new(11);
    let large = Bytes::from(random.bytes(270_000));
    let small = Bytes::from(random.bytes(5_000));
    let shared = (0..).map(|number: u32| Bytes::from(number.to_string())).find(|other| {
        let (small, other) = (Blobs::id_of(&small), Blobs::id_of(other));
        small.as_str()[..2] == other.as_str()[..2]
    });
    let shared = shared.expect("ids have 256 beginnings");
    vec![
        (HERE, small.clone()),
        (HERE, shared),
        (HERE, Bytes::new()),
        (THERE, small.clone()),
        (HERE, large),
        (HERE, small),
    ]
}

fn open(disk: &SimulatedDisk) -> Result<Blobs, Error> {
    let opened = Blobs::open_on(Arc::new(disk.clone()), &BlobConfig::Files, Path::new(DATA));
    opened.map_err(|error| Error::Invalid(error.to_string()))
}

fn write_source(disk: &SimulatedDisk, content: &[u8]) -> Result<(), Error> {
    create_dir_synced(disk, Path::new("/tmp"))?;
    Ok(Stream::new(disk.create(Path::new(SOURCE))?).write_all(content)?)
}

/// Stores everything until the first error, and returns what was acknowledged. Every other blob is stored from a file.
async fn store_all(disk: &SimulatedDisk) -> (Vec<(TenantId, Bytes)>, Result<(), Error>) {
    let mut acknowledged = Vec::new();
    let stored = async {
        let blobs = open(disk)?;
        for (number, (tenant, content)) in contents().into_iter().enumerate() {
            if number % 2 == 0 {
                blobs.put_bytes(tenant, content.clone()).await?;
            } else {
                write_source(disk, &content)?;
                blobs.put_file(tenant, Path::new(SOURCE)).await?;
            }
            acknowledged.push((tenant, content));
        }
        Ok(())
    };
    let stored = stored.await;
    (acknowledged, stored)
}

async fn read(blobs: &Blobs, tenant: TenantId, id: &BlobId) -> Vec<u8> {
    let blob = blobs.get(tenant, id).await.unwrap();
    blob.bytes.try_collect::<Vec<_>>().await.unwrap().concat()
}

/// Checks that all acknowledged blobs exist and are complete, and that every file with the name of a blob is one.
async fn check(disk: &SimulatedDisk, acknowledged: &[(TenantId, Bytes)], context: &str) {
    let blobs = open(disk).unwrap();
    let mut found = HashSet::new();
    for entry in blobs.list().await.unwrap() {
        let content = read(&blobs, entry.tenant, &entry.id).await;
        assert_eq!(
            Blobs::id_of(&content),
            entry.id,
            "{context}: a part has the name of a whole\n{}",
            disk.last_operations()
        );
        found.insert((entry.tenant, entry.id));
    }
    for (tenant, content) in acknowledged {
        let id = Blobs::id_of(content);
        assert!(
            found.contains(&(*tenant, id)),
            "{context}: a stored blob is lost\n{}",
            disk.last_operations()
        );
    }
}

async fn operations() -> u64 {
    let disk = SimulatedDisk::new(1);
    store_all(&disk).await.1.unwrap();
    disk.operations()
}

#[tokio::test]
async fn stored_blob_is_complete_after_a_power_loss_at_any_operation() {
    for stop in 0..=operations().await {
        let disk = SimulatedDisk::new(stop);
        disk.stop_after(stop);
        let (acknowledged, _) = store_all(&disk).await;
        let mut random = Random::new(stop);
        for outcome in 0..3 {
            let context = format!("stopped after {stop}, outcome {outcome}");
            let left = disk.lose_power(&mut random);
            check(&left, &acknowledged, &context).await;
            // The leftovers do not obstruct anything, and are deleted later.
            store_all(&left).await.1.unwrap();
            let blobs = open(&left).unwrap();
            blobs.sweep_orphans(Vec::new(), &HashSet::new()).await.unwrap();
            let incoming = Path::new(DATA).join("blobs/incoming");
            assert_eq!(left.names(&incoming).unwrap(), Vec::<String>::new(), "{context}");
            check(&left.lose_power(&mut random), &contents(), &context).await;
        }
    }
}

/// Data that a killed process has written but not synced is visible to the next process, which must not consider it
/// stored.
#[tokio::test]
async fn a_blob_of_a_killed_process_is_synced_before_it_is_acknowledged_again() {
    let last = operations().await;
    for stop in 0..=last {
        let disk = SimulatedDisk::new(stop);
        disk.stop_after(stop);
        let _ = store_all(&disk).await;
        let mut random = Random::new(stop);
        for outcome in 0..3 {
            let next = disk.kill(&mut random);
            next.stop_after(random.below(last));
            let (acknowledged, _) = store_all(&next).await;
            let context = format!("killed after {stop}, outcome {outcome}");
            check(&next.lose_power(&mut random), &acknowledged, &context).await;
        }
    }
}

#[tokio::test]
async fn failed_operation_leaves_no_partial_blob_and_can_be_retried() {
    use Operation::{Create, Remove, Rename, Sync, SyncDir, Write};
    let kinds = [Write, Sync, SyncDir, Create, Rename, Remove];
    for (number, on) in (0..).zip(kinds) {
        for failure in [Failure::Io, Failure::NoSpace] {
            for after in 0..12 {
                let disk = SimulatedDisk::new(after);
                disk.inject(Fault { on: Some(on), after, times: 1, failure });
                let context = format!("{on:?} failed after {after} with {failure:?}");
                let (mut acknowledged, mut errors) = (Vec::new(), 0);
                while let (stored, Err(_)) = store_all(&disk).await {
                    check(&disk, &stored, &context).await;
                    acknowledged.extend(stored);
                    errors += 1;
                    assert_eq!(errors, 1, "{context}");
                }
                acknowledged.extend(contents());
                let mut random = Random::new(number * 100 + after);
                check(&disk.lose_power(&mut random), &acknowledged, &context).await;
            }
        }
    }
}

#[tokio::test]
async fn full_disk_is_reported_and_leaves_no_partial_blob() {
    let disk = SimulatedDisk::new(5);
    let blobs = open(&disk).unwrap();
    let small = Bytes::from(Random::new(1).bytes(10_000));
    blobs.put_bytes(HERE, small.clone()).await.unwrap();
    disk.set_capacity(Some(disk.space() + 100_000));
    let (before, large) = (disk.space(), Bytes::from(Random::new(2).bytes(300_000)));
    assert!(matches!(blobs.put_bytes(HERE, large.clone()).await, Err(Error::Full)));
    assert_eq!(disk.space(), before);
    check(&disk, &[(HERE, small.clone())], "full").await;
    disk.set_capacity(None);
    blobs.put_bytes(HERE, large.clone()).await.unwrap();
    check(&disk.lose_power(&mut Random::new(3)), &[(HERE, small), (HERE, large)], "free again").await;
}
