//! Fetching pages of the web.

use std::time::Duration;

use bytes::Bytes;
use providers::web::{WebAnswer, WebClient, WebError, WebErrorKind, WebRequest};

/// How long all of it may take, redirects included.
const PATIENCE: Duration = Duration::from_secs(60);
/// What we like best, first.
const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.7,*/*;q=0.3";
/// Types with text in them beside those that begin with `text/`.
const TYPES: [&str; 12] = [
    "application/xhtml+xml",
    "application/pdf",
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/rtf",
    "application/yaml",
    "application/x-yaml",
    "application/javascript",
    "application/msword",
    "application/vnd.ms-excel",
    "message/rfc822",
];
/// What the types of office programs begin with.
const OFFICE: [&str; 2] =
    ["application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."];
/// What the types of everything else that is text end with.
const TEXTS: [&str; 2] = ["+json", "+xml"];

/// What came of a fetch.
#[derive(Debug)]
pub(super) enum Fetched {
    /// The page is the one that the marks are of.
    NotModified,
    Page(FetchedPage),
}

/// A page as it came.
#[derive(Debug)]
pub(super) struct FetchedPage {
    pub(super) bytes: Bytes,
    /// The type that the server says it has, in lower case, with its encoding where that is not
    /// UTF-8; empty where it says nothing of use.
    pub(super) media_type: String,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// Why a page could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct FetchError {
    code: &'static str,
    message: String,
}

/// Fetches a page. With the marks of an earlier fetch the server may answer that it is still the
/// same. Servers are asked first what programs may fetch. A page has at most `max_bytes`.
pub(super) async fn fetch(
    web: &WebClient,
    url: &str,
    etag: Option<&str>,
    last_modified: Option<&str>,
    max_bytes: u64,
) -> Result<Fetched, FetchError> {
    let mut request = WebRequest::new("GET", url);
    (request.crawls, request.max_bytes, request.timeout) = (true, max_bytes, PATIENCE);
    let marks = [("if-none-match", etag), ("if-modified-since", last_modified)];
    let marks = marks.iter().filter_map(|(name, mark)| mark.map(|mark| (*name, mark)));
    let headers = [("accept", ACCEPT)].into_iter().chain(marks);
    request.headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let marked = etag.is_some() || last_modified.is_some();
    let answer = web.send(request).await.map_err(|why| FetchError::from_web(why, max_bytes))?;
    match answer.status {
        304 if marked => Ok(Fetched::NotModified),
        200 | 203 => page(answer).map(Fetched::Page),
        status => Err(FetchError::status(status)),
    }
}

fn page(answer: WebAnswer) -> Result<FetchedPage, FetchError> {
    let header = |name: &str| {
        let value = answer.headers.get(name).and_then(|value| value.to_str().ok());
        value.filter(|value| !value.is_empty() && value.len() <= 1_000).map(str::to_owned)
    };
    if header("content-encoding").is_some_and(|how| !how.eq_ignore_ascii_case("identity")) {
        return Err(FetchError::new(
            "link_type",
            "the page came compressed, which the request did not allow",
        ));
    }
    let mut media_type = readable(answer.media_type(), &answer.body)?;
    if let Some(charset) = header("content-type").as_deref().and_then(charset)
        && media_type.starts_with("text/")
    {
        media_type = format!("{media_type}; charset={charset}");
    }
    let (etag, last_modified) = (header("etag"), header("last-modified"));
    Ok(FetchedPage { bytes: answer.body, media_type, etag, last_modified })
}

/// The encoding that a `Content-Type` names, where it is not UTF-8.
fn charset(header: &str) -> Option<String> {
    let parameters = header.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut named = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let named = named.next()?.1.trim().trim_matches('"').to_ascii_lowercase();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(&byte);
    let is_valid = (1..=40).contains(&named.len()) && named.bytes().all(good);
    (is_valid && named != "utf-8" && named != "utf8").then_some(named)
}

/// The type of what came, where that is one with text in it. Where the server tells none of use,
/// the bytes decide.
fn readable(media_type: String, bytes: &[u8]) -> Result<String, FetchError> {
    let untold = ["", "application/octet-stream", "binary/octet-stream", "application/force-download"];
    if untold.contains(&media_type.as_str()) {
        let head = &bytes[..bytes.len().min(8 << 10)];
        let known = [b"%PDF-".as_slice(), b"PK\x03\x04", b"{\\rtf", b"\xff\xfe", b"\xfe\xff"];
        let read = known.iter().any(|mark| head.starts_with(mark)) || !head.contains(&0);
        return match read {
            true => Ok(String::new()),
            false => Err(FetchError::new(
                "link_type",
                "what came is no text, and the server does not say what it is",
            )),
        };
    }
    let known = media_type.starts_with("text/")
        || TYPES.contains(&media_type.as_str())
        || OFFICE.iter().any(|office| media_type.starts_with(office))
        || TEXTS.iter().any(|text| media_type.ends_with(text));
    match known && media_type != "image/svg+xml" {
        true => Ok(media_type),
        false => Err(FetchError::new("link_type", format!("the page is {media_type}, which is not read"))),
    }
}

impl FetchError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A stable code.
    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    fn status(status: u16) -> Self {
        let message = match status {
            401 | 403 => format!("the server wants to know who asks ({status})"),
            404 | 410 => format!("there is no such page ({status})"),
            429 => "the server wants to be asked less often (429)".to_owned(),
            500.. => format!("the server failed ({status})"),
            _ => format!("the server answered with {status}"),
        };
        Self::new("link_status", message)
    }

    fn from_web(why: WebError, max_bytes: u64) -> Self {
        use WebErrorKind as Kind;
        match why.kind {
            Kind::Refused => Self::new("link_private", why.message),
            Kind::Robots => Self::new("link_refused_by_robots", why.message),
            Kind::TooLarge => {
                let most = max_bytes >> 20;
                Self::new("link_too_large", format!("the page is larger than {most} MiB"))
            }
            Kind::Invalid
            | Kind::Secret
            | Kind::Redirects
            | Kind::Connect
            | Kind::Timeout
            | Kind::Protocol => Self::new("link_unreachable", why.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(media_type: &str, bytes: &[u8]) -> Result<String, &'static str> {
        readable(media_type.to_owned(), bytes).map_err(|why| why.code)
    }

    #[test]
    fn only_what_has_text_in_it_is_taken() {
        for media_type in [
            "text/html",
            "text/x-rust",
            "application/pdf",
            "application/ld+json",
            "application/atom+xml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.oasis.opendocument.spreadsheet",
        ] {
            assert_eq!(read(media_type, b"\0").as_deref(), Ok(media_type));
        }
        for media_type in ["image/png", "image/svg+xml", "video/mp4", "application/zip", "application/x-sh"] {
            assert_eq!(read(media_type, b"words"), Err("link_type"), "{media_type}");
        }
    }

    #[test]
    fn where_the_server_says_nothing_the_bytes_decide() {
        for bytes in [b"plain words".as_slice(), b"%PDF-1.7\n\0", b"PK\x03\x04\0", b"\xff\xfeh\0i\0", b""] {
            assert_eq!(read("application/octet-stream", bytes).as_deref(), Ok(""));
        }
        assert_eq!(read("", b"\x7fELF\0\0"), Err("link_type"));
    }

    #[test]
    fn every_failure_has_its_code() {
        let of =
            |kind| FetchError::from_web(WebError { kind, message: "no".to_owned(), unsent: true }, 77 << 20);
        assert_eq!(of(WebErrorKind::Refused).code(), "link_private");
        assert_eq!(of(WebErrorKind::Robots).code(), "link_refused_by_robots");
        assert_eq!(of(WebErrorKind::Timeout).code(), "link_unreachable");
        assert!(of(WebErrorKind::TooLarge).message.contains("77"));
        assert_eq!(FetchError::status(404).code(), "link_status");
    }

    #[test]
    fn an_encoding_that_is_not_the_usual_one_is_told() {
        for (header, expected) in [
            ("text/html; charset=windows-1252", Some("windows-1252")),
            ("text/html;charset=\"ISO-8859-1\"", Some("iso-8859-1")),
            ("text/html; charset=UTF-8", None),
            ("text/html; boundary=x", None),
            ("text/html; charset=a b", None),
        ] {
            assert_eq!(charset(header).as_deref(), expected, "{header}");
        }
    }
}
