//! Blobs in a bucket, over a real socket: a server that stores objects in a map.

use super::{HERE, THERE};
use crate::{BlobConfig, Blobs, Error};
use futures::TryStreamExt;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

#[derive(Default)]
struct Bucket {
    objects: BTreeMap<String, Vec<u8>>,
    parts: BTreeMap<u32, Vec<u8>>,
    requests: Vec<String>,
}

type Answer = (u16, String, Vec<u8>);

fn answer(
    bucket: &mut Bucket,
    method: &str,
    target: &str,
    range: Option<(usize, usize)>,
    copied: Option<String>,
    only_new: bool,
    body: Vec<u8>,
) -> Answer {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let key = path.strip_prefix("/bucket/").unwrap_or("").to_owned();
    bucket.requests.push(format!("{method} {query}"));
    let date = "last-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\netag: \"1\"\r\n".to_owned();
    let xml = |text: String| (200, String::new(), text.into_bytes());
    let number = query.split('&').find_map(|pair| pair.strip_prefix("partNumber="));
    match (method, query) {
        ("POST", "uploads") | ("POST", "uploads=") => {
            xml("<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
                .into())
        }
        ("PUT", _) if number.is_some() => {
            bucket.parts.insert(number.and_then(|text| text.parse().ok()).unwrap(), body);
            (200, date, vec![])
        }
        ("POST", "uploadId=u") => {
            let whole = std::mem::take(&mut bucket.parts).into_values().flatten().collect();
            bucket.objects.insert(key, whole);
            xml("<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>".into())
        }
        ("POST", "delete") | ("POST", "delete=") => {
            let text = String::from_utf8(body).unwrap();
            let named = text.split("<Key>").nth(1).and_then(|rest| rest.split("</Key>").next()).unwrap();
            bucket.objects.remove(named);
            xml(format!("<DeleteResult><Deleted><Key>{named}</Key></Deleted></DeleteResult>"))
        }
        ("GET", query) if query.contains("list-type=2") => {
            let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
            let prefix = prefix.replace("%2F", "/");
            let listed = bucket.objects.iter().filter(|(key, _)| key.starts_with(&prefix));
            let contents: String = listed.map(|(key, value)| {
                format!("<Contents><Key>{key}</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified><ETag>1</ETag><Size>{}</Size></Contents>", value.len())
            }).collect();
            xml(format!("<ListBucketResult>{contents}</ListBucketResult>"))
        }
        ("PUT", _) if copied.is_some() => {
            let from = copied.unwrap_or_default().replace("%2F", "/");
            let from = from.trim_start_matches('/').strip_prefix("bucket/").unwrap_or_default();
            let Some(object) = bucket.objects.get(from).cloned() else { return (404, String::new(), vec![]) };
            bucket.objects.insert(key, object);
            xml("<CopyObjectResult><ETag>1</ETag></CopyObjectResult>".into())
        }
        ("PUT", _) if only_new && bucket.objects.contains_key(&key) => (412, String::new(), vec![]),
        ("PUT", _) => {
            bucket.objects.insert(key, body);
            (200, date, vec![])
        }
        ("GET" | "HEAD", _) => match (bucket.objects.get(&key), range) {
            (None, _) => (404, String::new(), vec![]),
            (Some(object), None) => (200, date, object.clone()),
            (Some(object), Some((from, to))) => {
                let extra = format!("{date}content-range: bytes {from}-{to}/{}\r\n", object.len());
                (206, extra, object[from..=to].to_vec())
            }
        },
        _ => (400, String::new(), vec![]),
    }
}

