//! Tests against a fake LDAP server on a real socket that also simulates rare failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ldap3::asn1::{PL, StructureTag, TagClass, parse_tag, write};
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::super::{Directory, DirectoryErrorKind, DirectoryLimits, DirectorySettings, LdapSettings};
use super::Ldap;
use crate::directory::Reach;

fn anywhere() -> Reach {
    Reach::read(&["*".to_owned()]).expect("an entry")
}
use crate::config::Secret;

const PASSWORD: &str = "the-password-of-the-reader";

/// The response to a search: entries with their attributes, the result code, and the cookie of the next page.
type SearchReply = (Vec<Entry>, u32, Option<Vec<u8>>);
/// A search: base, filter, attributes, and the cookie of the previous page.
struct SearchRequest {
    base: String,
    filter: Vec<u8>,
    attributes: Vec<String>,
    cookie: Vec<u8>,
}

enum Reply {
    Tell(SearchReply),
    HangUp,
    Rubbish,
    Silence,
}

type Script = dyn Fn(&SearchRequest) -> Reply + Send + Sync;

struct Fake {
    url: String,
    searches: Arc<AtomicUsize>,
    binds: Arc<Mutex<Vec<String>>>,
}

fn primitive(class: TagClass, id: u64, bytes: &[u8]) -> StructureTag {
    StructureTag { class, id, payload: PL::P(bytes.to_vec()) }
}

fn constructed(class: TagClass, id: u64, parts: Vec<StructureTag>) -> StructureTag {
    StructureTag { class, id, payload: PL::C(parts) }
}

fn octets(bytes: &[u8]) -> StructureTag {
    primitive(TagClass::Universal, 4, bytes)
}

fn sequence(parts: Vec<StructureTag>) -> StructureTag {
    constructed(TagClass::Universal, 16, parts)
}

fn bytes(tag: StructureTag) -> Vec<u8> {
    let mut out = bytes::BytesMut::new();
    write::encode_into(&mut out, tag).expect("it can be written");
    out.to_vec()
}

fn message(id: u8, op: StructureTag, cookie: Option<&[u8]>) -> Vec<u8> {
    let mut parts = vec![primitive(TagClass::Universal, 2, &[id]), op];
    if let Some(cookie) = cookie {
        let value = bytes(sequence(vec![primitive(TagClass::Universal, 2, &[0]), octets(cookie)]));
        let control = sequence(vec![octets(b"1.2.840.113556.1.4.319"), octets(&value)]);
        parts.push(constructed(TagClass::Context, 0, vec![control]));
    }
    bytes(sequence(parts))
}

fn result(op: u64, code: u32, words: &str) -> StructureTag {
    let code = primitive(TagClass::Universal, 10, &[code as u8]);
    constructed(TagClass::Application, op, vec![code, octets(b""), octets(words.as_bytes())])
}

fn entry(dn: &str, attributes: &[(String, Vec<Vec<u8>>)]) -> StructureTag {
    let set = |values: &[Vec<u8>]| {
        constructed(TagClass::Universal, 17, values.iter().map(|value| octets(value)).collect())
    };
    let attribute =
        |(name, values): &(String, Vec<Vec<u8>>)| sequence(vec![octets(name.as_bytes()), set(values)]);
    let attributes = sequence(attributes.iter().map(attribute).collect());
    constructed(TagClass::Application, 4, vec![octets(dn.as_bytes()), attributes])
}

fn parts(tag: StructureTag) -> Vec<StructureTag> {
    match tag.payload {
        PL::C(parts) => parts,
        PL::P(_) => panic!("not constructed"),
    }
}

fn plain(tag: StructureTag) -> Vec<u8> {
    match tag.payload {
        PL::P(bytes) => bytes,
        PL::C(_) => panic!("not primitive"),
    }
}

fn text(tag: StructureTag) -> String {
    String::from_utf8(plain(tag)).expect("a text")
}

impl Fake {
    async fn start(script: impl Fn(&SearchRequest) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("ldap://{}", listener.local_addr().expect("an address"));
        let (searches, binds) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::default()));
        let (script, counted, bound): (Arc<Script>, _, _) =
            (Arc::new(script), searches.clone(), binds.clone());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, script.clone(), counted.clone(), bound.clone()));
            }
        });
        Self { url, searches, binds }
    }

    fn ldap(&self) -> Ldap {
        self.ldap_within(Duration::from_secs(30))
    }

    /// Creates a client with this request timeout.
    fn ldap_within(&self, request: Duration) -> Ldap {
        let json =
            serde_json::json!({"kind": "ldap", "url": self.url, "bind_dn": "cn=reader", "base_dn": "dc=x"});
        let Ok(DirectorySettings::Ldap(settings)) = serde_json::from_value(json) else { panic!("settings") };
        let limits =
            DirectoryLimits { connect: Duration::from_secs(30), request, retries: 1, reach: anywhere() };
        Ldap::new(&settings, &Secret::from(PASSWORD), limits).expect("settings")
    }
}

