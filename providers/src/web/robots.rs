//! Rules of servers for automated clients: `robots.txt` (RFC 9309).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memmem;
use parking_lot::Mutex;
use reqwest::Url;
use tokio::sync::OnceCell;

use super::error::{WebError, WebErrorKind};

/// Our user agent name in `robots.txt` files, in lower case.
const AGENT: &str = "understudy";
/// How long a server's rules are cached.
const LIFE: Duration = Duration::from_secs(60 * 60);
/// How long the failure to read a server's rules is cached.
const SHORT_LIFE: Duration = Duration::from_secs(60);
/// The number of servers whose rules are cached.
const SERVERS: usize = 1_000;
/// Maximum size of a file; RFC 9309 requires at least 500 KiB.
pub(super) const MAX_BYTES: u64 = 1 << 20;
/// Timeout for fetching the file.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The cached rules of recently requested servers.
#[derive(Default)]
pub(super) struct Robots(Mutex<HashMap<String, Arc<ServerRules>>>);

/// The rules of one server, once they have been fetched.
struct ServerRules {
    fetched_at: Instant,
    rules: OnceCell<Rules>,
}

impl Robots {
    /// Rejects a URL that its server disallows. `ask` fetches the `robots.txt` at a URL and returns its status and
    /// body. Concurrent calls share one fetch.
    pub(super) async fn check<A>(&self, url: &Url, ask: impl FnOnce(Url) -> A) -> Result<(), WebError>
    where
        A: Future<Output = Result<(u16, bytes::Bytes), WebError>>,
    {
        let Ok(file) = url.join("/robots.txt") else { return Ok(()) };
        let server_rules = self.rules_of(url.origin().ascii_serialization());
        let rules =
            server_rules.rules.get_or_try_init(|| async { Rules::from_response(ask(file).await) }).await?;
        match rules.allow(&target(url)) {
            true => Ok(()),
            false => Err(WebError::unsent(WebErrorKind::Robots, rules.refusal(url))),
        }
    }

    /// Returns the cache entry of a server; creates one if it is missing or expired.
    fn rules_of(&self, server: String) -> Arc<ServerRules> {
        let mut servers = self.0.lock();
        if let Some(server_rules) = servers.get(&server).filter(|server_rules| server_rules.holds()) {
            return Arc::clone(server_rules);
        }
        if servers.len() >= SERVERS {
            servers.retain(|_, server_rules| server_rules.holds());
        }
        if servers.len() >= SERVERS {
            let oldest = servers
                .iter()
                .min_by_key(|(_, server_rules)| server_rules.fetched_at)
                .map(|(server, _)| server.clone());
            oldest.and_then(|oldest| servers.remove(&oldest));
        }
        let server_rules = Arc::new(ServerRules { fetched_at: Instant::now(), rules: OnceCell::new() });
        servers.insert(server, Arc::clone(&server_rules));
        server_rules
    }
}

impl ServerRules {
    fn holds(&self) -> bool {
        let life = match self.rules.get() {
            Some(Rules::Unknown(_)) | None => SHORT_LIFE,
            Some(Rules::Known(_)) => LIFE,
        };
        self.fetched_at.elapsed() < life
    }
}

/// The rules of a server.
enum Rules {
    /// The rules cannot be read for this reason, and nothing may be fetched.
    Unknown(String),
    /// The rules that apply to us; an empty list allows everything.
    Known(Vec<Rule>),
}

/// A rule: a path pattern, and whether matching paths may be fetched.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    pattern: Vec<u8>,
    allow: bool,
}