fn serve(stream: TcpStream, bucket: &Mutex<Bucket>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut len, mut range, mut is_signed) = (0, None, target.contains("X-Amz-Signature"));
    let (mut copied, mut only_new) = (None, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => len = value.parse().ok()?,
            "authorization" => is_signed = value.starts_with("AWS4-HMAC-SHA256 Credential=key-id/"),
            "x-amz-copy-source" => copied = Some(value.to_owned()),
            "if-none-match" => only_new = value == "*",
            "range" => {
                let (from, to) = value.strip_prefix("bytes=")?.split_once('-')?;
                range = Some((from.parse().ok()?, to.parse().ok()?));
            }
            _ => {}
        }
    }
    let mut body = vec![0; len];
    reader.read_exact(&mut body).ok()?;
    let (status, headers, content) = if is_signed {
        answer(&mut bucket.lock(), &method, &target, range, copied, only_new, body)
    } else {
        (403, String::new(), vec![])
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        content.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes()).ok()?;
    if method != "HEAD" {
        stream.write_all(&content).ok()?;
    }
    Some(())
}

fn config(endpoint: &str, prefix: &str) -> BlobConfig {
    BlobConfig::S3 {
        bucket: "bucket".into(),
        region: "anywhere".into(),
        endpoint: Some(endpoint.to_owned()),
        credential: Some(("key-id".into(), "very-secret".into())),
        allow_http: true,
        prefix: prefix.into(),
    }
}

/// A client of a bucket, for the installation with this number.
async fn client(endpoint: &str, prefix: &str, installation: u128) -> Result<Blobs, Error> {
    let blobs = Blobs::open(&config(endpoint, prefix), std::path::Path::new("unused")).unwrap();
    blobs.claim(Uuid::from_u128(installation)).await.map(|()| blobs)
}

fn bucket() -> (Arc<Mutex<Bucket>>, Blobs, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let bucket = Arc::new(Mutex::new(Bucket::default()));
    let shared = bucket.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = shared.clone();
            std::thread::spawn(move || serve(stream, &shared));
        }
    });
    (bucket, Blobs::open(&config(&endpoint, ""), std::path::Path::new("unused")).unwrap(), endpoint)
}

#[tokio::test]
async fn bucket_stores_blobs() {
    let (bucket, blobs, _) = bucket();
    let id = blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    let expected = format!("blobs/{HERE}/{}/{id}", &id.as_str()[..2]);
    assert_eq!(bucket.lock().objects.keys().collect::<Vec<_>>(), [&expected]);
    assert_eq!(blobs.size(HERE, &id).await.unwrap(), Some(5));
    assert_eq!(blobs.range(HERE, &id, 1..3).await.unwrap(), "el");
    assert!(matches!(blobs.get(THERE, &id).await, Err(Error::NotFound("blob"))));
    // A large blob is sent in parts.
    let dir = tempfile::tempdir().unwrap();
    let large: Vec<u8> = (0..13_000_000u32).map(|at| (at >> 7) as u8).collect();
    std::fs::write(dir.path().join("file"), &large).unwrap();
    let (large_id, size) = blobs.put_file(HERE, &dir.path().join("file")).await.unwrap();
    assert_eq!(size, large.len() as u64);
    let parts = bucket.lock().requests.iter().filter(|request| request.contains("partNumber")).count();
    assert!(parts > 1, "{parts}");
    let read: Vec<_> = blobs.get(HERE, &large_id).await.unwrap().bytes.try_collect().await.unwrap();
    assert!(read.concat() == large);
    let mut listed: Vec<_> =
        blobs.list().await.unwrap().into_iter().map(|blob| (blob.tenant, blob.size)).collect();
    listed.sort();
    assert_eq!(listed, [(HERE, 5), (HERE, size)]);
    // Nothing is deleted until it is known which installation the bucket belongs to.
    assert!(matches!(blobs.delete(HERE, &id).await, Err(Error::Invalid(_))));
    blobs.claim(Uuid::from_u128(1)).await.unwrap();
    blobs.delete(HERE, &id).await.unwrap();
    assert!(!blobs.exists(HERE, &id).await.unwrap());
}

