//! Parses the `WWW-Authenticate` header of a 401 or 403 response (RFC 9110, 6750, 9728).

/// The `Bearer` challenge of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The URL of the resource metadata, which names the authorization servers.
    pub resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub scopes: Vec<String>,
    /// The reason for the refusal, such as `invalid_token` or `insufficient_scope`.
    pub error: Option<String>,
}

impl Challenge {
    /// Returns the first `Bearer` challenge of a header, which may contain several challenges.
    pub fn read(header: &str) -> Option<Self> {
        let mut rest = HeaderScanner(header);
        let mut found = None::<Self>;
        loop {
            rest.skip_gaps();
            let word = rest.token();
            if word.is_empty() {
                return found;
            }
            if rest.0.starts_with('=') {
                // A parameter of the preceding challenge.
                rest.0 = &rest.0[1..];
                let value = rest.value();
                if let Some(challenge) = &mut found {
                    challenge.take(word, value);
                }
                continue;
            }
            if found.is_some() {
                return found;
            }
            if word.eq_ignore_ascii_case("bearer") {
                found = Some(Self::default());
            }
        }
    }

    fn take(&mut self, name: &str, value: String) {
        match name.to_ascii_lowercase().as_str() {
            "resource_metadata" if self.resource_metadata.is_none() && value.len() <= MAX_ADDRESS_LENGTH => {
                self.resource_metadata = Some(value);
            }
            "scope" if self.scopes.is_empty() => self.scopes = scopes(&value),
            "error" if self.error.is_none() => self.error = Some(value),
            _ => {}
        }
    }
}

/// Limits of a list of scopes: number of scopes, length of one scope, and total length, both in bytes.
const MAX_SCOPES: usize = 100;
const MAX_SCOPE_BYTES: usize = 200;
const MAX_LIST_BYTES: usize = 4_000;
/// Maximum length of a URL that a server may name.
pub(super) const MAX_ADDRESS_LENGTH: usize = 2_000;

/// Splits a list of scopes and removes duplicates; entries beyond the limits are dropped.
pub fn scopes(text: &str) -> Vec<String> {
    let good = |scope: &&str| {
        scope.len() <= MAX_SCOPE_BYTES
            && scope.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
    };
    let (mut all, mut room) = (Vec::<String>::new(), MAX_LIST_BYTES);
    for scope in text.split_ascii_whitespace().filter(good) {
        if all.len() >= MAX_SCOPES || scope.len() > room {
            break;
        }
        if !all.iter().any(|it| it == scope) {
            room -= scope.len();
            all.push(scope.to_owned());
        }
    }
    all
}

/// The unparsed rest of a header.
struct HeaderScanner<'h>(&'h str);

impl<'h> HeaderScanner<'h> {
    fn skip_gaps(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t', ',']);
    }

    /// Reads a token. Also reads the base64 of other schemes, whose trailing `=` parses as an empty parameter.
    fn token(&mut self) -> &'h str {
        let end = self.0.find([' ', '\t', ',', '=', '"']).unwrap_or(self.0.len());
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        if token.is_empty() && !rest.is_empty() {
            // A misplaced quote: parsing stops here.
            self.0 = "";
        }
        token
    }

    /// Reads a token or a quoted string.
    fn value(&mut self) -> String {
        let Some(quoted) = self.0.strip_prefix('"') else { return self.token().to_owned() };
        let (mut value, mut escaped) = (String::new(), false);
        for (at, c) in quoted.char_indices() {
            match c {
                _ if escaped => {
                    value.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' => {
                    self.0 = &quoted[at + 1..];
                    return value;
                }
                c => value.push(c),
            }
        }
        self.0 = "";
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_read_parses_a_header_with_several_schemes() {
        let read = Challenge::read(
            r#"Basic realm="a, Bearer b", Bearer error="invalid_token", scope="files:read  files:write", resource_metadata="https://x.example/.well-known/oauth-protected-resource/mcp""#,
        );
        let read = read.unwrap();
        assert_eq!(read.error.as_deref(), Some("invalid_token"));
        assert_eq!(read.scopes, ["files:read", "files:write"]);
        let at = "https://x.example/.well-known/oauth-protected-resource/mcp";
        assert_eq!(read.resource_metadata.as_deref(), Some(at));
    }

    #[test]
    fn scopes_and_challenges_are_limited_in_length() {
        let long = "x".repeat(MAX_SCOPE_BYTES + 1);
        assert_eq!(scopes(&format!("a {long} b a")), ["a", "b"]);
        let many: Vec<_> = (0..100).map(|n| format!("{n:0>150}")).collect();
        assert_eq!(scopes(&many.join(" ")).len(), MAX_LIST_BYTES / 150);
        let challenge = format!("Bearer resource_metadata=\"https://x.example/{}\"", "y".repeat(3_000));
        assert_eq!(Challenge::read(&challenge), Some(Challenge::default()));
    }

    #[test]
    fn challenge_read_accepts_malformed_headers() {
        assert_eq!(Challenge::read("Bearer"), Some(Challenge::default()));
        assert_eq!(Challenge::read("bearer realm=x, Basic realm=\"y\", scope=z").unwrap().scopes, [""; 0]);
        assert_eq!(Challenge::read("Negotiate abc=="), None);
        assert_eq!(Challenge::read(""), None);
        for odd in [
            "\"",
            "Bearer \"",
            "Bearer scope=\"a",
            "Bearer scope=\"a\\",
            "Bearer =",
            ",,,",
            "Bearer a=,b=\"\"",
        ] {
            let _ = Challenge::read(odd);
        }
        assert_eq!(Challenge::read("Bearer scope=\"a\\\"b c").unwrap().scopes, ["c"]);
    }
}
