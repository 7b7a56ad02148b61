//! Requests that are sent repeatedly, and mutations of them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::values::{self, JsonMutation, odd_text};
use crate::harness::Client;

/// The longest text that is put into a URL or a header.
const LONGEST: usize = 2_000;

/// A request. Its path has its parameters in braces, as in `/api/external/login/{tracker}/prepare/`.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    /// The query parameters, already escaped.
    pub query: Vec<(String, String)>,
    pub headers: Vec<(&'static str, Vec<u8>)>,
    pub body: Option<Vec<u8>>,
    json: Option<Value>,
}

/// A request after a mutation.
pub struct Mutated {
    /// Description of the mutation.
    pub what: String,
    pub request: Request,
    /// Whether the request may reach another operation, or none.
    pub is_elsewhere: bool,
}

impl Request {
    pub fn get(path: &str) -> Self {
        let (query, headers) = (Vec::new(), Vec::new());
        Self { method: Method::GET, path: path.to_owned(), query, headers, body: None, json: None }
    }

    pub fn post(path: &str, body: &Value) -> Self {
        let bytes = Some(body.to_string().into_bytes());
        let request = Self { method: Method::POST, body: bytes, json: Some(body.clone()), ..Self::get(path) };
        request.header("content-type", "application/json")
    }

    pub fn post_without_body(path: &str) -> Self {
        Self { method: Method::POST, ..Self::get(path) }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.as_bytes().to_vec()));
        self
    }

    /// Adds the credentials of a client.
    pub fn by(self, client: &Client) -> Self {
        let value = format!("Bearer {}", client.bearer());
        self.header("authorization", &value)
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((escaped(name), escaped(value)));
        self
    }

    /// The path and the query, as they are sent.
    pub fn target(&self) -> String {
        let pairs: Vec<_> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", self.path.replace(['{', '}'], ""), pairs.join("&"))
    }

    /// Whether the request asks for an HTML page.
    pub fn wants_page(&self) -> bool {
        let accept = self.headers.iter().filter(|(name, _)| *name == "accept");
        accept.into_iter().any(|(_, value)| String::from_utf8_lossy(value).contains("text/html"))
    }

    /// Builds the request for this HTTP client.
    pub fn build(&self, client: &reqwest::Client, server: &str) -> reqwest::RequestBuilder {
        let mut request = client.request(self.method.clone(), format!("{server}{}", self.target()));
        for (name, value) in &self.headers {
            let value = HeaderValue::from_bytes(value).expect("a header value");
            request = request.header(HeaderName::from_static(name), value);
        }
        match &self.body {
            Some(body) => request.body(body.clone()),
            None => request,
        }
    }

    fn drop_header(&mut self, name: &str) {
        self.headers.retain(|(it, _)| *it != name);
    }
}

/// A way to change a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    Json(JsonMutation),
    ContentType,
    UnwantedBody,
    Path,
    ExtraQuery,
    MissingQuery,
    RepeatedQuery,
    OddQuery,
    MalformedQuery,
    IfMatch,
    IdempotencyKey,
    Authorization,
    OtherHeader,
}

/// The mutations that are applicable to a request.
fn ways(request: &Request) -> Vec<Mutation> {
    use Mutation as M;
    let mut ways: Vec<_> = match request.json {
        Some(_) => JsonMutation::ALL.into_iter().map(M::Json).chain([M::ContentType]).collect(),
        None => vec![M::UnwantedBody],
    };
    if !request.query.is_empty() {
        ways.extend([M::MissingQuery, M::RepeatedQuery, M::OddQuery, M::MalformedQuery]);
    }
    ways.extend([M::Path, M::ExtraQuery, M::IfMatch, M::IdempotencyKey, M::Authorization, M::OtherHeader]);
    ways
}

/// The mutation of a round: the rounds cycle through all kinds of mutation, with random details.
pub fn mutated(request: &Request, round: usize, dice: &mut StdRng) -> Mutated {
    let ways = ways(request);
    let way = ways[round % ways.len()];
    let mut mutated = Mutated { what: String::new(), request: request.clone(), is_elsewhere: false };
    let what = mutated.apply(way, dice);
    mutated.what = format!("{way:?}: {what}");
    mutated
}