#[tokio::test]
async fn bucket_of_one_installation_is_refused_to_another() {
    let (bucket, _, endpoint) = bucket();
    let first = client(&endpoint, "", 1).await.unwrap();
    first.put_bytes(HERE, "hello".into()).await.unwrap();
    // A second claim by the same installation, as after a restart.
    client(&endpoint, "", 1).await.unwrap();
    let Err(Error::Invalid(why)) = client(&endpoint, "", 2).await else { panic!("it was let in") };
    assert!(why.contains("another installation") && why.contains("blobs.prefix"), "{why}");
    // With a separate prefix, the other installation is accepted.
    let second = client(&endpoint, "/team-b/", 2).await.unwrap();
    let id = second.put_bytes(HERE, "other".into()).await.unwrap();
    let expected = format!("team-b/blobs/{HERE}/{}/{id}", &id.as_str()[..2]);
    assert!(bucket.lock().objects.contains_key(&expected));
    let listed: Vec<_> = second.list().await.unwrap().into_iter().map(|blob| blob.id).collect();
    assert_eq!(listed, [id]);
    assert_eq!(first.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn damaged_object_is_replaced_when_the_same_content_is_stored_again() {
    let (bucket, blobs, _) = bucket();
    let id = blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    bucket.lock().objects.values_mut().for_each(|object| object.truncate(2));
    assert_eq!(blobs.put_bytes(HERE, "hello".into()).await.unwrap(), id);
    assert_eq!(blobs.range(HERE, &id, 0..5).await.unwrap(), "hello");
}

#[tokio::test]
async fn signed_url_replaces_no_blob_and_gives_access_to_none() {
    let (bucket, _, endpoint) = bucket();
    let blobs = client(&endpoint, "", 1).await.unwrap();
    let (id, upload) = (Blobs::id_of(b"hello"), Uuid::from_u128(7));
    let url = blobs.signed_put_url(HERE, upload, Duration::from_secs(60)).await.unwrap().unwrap();
    let send = |body: &'static str| reqwest::Client::new().put(&url).body(body).send();
    // Nothing was uploaded yet: knowing the hash of another user's file does not give access to it.
    blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    assert!(!blobs.adopt(HERE, upload, &id, 5).await.unwrap());
    // Different bytes, of the same or another size, are deleted and never stored under the hash.
    for wrong in ["jello", "much more than was said"] {
        assert_eq!(send(wrong).await.unwrap().status(), 200);
        assert!(!blobs.adopt(HERE, upload, &id, 5).await.unwrap(), "{wrong}");
        assert_eq!(blobs.range(HERE, &id, 0..5).await.unwrap(), "hello");
        assert!(!blobs.adopt(HERE, upload, &id, 5).await.unwrap(), "it was deleted");
    }
    // The right bytes are accepted, whether or not the blob exists.
    for there in [true, false] {
        assert_eq!(blobs.exists(HERE, &id).await.unwrap(), there);
        assert_eq!(send("hello").await.unwrap().status(), 200);
        assert!(blobs.adopt(HERE, upload, &id, 5).await.unwrap());
        assert_eq!(blobs.range(HERE, &id, 0..5).await.unwrap(), "hello");
        blobs.delete(HERE, &id).await.unwrap();
    }
    assert!(blobs.put_bytes(HERE, "hello".into()).await.is_ok());
    // The URL still accepts uploads, which change nothing and are deleted by a sweep.
    assert_eq!(send("jello").await.unwrap().status(), 200);
    assert_eq!(blobs.range(HERE, &id, 0..5).await.unwrap(), "hello");
    assert!(bucket.lock().objects.keys().any(|key| key.starts_with("staging/")));
    blobs.sweep_orphans(Vec::new(), &HashSet::new()).await.unwrap();
    assert!(!bucket.lock().objects.keys().any(|key| key.starts_with("staging/")));
    let unsigned = url.split('?').next().unwrap();
    assert_eq!(reqwest::Client::new().put(unsigned).body("x").send().await.unwrap().status(), 403);
}
