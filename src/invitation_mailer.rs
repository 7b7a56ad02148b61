//! Letters to people who join: what they say, where their links lead, and how they are sent.

use crate::config::Config;
use crate::http::credentials::PasswordLink;
use domain::credentials::LinkSecret;
use futures::StreamExt;
use futures::stream;
use providers::mail::{Email, MailConfigError, MailError, Mailer};
use std::net::SocketAddr;
use std::sync::Arc;

/// Letters that are on their way at once.
const AT_ONCE: usize = 8;

/// What sends letters, if there is anything that does.
pub struct InvitationMailer {
    mailer: Option<Arc<dyn Mailer>>,
    /// The page that links lead to. What they carry stands behind a `#`, which browsers keep to themselves.
    page: String,
}

impl InvitationMailer {
    /// As the settings say; `addr` is where the server listens.
    pub fn new(config: &Config, addr: SocketAddr) -> Result<Self, MailConfigError> {
        let mailer = config.mail.mailer()?.map(|smtp| Arc::new(smtp) as Arc<dyn Mailer>);
        let ours = || format!("{}/join", config.base(addr));
        let page = config.mail.join_url.clone().unwrap_or_else(ours);
        Ok(Self { mailer, page })
    }

    /// What sends letters, for others who have some to send.
    pub fn mailer(&self) -> Option<Arc<dyn Mailer>> {
        self.mailer.clone()
    }

    /// Whether letters can be sent.
    pub fn is_open(&self) -> bool {
        self.mailer.is_some()
    }

    /// The link that accepts an invitation.
    pub fn invitation_link(&self, secret: &LinkSecret) -> String {
        format!("{}#invitation={}", self.page, secret.reveal())
    }

    /// The link that proves an address.
    pub fn confirmation_link(&self, secret: &LinkSecret) -> String {
        format!("{}#confirm={}", self.page, secret.reveal())
    }

    /// The link that lets somebody choose a new password.
    pub fn password_link(&self, link: &PasswordLink) -> String {
        format!("{}#password={}", self.page, link.reveal())
    }

    /// Sends a letter; without anything that could, it is not sent, and that is all right.
    pub async fn send(&self, letter: Email) -> Result<(), MailError> {
        match &self.mailer {
            Some(mailer) => mailer.send(letter).await,
            None => Ok(()),
        }
    }

    /// Sends several, a few at once; answers in their order.
    pub async fn send_all(&self, letters: Vec<Email>) -> Vec<Result<(), MailError>> {
        stream::iter(letters).map(|letter| self.send(letter)).buffered(AT_ONCE).collect().await
    }

    /// Sends a letter that nobody waits for.
    pub fn send_later(self: &Arc<Self>, letter: Email) {
        let post = self.clone();
        tokio::spawn(async move {
            if let Err(error) = post.send(letter).await {
                tracing::warn!(%error, "a letter was not sent");
            }
        });
    }
}

/// The letter with an invitation.
pub(crate) fn invitation(to: &str, tenant: &str, by: &str, message: Option<&str>, link: &str) -> Email {
    let words = message.map(|message| format!("{by} writes:\n\n{message}\n\n")).unwrap_or_default();
    let text = format!(
        "Hello,\n\n{by} invites you to {tenant}.\n\n{words}To accept, open this link within seven days:\n\n{link}\n\n\
         It works once, and only for {to}. If you do not know what this is about, you need not do anything.\n"
    );
    Email { to: to.to_owned(), subject: format!("Invitation to {tenant}"), text }
}

/// The letter that asks for a proof of an address.
pub(crate) fn confirmation(to: &str, tenant: &str, link: &str) -> Email {
    let text = format!(
        "Hello,\n\nsomebody, probably you, has signed up for {tenant} with this address. To go on, open this link \
         within a day:\n\n{link}\n\nYou will be asked for the password you chose; if you had an account before, for \
         the password of that one. If it was not you, you need not do anything.\n"
    );
    Email { to: to.to_owned(), subject: format!("Your address for {tenant}"), text }
}

/// The letter to somebody who has forgotten their password.
pub(crate) fn password(to: &str, link: &str) -> Email {
    let text = format!(
        "Hello,\n\nsomebody, probably you, has asked for a new password for this address. To choose one, open this \
         link within a day:\n\n{link}\n\nIt works once. If it was not you, you need not do anything: the password \
         stays as it is.\n"
    );
    Email { to: to.to_owned(), subject: "A new password".to_owned(), text }
}

/// The letter to somebody who was let in.
pub(crate) fn approved(to: &str, tenant: &str) -> Email {
    let text = format!("Hello,\n\nyou are now a member of {tenant} and can log in with your password.\n");
    Email { to: to.to_owned(), subject: format!("Welcome to {tenant}"), text }
}

/// The letter to somebody who was turned away.
pub(crate) fn refused(to: &str, tenant: &str) -> Email {
    let text = format!("Hello,\n\nyour wish to join {tenant} was not granted.\n");
    Email { to: to.to_owned(), subject: format!("Your sign-up for {tenant}"), text }
}
