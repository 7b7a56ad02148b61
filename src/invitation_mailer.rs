//! Emails to users who join: their texts and links, and sending them.

use crate::config::Config;
use crate::http::credentials::PasswordLink;
use domain::credentials::LinkSecret;
use futures::StreamExt;
use futures::stream;
use providers::mail::{Email, MailConfigError, MailError, Mailer};
use std::net::SocketAddr;
use std::sync::Arc;

/// Emails sent concurrently.
const MAX_CONCURRENT: usize = 8;

/// Sends these emails if a mail server is configured.
pub struct InvitationMailer {
    mailer: Option<Arc<dyn Mailer>>,
    /// The page that links lead to. Secrets are in the fragment (`#`), which browsers do not send to servers.
    page: String,
}

impl InvitationMailer {
    /// From the configuration; `addr` is the address that the server listens on.
    pub fn new(config: &Config, addr: SocketAddr) -> Result<Self, MailConfigError> {
        let mailer = config.mail.mailer()?.map(|smtp| Arc::new(smtp) as Arc<dyn Mailer>);
        let ours = || format!("{}/join", config.base(addr));
        let page = config.mail.join_url.clone().unwrap_or_else(ours);
        Ok(Self { mailer, page })
    }

    /// The underlying mailer, for other emails.
    pub fn mailer(&self) -> Option<Arc<dyn Mailer>> {
        self.mailer.clone()
    }

    /// Whether a mail server is configured.
    pub fn is_open(&self) -> bool {
        self.mailer.is_some()
    }

    /// The link that accepts an invitation.
    pub fn invitation_link(&self, secret: &LinkSecret) -> String {
        format!("{}#invitation={}", self.page, secret.reveal())
    }

    /// The link that confirms an email address.
    pub fn confirmation_link(&self, secret: &LinkSecret) -> String {
        format!("{}#confirm={}", self.page, secret.reveal())
    }

    /// The link on which a user chooses a new password.
    pub fn password_link(&self, link: &PasswordLink) -> String {
        format!("{}#password={}", self.page, link.reveal())
    }

    /// Sends an email; does nothing if no mail server is configured.
    pub async fn send(&self, email: Email) -> Result<(), MailError> {
        match &self.mailer {
            Some(mailer) => mailer.send(email).await,
            None => Ok(()),
        }
    }

    /// Sends several emails with limited concurrency; the results are in the same order.
    pub async fn send_all(&self, emails: Vec<Email>) -> Vec<Result<(), MailError>> {
        stream::iter(emails).map(|email| self.send(email)).buffered(MAX_CONCURRENT).collect().await
    }

    /// Sends an email in the background.
    pub fn send_later(self: &Arc<Self>, email: Email) {
        let mailer = self.clone();
        tasks::spawn(async move {
            if let Err(error) = mailer.send(email).await {
                tracing::warn!(%error, "an email could not be sent");
            }
        });
    }
}

/// The email with an invitation.
pub(crate) fn invitation(to: &str, tenant: &str, by: &str, message: Option<&str>, link: &str) -> Email {
    let words = message.map(|message| format!("{by} writes:\n\n{message}\n\n")).unwrap_or_default();
    let text = format!(
        "Hello,\n\n{by} invites you to {tenant}.\n\n{words}To accept, open this link within seven days:\n\n{link}\n\n\
         It works once, and only for {to}. If you did not expect this invitation, you can ignore this email.\n"
    );
    Email { to: to.to_owned(), subject: format!("Invitation to {tenant}"), text }
}

/// The email that asks to confirm an address.
pub(crate) fn confirmation(to: &str, tenant: &str, link: &str) -> Email {
    let text = format!(
        "Hello,\n\nsomeone, probably you, signed up for {tenant} with this address. To continue, open this link within \
         a day:\n\n{link}\n\nYou will be asked for the password that you chose, or for that of your existing account. \
         If it was not you, you can ignore this email.\n"
    );
    Email { to: to.to_owned(), subject: format!("Your address for {tenant}"), text }
}

/// The email to a user who forgot their password.
pub(crate) fn password(to: &str, link: &str) -> Email {
    let text = format!(
        "Hello,\n\nsomeone, probably you, requested a new password for this address. To choose one, open this link \
         within a day:\n\n{link}\n\nIt works once. If it was not you, you can ignore this email: your password does \
         not change.\n"
    );
    Email { to: to.to_owned(), subject: "A new password".to_owned(), text }
}

/// The email to a user whose access request was approved.
pub(crate) fn approved(to: &str, tenant: &str) -> Email {
    let text = format!("Hello,\n\nyou are now a member of {tenant} and can log in with your password.\n");
    Email { to: to.to_owned(), subject: format!("Welcome to {tenant}"), text }
}

/// The email to a user whose access request was refused.
pub(crate) fn refused(to: &str, tenant: &str) -> Email {
    let text = format!("Hello,\n\nyour request to join {tenant} was not approved.\n");
    Email { to: to.to_owned(), subject: format!("Your sign-up for {tenant}"), text }
}
