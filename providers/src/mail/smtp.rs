//! Sends emails over SMTP. Each email uses its own connection: emails are few, and an idle connection that broke
//! cannot lose one.

use std::time::Duration;

use async_trait::async_trait;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, SinglePart};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{self, AsyncSmtpTransportBuilder};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use reqwest::Url;
use uuid::Uuid;

use super::{Email, MailConfigError, MailError, MailErrorKind, Mailer};
use crate::config::Secret;
use crate::upstream::redact::Redactor;

/// The default ports for STARTTLS and for TLS from the first byte.
const SUBMISSION: u16 = 587;
const SUBMISSIONS: u16 = 465;

const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// A client of an SMTP server.
pub struct Smtp {
    from: Mailbox,
    transport: AsyncSmtpTransport<Tokio1Executor>,
    /// Timeout for a whole email, including connecting.
    patience: Duration,
    redactor: Redactor,
}

impl Smtp {
    /// Creates a client for a URL such as `smtps://name:password@mail.example.org`. With `smtp://`, the connection is
    /// upgraded with STARTTLS, and `?tls=none` disables TLS. `from` is an address, with or without a name. `patience`
    /// is the timeout for one email.
    ///
    /// # Errors
    /// Returns an error that describes the invalid setting, without the password.
    pub fn new(url: &Secret, from: &str, patience: Duration) -> Result<Self, MailConfigError> {
        let from = from.parse::<Mailbox>();
        let from = from.map_err(|_| MailConfigError("mail.from is not an e-mail address".to_owned()))?;
        let server =
            SmtpUrl::parse(url.expose()).map_err(|why| MailConfigError(format!("mail.url {why}")))?;
        let redactor = Redactor::new(server.credentials.iter().map(|(_, password)| password.clone()));
        let builder = server.builder().map_err(|error| {
            MailConfigError(format!("mail.url: TLS cannot be set up: {}", redactor.clean(&chain(&error))))
        })?;
        // Commands have a timeout too, so that the side that opened a connection closes it. Servers check the name in
        // EHLO; the sender's domain is the only one that is certain to be ours.
        let domain = ClientId::Domain(from.email.domain().to_owned());
        let transport = builder.timeout(Some(patience)).hello_name(domain).build();
        Ok(Self { from, transport, patience, redactor })
    }

    fn compose(&self, letter: Email) -> Result<Message, MailError> {
        let malformed = |message: String| MailError { kind: MailErrorKind::Malformed, message };
        let address = letter.to.parse::<Address>();
        let address = address.map_err(|_| malformed("no e-mail can be sent to this address".to_owned()))?;
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, address))
            .subject(in_one_line(&letter.subject))
            .message_id(Some(format!("<{}@{}>", Uuid::new_v4(), self.from.email.domain())))
            // RFC 3834: prevents automatic replies such as vacation messages.
            .raw_header(HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned()))
            .singlepart(SinglePart::plain(letter.text));
        message.map_err(|error| malformed(format!("the e-mail cannot be composed: {error}")))
    }

    fn explain(&self, error: &smtp::Error) -> MailError {
        let status = error.status().map(|code| u16::from(code).to_string());
        let kind = match status.as_deref() {
            Some("530" | "534" | "535" | "538") => MailErrorKind::Auth,
            _ if error.is_permanent() => MailErrorKind::Refused,
            _ if error.is_transient() => MailErrorKind::Later,
            _ if error.is_timeout() => MailErrorKind::Timeout,
            _ => MailErrorKind::Unreachable,
        };
        let words = self.redactor.clean(&chain(error));
        let message = match kind {
            MailErrorKind::Timeout => "the mail server did not answer in time".to_owned(),
            MailErrorKind::Unreachable => format!("the mail server cannot be reached: {words}"),
            MailErrorKind::Auth => format!("the mail server refused the login: {words}"),
            _ => format!("the mail server refused the e-mail: {words}"),
        };
        MailError { kind, message }
    }
}

#[async_trait]
impl Mailer for Smtp {
    async fn send(&self, letter: Email) -> Result<(), MailError> {
        let message = self.compose(letter)?;
        let transport = self.transport.clone();
        // Runs on a separate thread: the library parses a multi-line reply from its beginning again for each line, so
        // a long reply can block a thread for seconds without reaching a point at which a timeout could end it.
        let sent = tasks::blocking(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok::<_, std::io::Error>(runtime.block_on(transport.send(message)))
        });
        let failed = |kind, message: String| Err(MailError { kind, message });
        match tokio::time::timeout(self.patience, sent).await {
            Ok(Ok(Ok(sent))) => sent.map(drop).map_err(|error| self.explain(&error)),
            Ok(Ok(Err(error))) => {
                failed(MailErrorKind::Later, format!("the e-mail could not be sent: {error}"))
            }
            Ok(Err(_)) => failed(
                MailErrorKind::Unreachable,
                "the mail server sent something that breaks its protocol".to_owned(),
            ),
            Err(_) => failed(MailErrorKind::Timeout, "the mail server did not answer in time".to_owned()),
        }
    }
}

/// The encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    FromTheStart,
    StartTls,
    None,
}

/// The settings in the URL of a mail server.
#[derive(Debug, PartialEq, Eq)]
struct SmtpUrl {
    host: String,
    port: u16,
    protection: Protection,
    credentials: Option<(String, String)>,
}

