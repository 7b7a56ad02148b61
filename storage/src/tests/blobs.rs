use super::{HERE, THERE, store};
use crate::records::{Conversation, Message, Part};
use crate::{BlobConfig, BlobId, Blobs, Error, Store, new_id};
use bytes::Bytes;
use futures::TryStreamExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

async fn content(store: &Store, id: &BlobId) -> Bytes {
    let blob = store.blobs().get(HERE, id).await.unwrap();
    let pieces: Vec<Bytes> = blob.bytes.try_collect().await.unwrap();
    let whole = pieces.concat();
    assert_eq!(whole.len() as u64, blob.size);
    whole.into()
}

pub fn path_of(dir: &TempDir, id: &BlobId) -> std::path::PathBuf {
    path_of_in(dir.path(), id)
}

pub fn path_of_in(dir: &Path, id: &BlobId) -> std::path::PathBuf {
    dir.join(format!("blobs/{HERE}/{}/{id}", &id.as_str()[..2]))
}

fn make_old(path: &Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
}

#[tokio::test]
async fn blob_is_identified_by_its_content() {
    let (dir, store) = store();
    let blobs = store.blobs();
    let id = blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    assert_eq!(id.as_str(), "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert!(path_of(&dir, &id).is_file());
    assert_eq!(content(&store, &id).await, "hello");
    assert_eq!(blobs.range(HERE, &id, 1..3).await.unwrap(), "el");
    assert_eq!(blobs.size(HERE, &id).await.unwrap(), Some(5));
    // A file with the same bytes is the same blob, and is not written again.
    make_old(&path_of(&dir, &id));
    let written = || std::fs::metadata(path_of(&dir, &id)).unwrap().modified().unwrap();
    let before = written();
    let file = dir.path().join("file");
    std::fs::write(&file, "hello").unwrap();
    assert_eq!(blobs.put_file(HERE, &file).await.unwrap(), (id.clone(), 5));
    assert_eq!(written(), before);
    // Another tenant cannot access it.
    assert!(!blobs.exists(THERE, &id).await.unwrap());
    assert!(matches!(blobs.get(THERE, &id).await, Err(Error::NotFound("blob"))));
    blobs.delete(THERE, &id).await.unwrap();
    assert!(blobs.exists(HERE, &id).await.unwrap());
    blobs.delete(HERE, &id).await.unwrap();
    blobs.delete(HERE, &id).await.unwrap();
    assert!(!blobs.exists(HERE, &id).await.unwrap());
    assert_eq!(blobs.signed_put_url(HERE, new_id(), Duration::from_secs(9)).await.unwrap(), None);
}

#[tokio::test]
async fn large_file_is_read_back_in_parts_and_completely() {
    let (dir, store) = store();
    let large: Vec<u8> = (0..12_345_678u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = dir.path().join("file");
    std::fs::write(&file, &large).unwrap();
    let (id, size) = store.blobs().put_file(HERE, &file).await.unwrap();
    assert_eq!(size, large.len() as u64);
    assert!(content(&store, &id).await == large);
    std::fs::write(&file, "").unwrap();
    let (empty, size) = store.blobs().put_file(HERE, &file).await.unwrap();
    assert_eq!((size, content(&store, &empty).await.len()), (0, 0));
}

#[tokio::test]
async fn truncated_file_is_replaced_when_the_same_content_is_stored_again() {
    let (dir, store) = store();
    let blobs = store.blobs();
    let id = blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    for damaged in ["", "hel"] {
        std::fs::write(path_of(&dir, &id), damaged).unwrap();
        assert_eq!(blobs.put_bytes(HERE, "hello".into()).await.unwrap(), id);
        assert_eq!(content(&store, &id).await, "hello");
        std::fs::write(path_of(&dir, &id), damaged).unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "hello").unwrap();
        assert_eq!(blobs.put_file(HERE, &file).await.unwrap(), (id.clone(), 5));
        assert_eq!(content(&store, &id).await, "hello");
    }
}

#[test]
fn shared_blob_folder_is_refused_to_a_second_installation() {
    let (shared, one, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = |dir: &TempDir| crate::StoreOptions {
        blobs: BlobConfig::Folder(shared.path().to_owned()),
        ..crate::StoreOptions::new(dir.path())
    };
    let open = |dir| Store::open_with(options(dir), None, &[]);
    for _ in 0..2 {
        drop(open(&one).unwrap());
    }
    let Err(crate::OpenError::Blobs(why)) = open(&other) else { panic!("it was let in") };
    assert!(why.contains("another installation") && why.contains("understudy-owner.json"), "{why}");
    std::fs::remove_file(shared.path().join("understudy-owner.json")).unwrap();
    drop(open(&other).unwrap());
    assert!(matches!(open(&one), Err(crate::OpenError::Blobs(_))));
}

#[test]
fn blob_id_parse_accepts_only_64_hexadecimal_digits() {
    for wrong in
        ["", "..", "../../etc/passwd", &"A".repeat(64), &"a".repeat(63), &"g".repeat(64), &"é".repeat(32)]
    {
        assert!(matches!(BlobId::parse(wrong), Err(Error::Invalid(_))), "{wrong}");
        assert!(serde_json::from_value::<BlobId>(wrong.into()).is_err(), "{wrong}");
    }
    let right = "a0".repeat(32);
    assert_eq!(BlobId::parse(&right).unwrap().as_str(), right);
}

#[tokio::test]
async fn sweep_deletes_old_blobs_that_no_row_needs() {
    let (dir, store) = store();
    let mut ids = Vec::new();
    for text in ["needed", "old", "new", "put again"] {
        ids.push(store.blobs().put_bytes(HERE, text.into()).await.unwrap());
    }
    let [needed, old, new, again] = &ids[..] else { unreachable!() };
    for id in [needed, old, again] {
        make_old(&path_of(&dir, id));
    }
    let conversation = new_id();
    let part = Part::File { blob_id: needed.clone(), media_type: "text/plain".into(), filename: None };
    let message = Message { parts: vec![part], ..Message::default() };
    store
        .run(move |tx| {
            tx.insert(HERE, conversation, Conversation::default())?;
            tx.insert_message(HERE, (conversation, new_id()), message.clone())
        })
        .await
        .unwrap();
    // Recently stored blobs are spared, because their rows may not have been written yet.
    assert!(store.sweep_blobs().await.unwrap().is_empty());
    // A process that has not stored them itself, as after a restart.
    let fresh = super::store_on(store.inner.engine.clone(), dir.path());
    assert_eq!(fresh.blobs().put_bytes(HERE, "put again".into()).await.unwrap(), *again);
    let swept: Vec<_> = fresh.sweep_blobs().await.unwrap().into_iter().map(|blob| blob.id).collect();
    assert_eq!(swept.iter().collect::<Vec<_>>(), [old]);
    for (id, there) in [(needed, true), (old, false), (new, true), (again, true)] {
        assert_eq!(fresh.blobs().exists(HERE, id).await.unwrap(), there);
    }
}

fn s3(endpoint: &str) -> BlobConfig {
    BlobConfig::S3 {
        bucket: "bucket".into(),
        region: "anywhere".into(),
        endpoint: Some(endpoint.into()),
        credential: Some(("key-id".into(), "very-secret".into())),
        allow_http: true,
        prefix: String::new(),
    }
}

#[tokio::test]
async fn s3_store_signs_urls_and_does_not_reveal_the_secret() {
    let dir = tempfile::tempdir().unwrap();
    let config = s3("http://127.0.0.1:9");
    assert!(!format!("{config:?}").contains("secret"));
    let blobs = Blobs::open(&config, dir.path()).unwrap();
    let id = new_id();
    let url = blobs.signed_put_url(HERE, id, Duration::from_secs(900)).await.unwrap().unwrap();
    assert!(url.starts_with(&format!("http://127.0.0.1:9/bucket/staging/{HERE}/{id}?")), "{url}");
    assert!(url.contains("X-Amz-Expires=900") && url.contains("X-Amz-Signature="), "{url}");
    assert!(!url.contains("very-secret"));
}