impl Mutated {
    fn apply(&mut self, way: Mutation, dice: &mut StdRng) -> String {
        let request = &mut self.request;
        match way {
            Mutation::Json(way) => {
                let (what, bytes) = values::mutate(request.json.as_ref().expect("a JSON body"), way, dice);
                request.body = Some(bytes);
                what
            }
            Mutation::ContentType => content_type(request, dice),
            Mutation::UnwantedBody => unwanted_body(request, dice),
            Mutation::Path => self.path(dice),
            Mutation::ExtraQuery => {
                let name = ["wait", "force", "wire", "limit", "a[]", "%00", ""].choose(dice).expect("names");
                let value = escaped(&odd_text(dice, LONGEST));
                request.query.push(((*name).to_owned(), value.clone()));
                format!("{name:?} = {value:?}")
            }
            Mutation::MissingQuery => {
                let (name, _) = request.query.remove(dice.random_range(0..request.query.len()));
                format!("without {name:?}")
            }
            Mutation::RepeatedQuery => {
                let (name, value) = request.query.choose(dice).expect("a parameter").clone();
                let times = [1, 2, 30][dice.random_range(0..3)];
                let value = if dice.random() { value } else { "other".to_owned() };
                request.query.extend((0..times).map(|_| (name.clone(), value.clone())));
                format!("{name:?} = {value:?}, {times} times more")
            }
            Mutation::OddQuery => {
                let text = escaped(&odd_text(dice, LONGEST));
                let at = dice.random_range(0..request.query.len());
                request.query[at].1.clone_from(&text);
                format!("{:?} = {text:?}", request.query[at].0)
            }
            Mutation::MalformedQuery => {
                let odd =
                    ["%", "%zz", "%ff%fe", "&&&==&", ";a=b", "+%2B+", "%u0041"].choose(dice).expect("texts");
                let at = dice.random_range(0..request.query.len());
                request.query[at].1 = (*odd).to_owned();
                format!("{:?} = {odd:?}", request.query[at].0)
            }
            Mutation::IfMatch => odd_header(request, "if-match", dice),
            Mutation::IdempotencyKey => odd_header(request, "idempotency-key", dice),
            Mutation::Authorization => authorization(request, dice),
            Mutation::OtherHeader => other_header(request, dice),
        }
    }

    /// Replaces a path parameter, or appends to a path without parameters.
    fn path(&mut self, dice: &mut StdRng) -> String {
        const ODD: [&str; 16] = [
            "none",
            "%00",
            "..%2f..%2fetc",
            "%ff%fe",
            "%E2%80%AE",
            "%0d%0aSet-Cookie:a=b",
            "%25%30%30",
            "~",
            "'",
            "*",
            "00000000-0000-0000-0000-000000000000",
            "00000000-0000-7000-8000-00000000000g",
            "%7B%7D",
            "mcp%3Atracker",
            "a%2Fb",
            "-1",
        ];
        let odd = match dice.random_ratio(1, 8) {
            true => "x".repeat(LONGEST),
            false => (*ODD.choose(dice).expect("texts")).to_owned(),
        };
        let path = &mut self.request.path;
        match (path.find('{'), path.find('}')) {
            (Some(from), Some(to)) => path.replace_range(from..=to, &odd),
            _ => {
                self.is_elsewhere = true;
                path.push('/');
                path.push_str(&odd);
            }
        }
        path.chars().take(200).collect()
    }
}

fn content_type(request: &mut Request, dice: &mut StdRng) -> String {
    const TYPES: [&str; 9] = [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/xml",
        "json",
        "application/json, text/plain",
        "application/\u{fc}",
    ];
    let kind = TYPES.choose(dice).expect("types");
    request.drop_header("content-type");
    if !kind.is_empty() {
        request.headers.push(("content-type", kind.as_bytes().to_vec()));
    }
    format!("{kind:?}")
}

