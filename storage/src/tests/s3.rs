//! Blobs in a bucket, over a real socket: a server that keeps objects in a map.

use super::{HERE, THERE};
use crate::{BlobConfig, Blobs, Error};
use futures::TryStreamExt;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

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
            let contents: String = bucket.objects.iter().map(|(key, value)| {
                format!("<Contents><Key>{key}</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified><ETag>1</ETag><Size>{}</Size></Contents>", value.len())
            }).collect();
            xml(format!("<ListBucketResult>{contents}</ListBucketResult>"))
        }
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
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "content-length" => len = value.parse().ok()?,
            "authorization" => is_signed = value.starts_with("AWS4-HMAC-SHA256 Credential=key-id/"),
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
        answer(&mut bucket.lock(), &method, &target, range, body)
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
    let config = BlobConfig::S3 {
        bucket: "bucket".into(),
        region: "anywhere".into(),
        endpoint: Some(endpoint.clone()),
        credential: Some(("key-id".into(), "very-secret".into())),
        allow_http: true,
    };
    (bucket, Blobs::open(&config, std::path::Path::new("unused")).unwrap(), endpoint)
}

#[tokio::test]
async fn a_bucket_keeps_blobs() {
    let (bucket, blobs, _) = bucket();
    let id = blobs.put_bytes(HERE, "hello".into()).await.unwrap();
    let expected = format!("blobs/{HERE}/{}/{id}", &id.as_str()[..2]);
    assert_eq!(bucket.lock().objects.keys().collect::<Vec<_>>(), [&expected]);
    assert_eq!(blobs.size(HERE, &id).await.unwrap(), Some(5));
    assert_eq!(blobs.range(HERE, &id, 1..3).await.unwrap(), "el");
    assert!(matches!(blobs.get(THERE, &id).await, Err(Error::NotFound("blob"))));
    // A large one goes in parts.
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
    blobs.delete(HERE, &id).await.unwrap();
    assert!(!blobs.exists(HERE, &id).await.unwrap());
}

#[tokio::test]
async fn a_signed_address_takes_the_bytes() {
    let (_bucket, blobs, _) = bucket();
    let id =
        crate::BlobId::parse("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824").unwrap();
    let url = blobs.signed_put_url(HERE, &id, Duration::from_secs(60)).await.unwrap().unwrap();
    let sent = reqwest::Client::new().put(&url).body("hello").send().await.unwrap();
    assert_eq!(sent.status(), 200);
    assert_eq!(blobs.range(HERE, &id, 0..5).await.unwrap(), "hello");
    let unsigned = url.split('?').next().unwrap();
    assert_eq!(reqwest::Client::new().put(unsigned).body("x").send().await.unwrap().status(), 403);
}