impl Rules {
    /// Interprets the response to the request for the file. If the server itself may not be reached, that error is
    /// returned.
    fn from_response(answer: Result<(u16, bytes::Bytes), WebError>) -> Result<Self, WebError> {
        use WebErrorKind as Kind;
        match answer {
            Ok((200..=299, bytes)) => Ok(Self::Known(read(&bytes))),
            Ok((500.., _)) => Ok(Self::Unknown("its server failed".to_owned())),
            // The file does not exist or is not accessible, so the server has no rules.
            Ok(_) => Ok(Self::Known(Vec::new())),
            Err(why) => match why.kind {
                Kind::Redirects => Ok(Self::Known(Vec::new())),
                Kind::Timeout | Kind::Protocol | Kind::TooLarge => Ok(Self::Unknown(why.message)),
                // A server that cannot be reached has no rules, and no pages either.
                Kind::Connect | Kind::Invalid | Kind::Refused | Kind::Secret | Kind::Robots => Err(why),
            },
        }
    }

    fn allow(&self, target: &[u8]) -> bool {
        match self {
            Self::Unknown(_) => target == b"/robots.txt",
            Self::Known(rules) => allowed(rules, target),
        }
    }

    fn refusal(&self, url: &Url) -> String {
        let server = url.host_str().unwrap_or_default();
        match self {
            Self::Known(_) => format!("{server} does not allow programs to fetch this page (robots.txt)"),
            Self::Unknown(why) => format!("{server}'s robots.txt cannot be read: {why}"),
        }
    }
}

/// Parses the rules that apply to us: those of the groups that name us, otherwise those for all agents.
fn read(bytes: &[u8]) -> Vec<Rule> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut ours, mut everyones, mut named) = (Vec::new(), Vec::new(), false);
    // Whom the current group applies to, and whether its list of user agents has ended.
    let (mut for_us, mut for_all, mut begun) = (false, false, true);
    for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (key, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        match key.to_ascii_lowercase().as_slice() {
            b"user-agent" => {
                if std::mem::take(&mut begun) {
                    (for_us, for_all) = (false, false);
                }
                let ends =
                    value.iter().position(|byte| !(byte.is_ascii_alphabetic() || b"_-".contains(byte)));
                let name = &value[..ends.unwrap_or(value.len())];
                for_us |= name.eq_ignore_ascii_case(AGENT.as_bytes());
                for_all |= value == b"*";
                named |= for_us;
            }
            key @ (b"allow" | b"disallow") => {
                begun = true;
                let rule = || Rule { pattern: plain(value), allow: key == b"allow" };
                // A rule with an empty path is ignored.
                if for_us && !value.is_empty() {
                    ours.push(rule());
                }
                if for_all && !value.is_empty() {
                    everyones.push(rule());
                }
            }
            _ => {}
        }
    }
    if named { ours } else { everyones }
}

/// The longest matching rule decides; of two of equal length, the one that allows.
fn allowed(rules: &[Rule], target: &[u8]) -> bool {
    let fitting = rules.iter().filter(|rule| fits(&rule.pattern, target));
    let decides = fitting.max_by_key(|rule| (rule.pattern.len(), rule.allow));
    target == b"/robots.txt" || decides.is_none_or(|rule| rule.allow)
}

