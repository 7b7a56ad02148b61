//! What servers ask of programs that fetch pages: `robots.txt`, as RFC 9309 has it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memmem;
use parking_lot::Mutex;
use reqwest::Url;
use tokio::sync::OnceCell;

use super::error::{WebError, WebErrorKind};

/// The name that servers know us by, in lower case.
const AGENT: &str = "understudy";
/// How long what a server said holds.
const LIFE: Duration = Duration::from_secs(60 * 60);
/// How long it holds that a server could not say anything.
const SHORT_LIFE: Duration = Duration::from_secs(60);
/// The number of servers whose rules are cached.
const SERVERS: usize = 1_000;
/// The largest file that is read; RFC 9309 asks for 500 KiB at least.
pub(super) const MAX_BYTES: u64 = 1 << 20;
/// How long the file may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What the servers that were asked lately said.
#[derive(Default)]
pub(super) struct Robots(Mutex<HashMap<String, Arc<ServerRules>>>);

/// What one server said, once it did.
struct ServerRules {
    fetched_at: Instant,
    rules: OnceCell<Rules>,
}

impl Robots {
    /// Refuses an address that its server asks us not to fetch. `ask` fetches the `robots.txt` at
    /// an address: its status and bytes. Of many who want to know at once, one asks.
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

    /// What a server said, or a place for it.
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

/// What a server asks for.
enum Rules {
    /// It could not say, for this reason, and nothing may be fetched from it.
    Unknown(String),
    /// These rules; none allow all.
    Known(Vec<Rule>),
}

/// One rule: what paths look like, and whether they may be fetched.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    pattern: Vec<u8>,
    allow: bool,
}

impl Rules {
    /// What the answer to the question says. An address that may not be reached at all is an error
    /// of its own.
    fn from_response(answer: Result<(u16, bytes::Bytes), WebError>) -> Result<Self, WebError> {
        use WebErrorKind as Kind;
        match answer {
            Ok((200..=299, bytes)) => Ok(Self::Known(read(&bytes))),
            Ok((500.., _)) => Ok(Self::Unknown("its server failed".to_owned())),
            // There is no such file, or none for us: the server asks for nothing.
            Ok(_) => Ok(Self::Known(Vec::new())),
            Err(why) => match why.kind {
                Kind::Redirects => Ok(Self::Known(Vec::new())),
                Kind::Timeout | Kind::Protocol | Kind::TooLarge => Ok(Self::Unknown(why.message)),
                // Who cannot be reached has no rules, and no pages either.
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

/// The rules for us: of the groups that name us, else of those for everyone.
fn read(bytes: &[u8]) -> Vec<Rule> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut ours, mut everyones, mut named) = (Vec::new(), Vec::new(), false);
    // Whom the group at hand is for, and whether its list of names has ended.
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
                // A rule without a path is none.
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

/// The longest rule that fits decides; of two of the same length, the one that allows.
fn allowed(rules: &[Rule], target: &[u8]) -> bool {
    let fitting = rules.iter().filter(|rule| fits(&rule.pattern, target));
    let decides = fitting.max_by_key(|rule| (rule.pattern.len(), rule.allow));
    target == b"/robots.txt" || decides.is_none_or(|rule| rule.allow)
}

/// Whether a path is one of those that a pattern means: `*` is anything, a `$` at the end the end.
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

/// The path and query of an address.
fn target(url: &Url) -> Vec<u8> {
    let text = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    plain(text.as_bytes())
}

/// A path as paths are compared: escaped where it has to be, and nowhere else.
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
    fn the_group_that_names_us_counts_more_than_the_one_for_everyone() {
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
    fn the_longest_rule_decides() {
        let file =
            "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c$\nAllow: /same\nDisallow: /same";
        assert!(!may(file, "/a/x") && may(file, "/a/b/x") && !may(file, "/a/b/c") && may(file, "/a/b/cd"));
        assert!(may(file, "/same") && may(file, "/other"));
    }

    #[test]
    fn stars_and_dollars_mean_what_they_mean() {
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
    fn escapes_do_not_hide_anything() {
        let file =
            "User-agent: *\nDisallow: /caf%c3%a9\nDisallow: /%7Eann\nDisallow: /grün\nDisallow: /a%2Fb";
        for path in ["/café", "/caf%C3%A9", "/~ann", "/%7eann", "/gr%C3%BCn", "/a%2fb"] {
            assert!(!may(file, path), "{path}");
        }
        assert!(may(file, "/a/b") && may(file, "/cafe"));
    }

    #[test]
    fn who_cannot_say_is_left_alone() {
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
