//! Settings of outgoing emails, and of the page that links in emails lead to.

use providers::Secret;
use providers::mail::{MailConfigError, Smtp};
use serde::Deserialize;
use std::time::Duration;

/// Settings of outgoing emails.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailConfig {
    /// The SMTP server, with user name and password. Without it, no emails are sent.
    pub url: Option<Secret>,
    /// The sender of emails.
    pub from: Option<String>,
    /// The time limit for one email, in seconds.
    pub seconds: f64,
    /// The page that links in emails lead to, if it is not the server's own.
    pub join_url: Option<String>,
}

impl MailConfig {
    /// Returns the email client, or `None` if no emails are sent.
    pub fn mailer(&self) -> Result<Option<Smtp>, MailConfigError> {
        let Some(url) = &self.url else { return Ok(None) };
        let url = match url.variable() {
            Some(name) => Secret::from(
                std::env::var(name).map_err(|_| MailConfigError(format!("mail.url: {name} is not set")))?,
            ),
            None => url.clone(),
        };
        let from = self.from.as_deref().unwrap_or_default();
        Smtp::new(&url, from, Duration::from_secs_f64(self.seconds)).map(Some)
    }

    pub(super) fn check(&self, public_url: Option<&str>) -> Result<(), String> {
        if !(self.seconds > 0.0 && self.seconds <= 300.0) {
            return Err("mail.seconds must be above 0 and at most 300".to_owned());
        }
        let web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        if self.join_url.as_deref().is_some_and(|url| !web(url) || url.contains('#')) {
            return Err("mail.join_url must begin with http:// or https:// and have no `#`".to_owned());
        }
        if self.url.is_none() {
            return Ok(());
        }
        if self.from.is_none() {
            return Err("mail.from is required when mail.url is set".to_owned());
        }
        // Readers of an email are not on this machine, so links need a public address.
        match public_url.or(self.join_url.as_deref()) {
            Some(_) => Ok(()),
            None => {
                Err("server.public_url is required when mail.url is set, for the links in emails".to_owned())
            }
        }
    }
}
