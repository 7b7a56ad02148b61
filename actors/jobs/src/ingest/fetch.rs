//! Fetches web pages.

use std::time::Duration;

use bytes::Bytes;
use providers::web::{WebAnswer, WebClient, WebError, WebErrorKind, WebRequest};

/// Time limit of a fetch, including redirects.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The accepted media types, in order of preference.
const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.7,*/*;q=0.3";
/// Media types that contain text, in addition to `text/*`.
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
/// Prefixes of the media types of office documents.
const OFFICE: [&str; 2] =
    ["application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."];
/// Suffixes of all other media types that contain text.
const TEXTS: [&str; 2] = ["+json", "+xml"];

/// A new version of a page, or the answer that it has not changed.
#[derive(Debug)]
pub(super) enum FetchResult {
    /// The page has not changed since it was fetched with these validators.
    NotModified,
    Page(FetchedPage),
}

/// A downloaded page and its HTTP validators.
#[derive(Debug)]
pub(super) struct FetchedPage {
    pub(super) bytes: Bytes,
    /// The media type reported by the server, in lower case, with its charset if that is not UTF-8. Empty if the server reports
    /// no useful type.
    pub(super) media_type: String,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// Why a page could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct FetchError {
    code: &'static str,
    message: String,
}

/// Fetches a page of at most `max_bytes`. `etag` and `last_modified` of an earlier fetch let the server answer that the page is
/// unchanged. The server's `robots.txt` is respected.
pub(super) async fn fetch(
    web: &WebClient,
    url: &str,
    etag: Option<&str>,
    last_modified: Option<&str>,
    max_bytes: u64,
) -> Result<FetchResult, FetchError> {
    let mut request = WebRequest::new("GET", url);
    (request.crawls, request.max_bytes, request.timeout) = (true, max_bytes, TIMEOUT);
    let marks = [("if-none-match", etag), ("if-modified-since", last_modified)];
    let marks = marks.iter().filter_map(|(name, mark)| mark.map(|mark| (*name, mark)));
    let headers = [("accept", ACCEPT)].into_iter().chain(marks);
    request.headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let marked = etag.is_some() || last_modified.is_some();
    let answer = web.send(request).await.map_err(|why| FetchError::from_web(why, max_bytes))?;
    match answer.status {
        304 if marked => Ok(FetchResult::NotModified),
        200 | 203 => page(answer).map(FetchResult::Page),
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
            "the response is compressed, which the request did not allow",
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

/// Returns the charset that a `Content-Type` header names, unless it is UTF-8.
fn charset(header: &str) -> Option<String> {
    let parameters = header.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut named = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let named = named.next()?.1.trim().trim_matches('"').to_ascii_lowercase();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(&byte);
    let is_valid = (1..=40).contains(&named.len()) && named.bytes().all(good);
    (is_valid && named != "utf-8" && named != "utf8").then_some(named)
}

/// Checks that the content has a media type that contains text. If the server reports no useful type, the content itself decides.
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
                "the response is not text, and the server does not report its type",
            )),
        };
    }
    let known = media_type.starts_with("text/")
        || TYPES.contains(&media_type.as_str())
        || OFFICE.iter().any(|office| media_type.starts_with(office))
        || TEXTS.iter().any(|text| media_type.ends_with(text));
    match known && media_type != "image/svg+xml" {
        true => Ok(media_type),
        false => Err(FetchError::new("link_type", format!("the type {media_type} is not supported"))),
    }
}

impl FetchError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Returns the stable error code.
    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    fn status(status: u16) -> Self {
        let message = match status {
            401 | 403 => format!("the server requires authentication ({status})"),
            404 | 410 => format!("the page does not exist ({status})"),
            429 => "the server limits the rate of requests (429)".to_owned(),
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
    fn readable_accepts_only_types_with_text() {
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
    fn readable_inspects_the_bytes_if_the_type_is_unknown() {
        for bytes in [b"plain words".as_slice(), b"%PDF-1.7\n\0", b"PK\x03\x04\0", b"\xff\xfeh\0i\0", b""] {
            assert_eq!(read("application/octet-stream", bytes).as_deref(), Ok(""));
        }
        assert_eq!(read("", b"\x7fELF\0\0"), Err("link_type"));
    }

    #[test]
    fn from_web_maps_every_failure_to_its_code() {
        let of =
            |kind| FetchError::from_web(WebError { kind, message: "no".to_owned(), unsent: true }, 77 << 20);
        assert_eq!(of(WebErrorKind::Refused).code(), "link_private");
        assert_eq!(of(WebErrorKind::Robots).code(), "link_refused_by_robots");
        assert_eq!(of(WebErrorKind::Timeout).code(), "link_unreachable");
        assert!(of(WebErrorKind::TooLarge).message.contains("77"));
        assert_eq!(FetchError::status(404).code(), "link_status");
    }

    #[test]
    fn charset_returns_encodings_other_than_utf_8() {
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
