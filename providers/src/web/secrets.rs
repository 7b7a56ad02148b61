//! Secret values that requests refer to by name.

use std::collections::BTreeMap;

use memchr::memmem;
use reqwest::Url;
use reqwest::header::HeaderValue;
use uuid::Uuid;

use super::config::WebSecret;
use super::error::{WebError, WebErrorKind};
use super::request::WebAnswer;
use crate::config::ConfigError;

/// The text that replaces a secret.
const REMOVED: &str = "[secret]";
/// Minimum length at which a word of a secret is treated as a credential by itself.
const MIN_LENGTH: usize = 8;

/// The configured secrets.
pub(super) struct Secrets(BTreeMap<String, SecretEntry>);

struct SecretEntry {
    value: String,
    origins: Vec<Url>,
    /// The tenants that may use it; `None` for all.
    tenants: Option<Vec<Uuid>>,
}

impl Secrets {
    pub(super) fn read(config: &BTreeMap<String, WebSecret>) -> Result<Self, ConfigError> {
        let read =
            |(name, secret): (&String, &WebSecret)| Ok((name.clone(), SecretEntry::read(name, secret)?));
        config.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the value of a secret if the tenant may use it and it may be sent to the URL.
    pub(super) fn value(&self, name: &str, tenant: Option<Uuid>, url: &Url) -> Result<&str, WebError> {
        let error = |message: String| Err(WebError::unsent(WebErrorKind::Secret, message));
        let may = |entry: &&SecretEntry| match &entry.tenants {
            None => true,
            Some(tenants) => tenant.is_some_and(|tenant| tenants.contains(&tenant)),
        };
        // A secret of another tenant is reported as unknown.
        let Some(entry) = self.0.get(name).filter(may) else {
            return error(format!("there is no secret {name:?} for this tenant"));
        };
        if entry.origins.iter().any(|origin| origin.origin() == url.origin()) {
            return Ok(&entry.value);
        }
        error(format!("the secret {name:?} may not be sent to {}", url.origin().ascii_serialization()))
    }
}

impl SecretEntry {
    fn read(name: &str, secret: &WebSecret) -> Result<Self, ConfigError> {
        let wrong = |what: String| ConfigError(format!("workflows.secrets.{name}: {what}"));
        if let Some(variable) = secret.value.variable() {
            return Err(wrong(format!("the variable {variable} is not set")));
        }
        let value = secret.value.expose().trim().to_owned();
        if value.is_empty() || HeaderValue::try_from(&value).is_err() {
            return Err(wrong("the value is not valid in a header".into()));
        }
        let origin = |host: &String| {
            let text = if host.contains("://") { host.clone() } else { format!("https://{host}") };
            let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let bare = url.filter(|url| url.path() == "/" && url.query().is_none() && url.host().is_some());
            bare.ok_or_else(|| wrong(format!("`{host}` is not a valid host")))
        };
        let origins = secret.hosts.iter().map(origin).collect::<Result<Vec<_>, _>>()?;
        let id = |text: &String| {
            Uuid::try_parse(text).map_err(|_| wrong(format!("`{text}` is neither a tenant's id nor `*`")))
        };
        let all = secret.tenants.iter().any(|tenant| tenant == "*");
        let tenants = if all { None } else { Some(secret.tenants.iter().map(id).collect::<Result<_, _>>()?) };
        Ok(Self { value, origins, tenants })
    }
}

/// The secrets of one request, which must not appear in its response.
#[derive(Default)]
pub(super) struct Hidden(Vec<String>);

impl Hidden {
    /// Returns a header value that is marked as sensitive, and remembers the secret.
    pub(super) fn hide(&mut self, secret: &str) -> Result<HeaderValue, WebError> {
        self.0.push(secret.to_owned());
        // The server may echo `Bearer abc` as `abc`.
        self.0.extend(secret.split_whitespace().filter(|word| word.len() >= MIN_LENGTH).map(str::to_owned));
        self.0.sort_by_key(|part| std::cmp::Reverse(part.len()));
        let mut value = HeaderValue::try_from(secret)
            .map_err(|_| WebError::unsent(WebErrorKind::Secret, "the secret is not valid in a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    pub(super) fn in_error(&self, mut error: WebError) -> WebError {
        for secret in &self.0 {
            error.message = error.message.replace(secret.as_str(), REMOVED);
        }
        error
    }

    /// Removes secrets from a response: servers that echo the request would disclose them to the reader.
    pub(super) fn in_answer(&self, mut answer: WebAnswer) -> WebAnswer {
        for secret in &self.0 {
            if let Some(clean) = without(&answer.body, secret) {
                answer.body = clean.into();
            }
            for value in answer.headers.values_mut() {
                if let Some(clean) = without(value.as_bytes(), secret) {
                    *value = HeaderValue::try_from(clean).unwrap_or(HeaderValue::from_static(REMOVED));
                }
            }
            answer.final_url = answer.final_url.replace(secret.as_str(), REMOVED);
        }
        answer
    }
}

/// Replaces each occurrence of a secret; `None` if there is none.
fn without(bytes: &[u8], secret: &str) -> Option<Vec<u8>> {
    let mut found = memmem::find_iter(bytes, secret.as_bytes()).peekable();
    found.peek()?;
    let (mut clean, mut from) = (Vec::with_capacity(bytes.len()), 0);
    for at in found {
        clean.extend_from_slice(&bytes[from..at]);
        clean.extend_from_slice(REMOVED.as_bytes());
        from = at + secret.len();
    }
    clean.extend_from_slice(&bytes[from..]);
    Some(clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    fn secrets(hosts: &[&str], tenants: &[&str]) -> Result<Secrets, ConfigError> {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let secret =
            WebSecret { value: Secret::from("Bearer abcdefgh12"), hosts: own(hosts), tenants: own(tenants) };
        Secrets::read(&BTreeMap::from([("acme".to_owned(), secret)]))
    }

    #[test]
    fn value_checks_tenant_and_server() {
        let (ours, theirs) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let secrets = secrets(&["api.example.org", "http://10.0.0.5:8080"], &[&ours.to_string()]).unwrap();
        let value = |tenant, url: &str| secrets.value("acme", tenant, &Url::parse(url).unwrap()).is_ok();
        assert!(
            value(Some(ours), "https://api.example.org/x?y") && value(Some(ours), "http://10.0.0.5:8080/")
        );
        assert!(!value(Some(theirs), "https://api.example.org/") && !value(None, "https://api.example.org/"));
        for url in [
            "http://api.example.org/",
            "https://api.example.org:444/",
            "https://api.example.org.evil.example/",
            "https://evil.example/api.example.org",
            "https://api.example.org@evil.example/",
            "http://10.0.0.5/",
        ] {
            assert!(!value(Some(ours), url), "{url}");
        }
        let unknown = secrets.value("other", Some(ours), &Url::parse("https://api.example.org").unwrap());
        assert_eq!(unknown.unwrap_err().kind, WebErrorKind::Secret);
    }

    #[test]
    fn read_reports_invalid_secrets() {
        for (hosts, tenants, part) in
            [(&["a/b"][..], &["*"][..], "a/b"), (&["a"], &["me"], "`me`"), (&["ftp://a"], &["*"], "ftp://a")]
        {
            let error = secrets(hosts, tenants).err().unwrap().to_string();
            assert!(error.contains(part) && error.contains("workflows.secrets.acme"), "{error}");
        }
    }

    #[test]
    fn in_answer_removes_secrets() {
        let mut hidden = Hidden::default();
        assert!(hidden.hide("Bearer abcdefgh12").unwrap().is_sensitive());
        let answer = WebAnswer {
            status: 200,
            headers: [("echo".parse().unwrap(), "Bearer abcdefgh12".parse().unwrap())].into_iter().collect(),
            body: "x abcdefgh12 y Bearer abcdefgh12".into(),
            final_url: String::new(),
        };
        let answer = hidden.in_answer(answer);
        assert_eq!(answer.body, "x [secret] y [secret]");
        assert_eq!(answer.headers["echo"], "[secret]");
    }
}