async fn serve(
    mut socket: TcpStream,
    script: Arc<Script>,
    searches: Arc<AtomicUsize>,
    binds: Arc<Mutex<Vec<String>>>,
) -> Option<()> {
    let mut buffer = Vec::new();
    loop {
        let (tag, read) = loop {
            if let Ok((rest, tag)) = parse_tag(&buffer) {
                break (tag, buffer.len() - rest.len());
            }
            if socket.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        };
        buffer.drain(..read);
        let mut outer = parts(tag).into_iter();
        let id = plain(outer.next()?)[0];
        let op = outer.next()?;
        let controls = outer.next();
        match op.id {
            0 => {
                let password = text(parts(op).pop()?);
                let right = password == PASSWORD;
                binds.lock().push(password.clone());
                let diagnostic = format!("no entry for {password}");
                let code = if right { 0 } else { 49 };
                socket.write_all(&message(id, result(1, code, &diagnostic), None)).await.ok()?;
            }
            3 => {
                searches.fetch_add(1, Ordering::SeqCst);
                let mut fields = parts(op).into_iter();
                let base = text(fields.next()?);
                let filter = bytes(fields.nth(5)?);
                let attributes = parts(fields.next()?).into_iter().map(text).collect();
                let cookie = controls.and_then(|controls| {
                    let value = plain(parts(parts(controls).pop()?).pop()?);
                    let (_, tag) = parse_tag(&value).ok()?;
                    Some(plain(parts(tag).pop()?))
                });
                let request = SearchRequest { base, filter, attributes, cookie: cookie.unwrap_or_default() };
                match script(&request) {
                    Reply::Tell((entries, code, cookie)) => {
                        for (dn, attributes) in &entries {
                            socket.write_all(&message(id, entry(dn, attributes), None)).await.ok()?;
                        }
                        let done = result(5, code, "says the server");
                        socket.write_all(&message(id, done, cookie.as_deref())).await.ok()?;
                    }
                    Reply::HangUp => return None,
                    Reply::Rubbish => {
                        let odd = constructed(TagClass::Application, 4, vec![octets(b"\xFF\xFE")]);
                        socket.write_all(&message(id, odd, None)).await.ok()?;
                        socket.write_all(&message(id, result(5, 0, ""), None)).await.ok()?;
                    }
                    Reply::Silence => {}
                }
            }
            _ => return None,
        }
    }
}

fn attribute(name: &str, values: &[&str]) -> (String, Vec<Vec<u8>>) {
    (name.to_owned(), values.iter().map(|value| value.as_bytes().to_vec()).collect())
}

/// The distinguished name of an entry, and the values of its attributes.
type Entry = (String, Vec<(String, Vec<Vec<u8>>)>);

fn reply_with(entries: Vec<Entry>) -> Reply {
    Reply::Tell((entries, 0, None))
}

fn person(name: &str) -> Entry {
    let mail = format!("{name}@example.org");
    (format!("uid={name},dc=x"), vec![attribute("mail", &[&mail]), attribute("cn", &[name])])
}

/// Whether a search is for people, judging by its attributes.
fn of_people(request: &SearchRequest) -> bool {
    request.attributes.iter().any(|name| name == "mail")
}

fn group(members: (String, Vec<Vec<u8>>)) -> Entry {
    ("cn=staff,dc=x".into(), vec![attribute("entryUUID", &["id-1"]), attribute("cn", &["Staff"]), members])
}

#[tokio::test]
async fn roll_joins_ranges_of_members() {
    let fake = Fake::start(|request| {
        if of_people(request) {
            return reply_with(["a", "b", "c", "d", "e"].map(person).to_vec());
        }
        let dn = |name: &str| format!("UID={name}, DC=x");
        let further = request.attributes.iter().find_map(|name| name.strip_prefix("member;range="));
        match further {
            None => reply_with(vec![group(attribute("member;range=0-1", &[&dn("a"), &dn("b")]))]),
            Some("2-*") => reply_with(vec![group(attribute("member;range=2-3", &[&dn("c"), &dn("d")]))]),
            Some("4-*") => reply_with(vec![group(attribute("member;range=4-*", &[&dn("e")]))]),
            Some(other) => panic!("asked for {other}"),
        }
    })
    .await;
    let roll = fake.ldap().roll("id-1").await.expect("it tells").expect("it is there");
    let found: Vec<&String> = roll.people.values().flat_map(|person| &person.addresses).collect();
    assert_eq!(found, ["a@example.org", "b@example.org", "c@example.org", "d@example.org", "e@example.org"]);
    // An incomplete range is an error.
    let fake = Fake::start(|request| match request.attributes.iter().any(|name| name.contains("range=")) {
        _ if of_people(request) => reply_with(vec![person("a")]),
        false => reply_with(vec![group(attribute("member;range=0-0", &["uid=a,dc=x"]))]),
        true => reply_with(vec![group(attribute("member", &[]))]),
    })
    .await;
    let why = fake.ldap().roll("id-1").await.expect_err("a part is not all");
    assert_eq!(why.kind, DirectoryErrorKind::Incomplete);
}