fn unwanted_body(request: &mut Request, dice: &mut StdRng) -> String {
    let (kind, body): (&str, &[u8]) = [
        ("application/json", &b"{\"a\": 1}"[..]),
        ("application/json", b"[[["),
        ("text/plain", b"hello"),
        ("application/json", b"\xff\xfe"),
        ("multipart/form-data; boundary=x", b"--y"),
    ][dice.random_range(0..5)];
    request.headers.push(("content-type", kind.as_bytes().to_vec()));
    request.body = Some(body.to_vec());
    format!("{kind}: {body:?}")
}

fn odd_header(request: &mut Request, name: &'static str, dice: &mut StdRng) -> String {
    const VALUES: [&[u8]; 12] = [
        b"",
        b"*",
        b"1",
        b"\"1\"",
        b"W/\"1\"",
        b"\"-1\"",
        b"\"99999999999999999999\"",
        b"\"1\", \"2\"",
        b"\"unclosed",
        b"\xff\xfe\x80",
        b"a\tb",
        b"null",
    ];
    let value = match dice.random_ratio(1, 8) {
        true => vec![b'k'; LONGEST],
        false => VALUES.choose(dice).expect("values").to_vec(),
    };
    let times = dice.random_range(1..3);
    request.headers.extend((0..times).map(|_| (name, value.clone())));
    format!("{:?}, {times} times", String::from_utf8_lossy(&value))
}

/// Invalid credentials, none, or the valid ones in a different notation.
fn authorization(request: &mut Request, dice: &mut StdRng) -> String {
    let good = request.headers.iter().find(|(name, _)| *name == "authorization");
    let good =
        good.map_or_else(|| "Bearer u".to_owned(), |(_, value)| String::from_utf8_lossy(value).into_owned());
    let claims = URL_SAFE_NO_PAD.encode("{\"alg\":\"none\"}");
    let value: Vec<u8> = match dice.random_range(0..12) {
        0 => {
            request.drop_header("authorization");
            return "none".to_owned();
        }
        1 => b"Bearer".to_vec(),
        2 => b"Bearer ".to_vec(),
        3 => b"Basic dXNlcjpwYXNzd29yZA==".to_vec(),
        4 => format!("Bearer {claims}.{claims}.").into_bytes(),
        5 => b"Bearer \xff\xfe".to_vec(),
        6 => format!("{good}x").into_bytes(),
        7 => good.replace("Bearer", "bEARER").into_bytes(),
        8 => format!("Bearer {}", "a".repeat(LONGEST)).into_bytes(),
        9 => good.replace("Bearer ", "Bearer  ").into_bytes(),
        10 => format!("{good}, {good}").into_bytes(),
        _ => {
            request.headers.push(("authorization", b"Bearer other".to_vec()));
            return "twice".to_owned();
        }
    };
    let shown = String::from_utf8_lossy(&value).chars().take(30).collect();
    request.drop_header("authorization");
    request.headers.push(("authorization", value));
    shown
}

fn other_header(request: &mut Request, dice: &mut StdRng) -> String {
    const HEADERS: [(&str, &[u8]); 15] = [
        ("content-encoding", b"gzip"),
        ("accept", b"text/html"),
        ("accept", b"application/xml"),
        ("accept", b"\xff;q=nan"),
        ("accept-encoding", b"gzip, br;q=-1"),
        ("origin", b"https://evil.example"),
        ("cookie", b"understudy_access=x; understudy_refresh=\xff"),
        ("cookie", b"understudy_login=; understudy_login=0123456789012345678901234567890123456789012"),
        ("host", b"evil.example"),
        ("x-forwarded-for", b"not an address, \xff"),
        ("x-request-id", b"../../<b>"),
        ("x-http-method-override", b"DELETE"),
        ("range", b"bytes=5-1,0-"),
        ("traceparent", b"00-ffffffffffffffffffffffffffffffff-0000000000000000-zz"),
        ("last-event-id", b"18446744073709551616"),
    ];
    let (name, value) = HEADERS.choose(dice).expect("headers");
    if *name == "host" {
        request.drop_header("host");
    }
    request.headers.push((name, value.to_vec()));
    format!("{name}: {}", String::from_utf8_lossy(value))
}

/// Escapes a text for use in a query.
pub fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