/// Whether a path matches a pattern: `*` matches anything, and a trailing `$` matches the end.
fn fits(pattern: &[u8], target: &[u8]) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = target.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !to_end || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if to_end && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = memmem::find(rest, piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// Returns the path and query of a URL.
fn target(url: &Url) -> Vec<u8> {
    let text = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    plain(text.as_bytes())
}

/// Normalizes a path for comparison: characters are escaped only where necessary.
fn plain(path: &[u8]) -> Vec<u8> {
    let digit = |at: usize| path.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut plain, mut at) = (Vec::with_capacity(path.len()), 0);
    let escape = |byte: u8, to: &mut Vec<u8>| to.extend_from_slice(format!("%{byte:02X}").as_bytes());
    while let Some(byte) = path.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                let byte = (high * 16 + low) as u8;
                match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    true => plain.push(byte),
                    false => escape(byte, &mut plain),
                }
                at += 3;
                continue;
            }
            (byte, ..) if byte.is_ascii_graphic() => plain.push(*byte),
            (byte, ..) => escape(*byte, &mut plain),
        }
        at += 1;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(file: &str, path: &str) -> bool {
        let url = Url::parse("https://example.org").unwrap().join(path).unwrap();
        allowed(&read(file.as_bytes()), &target(&url))
    }

    #[test]
    fn read_prefers_the_group_that_names_us() {
        let file = "User-agent: *\nDisallow: /\n\nUser-Agent: UnderStudy/2.0\nDisallow: /private\n";
        assert!(may(file, "/open") && !may(file, "/private/x") && !may(file, "/privateer"));
        let others = "User-agent: understudybot\nDisallow: /\nuser-agent: other\nallow: /\n";
        assert!(may(others, "/x"));
        let everyone = "\u{feff}user-agent: other\nuser-agent: * # all\nsitemap: /s\ndisallow: /\n";
        assert!(!may(everyone, "/x") && may(everyone, "/robots.txt"));
        let nothing_for_us = "User-agent: *\nDisallow: /\nUser-agent: understudy\nDisallow:\n";
        assert!(may(nothing_for_us, "/x"));
        let in_two = "User-agent: understudy\nDisallow: /a\r\nUser-agent: x\rDisallow: /b\nUser-agent: understudy\nDisallow: /c";
        assert!(!may(in_two, "/a") && may(in_two, "/b") && !may(in_two, "/c"));
        assert!(may("Disallow: /\n", "/x") && may("<html>no: such</html>", "/x") && may("", "/x"));
    }

    #[test]
    fn allowed_uses_the_longest_matching_rule() {
        let file =
            "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c$\nAllow: /same\nDisallow: /same";
        assert!(!may(file, "/a/x") && may(file, "/a/b/x") && !may(file, "/a/b/c") && may(file, "/a/b/cd"));
        assert!(may(file, "/same") && may(file, "/other"));
    }

    #[test]
    fn fits_supports_wildcards_and_end_anchors() {
        for (pattern, path, fitting) in [
            ("/*.php$", "/x/index.php", true),
            ("/*.php$", "/x/index.php?y", false),
            ("/*.php", "/x/index.php?y", true),
            ("/a*b*c", "/a1b2c3", true),
            ("/a*b*c", "/a1c2b3", false),
            ("/a*b$", "/ab", true),
            ("/aba*ba$", "/aba", false),
            ("/***x", "/yx", true),
            ("*", "/", true),
            ("/$", "/", true),
            ("/$", "/x", false),
            ("/?q=*&r", "/?q=1&r=2", true),
        ] {
            let url = Url::parse("https://example.org").unwrap().join(path).unwrap();
            assert_eq!(fits(&plain(pattern.as_bytes()), &target(&url)), fitting, "{pattern} {path}");
        }
    }

    #[test]
    fn plain_normalizes_escapes() {
        let file =
            "User-agent: *\nDisallow: /caf%c3%a9\nDisallow: /%7Eann\nDisallow: /grün\nDisallow: /a%2Fb";
        for path in ["/café", "/caf%C3%A9", "/~ann", "/%7eann", "/gr%C3%BCn", "/a%2fb"] {
            assert!(!may(file, path), "{path}");
        }
        assert!(may(file, "/a/b") && may(file, "/cafe"));
    }

    #[test]
    fn unknown_rules_disallow_everything() {
        let of = |answer| Rules::from_response(answer).map(|rules| rules.allow(b"/x"));
        let error = |kind| Err(WebError::unsent(kind, "no"));
        assert_eq!(of(Ok((404, "User-agent: *\nDisallow: /".into()))), Ok(true));
        assert_eq!(of(Ok((429, "".into()))), Ok(true));
        assert_eq!(of(Ok((503, "".into()))), Ok(false));
        assert_eq!(of(error(WebErrorKind::Timeout)), Ok(false));
        assert_eq!(of(error(WebErrorKind::Redirects)), Ok(true));
        for kind in [WebErrorKind::Refused, WebErrorKind::Connect] {
            assert!(of(error(kind)).is_err());
        }
    }
}