#[tokio::test]
async fn groups_follows_all_pages_and_reports_limits() {
    let paged = |last: u32| {
        move |request: &SearchRequest| {
            let page = request.cookie.first().copied().unwrap_or(0);
            let entry = |id: &str| {
                let attributes = vec![attribute("entryUUID", &[id]), attribute("cn", &[id])];
                (format!("cn={id},dc=x"), attributes)
            };
            match page {
                0 => Reply::Tell((vec![entry("one")], 0, Some(vec![1]))),
                // A page may be empty without being the last.
                1 => Reply::Tell((Vec::new(), 0, Some(vec![2]))),
                _ => Reply::Tell((vec![entry("two")], last, Some(Vec::new()))),
            }
        }
    };
    let fake = Fake::start(paged(0)).await;
    let names: Vec<String> =
        fake.ldap().groups().await.expect("all").into_iter().map(|group| group.name).collect();
    assert_eq!(names, ["one", "two"]);
    for code in [3, 4, 11, 10] {
        let fake = Fake::start(paged(code)).await;
        let why = fake.ldap().groups().await.expect_err("not all");
        assert_eq!(why.kind, DirectoryErrorKind::Incomplete, "{why}");
    }
}

#[tokio::test]
async fn groups_reconnects_after_a_broken_connection() {
    let broken = Arc::new(AtomicUsize::new(1));
    let failures = broken.clone();
    let fake = Fake::start(move |_| match failures.load(Ordering::SeqCst) {
        0 => reply_with(vec![group(attribute("member", &[]))]),
        _ => {
            failures.fetch_sub(1, Ordering::SeqCst);
            Reply::HangUp
        }
    })
    .await;
    let ldap = fake.ldap();
    assert_eq!(ldap.groups().await.expect("the second time").len(), 1);
    assert_eq!(fake.binds.lock().len(), 2);
    broken.store(9, Ordering::SeqCst);
    let why = ldap.groups().await.expect_err("again and again");
    assert_eq!(why.kind, DirectoryErrorKind::Unreachable, "{why}");
    assert_eq!(fake.searches.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn groups_distinguishes_invalid_responses_from_timeouts() {
    let fake = Fake::start(|_| Reply::Rubbish).await;
    assert_eq!(fake.ldap().groups().await.expect_err("rubbish").kind, DirectoryErrorKind::Failed);
    let fake = Fake::start(|_| Reply::Silence).await;
    let impatient = fake.ldap_within(Duration::from_millis(500));
    assert_eq!(impatient.groups().await.expect_err("nothing").kind, DirectoryErrorKind::Timeout);
}

#[tokio::test]
async fn errors_do_not_contain_the_password() {
    let fake = Fake::start(|_| reply_with(Vec::new())).await;
    let settings: LdapSettings = serde_json::from_value(
        serde_json::json!({"url": fake.url, "bind_dn": "cn=reader", "base_dn": "dc=x"}),
    )
    .expect("settings");
    let wrong = Ldap::new(
        &settings,
        &Secret::from("another-secret"),
        DirectoryLimits { reach: anywhere(), ..DirectoryLimits::default() },
    )
    .expect("settings");
    let why = wrong.test().await.expect_err("it is wrong");
    assert_eq!(why.kind, DirectoryErrorKind::Refused);
    assert!(why.message.contains("[key removed]") && !why.message.contains("another-secret"), "{why}");
    assert!(
        Ldap::new(
            &settings,
            &Secret::from(""),
            DirectoryLimits { reach: anywhere(), ..DirectoryLimits::default() }
        )
        .is_err()
    );
}

#[tokio::test]
async fn roll_finds_a_group_by_its_binary_id() {
    let guid: Vec<u8> = vec![0x00, 0x28, 0x2a, 0xff];
    let known = guid.clone();
    let fake = Fake::start(move |request| {
        if of_people(request) {
            return reply_with(vec![person("a")]);
        }
        let here = request.base == "dc=x" && request.filter.windows(known.len()).any(|part| part == known);
        let attributes = vec![
            ("objectGUID".to_owned(), vec![known.clone()]),
            attribute("cn", &["Staff"]),
            attribute("member", &["uid=a,dc=x"]),
        ];
        let listed = !request.attributes.iter().any(|name| name == "member");
        reply_with(if here || listed { vec![("cn=staff,dc=x".into(), attributes)] } else { Vec::new() })
    })
    .await;
    let mut ldap = fake.ldap();
    ldap.settings.id_attribute = "objectGUID".to_owned();
    let id = ldap.groups().await.expect("a list")[0].id.clone();
    assert_eq!(id, "0x00282aff");
    assert_eq!(ldap.roll(&id).await.expect("it tells").expect("it is there").people.len(), 1);
    assert_eq!(ldap.roll("0x01").await.expect("it tells"), None);
}