impl SmtpUrl {
    fn parse(url: &str) -> Result<Self, &'static str> {
        let url = Url::parse(url).map_err(|_| "is not an address like smtps://name:password@host:port")?;
        let mut tls = None;
        for (name, value) in url.query_pairs() {
            match &*name {
                "tls" => tls = Some(value.into_owned()),
                _ => return Err("has a parameter other than `tls`"),
            }
        }
        let protection = match (url.scheme(), tls.as_deref()) {
            ("smtps", None) => Protection::FromTheStart,
            ("smtp", None) => Protection::StartTls,
            ("smtp", Some("none")) => Protection::None,
            ("smtp" | "smtps", Some(_)) => return Err("allows only `tls=none`, and only as smtp://"),
            _ => return Err("must begin with smtp:// or smtps://"),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
        let usual = if protection == Protection::FromTheStart { SUBMISSIONS } else { SUBMISSION };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (name, Some(password)) if !name.is_empty() => Some((decoded(name)?, decoded(password)?)),
            _ => return Err("needs a name and a password, or neither"),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port: url.port().unwrap_or(usual), protection, credentials })
    }

    fn builder(&self) -> Result<AsyncSmtpTransportBuilder, smtp::Error> {
        // The process may have already installed a crypto provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = match self.protection {
            Protection::FromTheStart => Tls::Wrapper(TlsParameters::new(self.host.clone())?),
            Protection::StartTls => Tls::Required(TlsParameters::new(self.host.clone())?),
            Protection::None => Tls::None,
        };
        let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(self.host.as_str());
        let builder = builder.port(self.port).tls(tls);
        Ok(match &self.credentials {
            Some((name, password)) => builder
                .credentials(Credentials::new(name.clone(), password.clone()))
                .authentication(vec![Mechanism::Plain, Mechanism::Login]),
            None => builder,
        })
    }
}

/// Decodes percent escapes.
fn decoded(text: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        let (byte, read) = escaped.map_or((*first, 1), |byte| (byte, 3));
        bytes.push(byte);
        rest = &rest[read..];
    }
    String::from_utf8(bytes).map_err(|_| "has an escape that is not text")
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Joins a text to a single line, as headers require.
fn in_one_line(text: &str) -> String {
    text.split(|c: char| c.is_control()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the message of an error and its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !words.contains(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = inner.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smtp(url: &str, from: &str) -> Result<Smtp, String> {
        Smtp::new(&Secret::from(url), from, Duration::from_secs(1)).map_err(|error| error.to_string())
    }

    #[test]
    fn smtp_url_determines_the_encryption() {
        let server = |url: &str| SmtpUrl::parse(url).map(|server| (server.protection, server.port));
        assert_eq!(server("smtps://mail.example.org"), Ok((Protection::FromTheStart, 465)));
        assert_eq!(server("smtp://mail.example.org"), Ok((Protection::StartTls, 587)));
        assert_eq!(server("smtp://mail.example.org:25?tls=none"), Ok((Protection::None, 25)));
        for wrong in [
            "mail.example.org",
            "http://a",
            "smtp://",
            "smtp://a?tls=maybe",
            "smtps://a?tls=none",
            "smtp://a?pool=1",
            "smtp://name@a",
            "smtp://:word@a",
        ] {
            assert!(SmtpUrl::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn smtp_url_decodes_credentials() {
        let server = SmtpUrl::parse("smtps://ada%40example.org:p%3Ass%20w%C3%B6rd@[::1]:99").unwrap();
        assert_eq!(server.credentials, Some(("ada@example.org".into(), "p:ss wörd".into())));
        assert_eq!((server.host.as_str(), server.port), ("::1", 99));
    }

    #[tokio::test]
    async fn smtp_new_reports_faults_without_the_password() {
        let wrong = smtp("ftp://ada:hunter22@mail.example.org", "a@b.org").err().unwrap();
        assert!(wrong.contains("mail.url") && !wrong.contains("hunter22"), "{wrong}");
        assert!(smtp("smtps://a.org", "no-address").err().unwrap().contains("mail.from"));
    }

    #[tokio::test]
    async fn compose_does_not_allow_headers_in_the_subject() {
        let smtp = smtp("smtp://127.0.0.1:1?tls=none", "Understudy <a@b.org>").unwrap();
        let letter = |to: &str| Email {
            to: to.to_owned(),
            subject: "Hello\r\nBcc: eve@example.org\r\n\r\nü".to_owned(),
            text: "Line\r\n.\r\nline".to_owned(),
        };
        let text = String::from_utf8(smtp.compose(letter("ada@example.org")).unwrap().formatted()).unwrap();
        assert!(!text.contains("\r\nBcc:"), "{text}");
        assert!(
            text.contains("From: Understudy <a@b.org>") || text.contains("From: \"Understudy\" <a@b.org>"),
            "{text}"
        );
        assert!(text.contains("\r\nMessage-ID: <") && text.contains("@b.org>\r\n"), "{text}");
        assert!(text.contains("\r\nAuto-Submitted: auto-generated\r\n"), "{text}");
        for wrong in ["no-address", "a@b\r\nBcc: eve@example.org", "a@b> <c@d"] {
            assert_eq!(smtp.compose(letter(wrong)).unwrap_err().kind, MailErrorKind::Malformed, "{wrong}");
        }
    }
}
