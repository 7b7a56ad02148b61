//! Delivery to people by email.

use providers::mail::{Email, MailErrorKind, Mailer};
use storage::records::Delivery;

use super::sent::Sent;

/// Sends a notice to an email address.
pub(super) async fn send(mailer: &dyn Mailer, to: &str, base: Option<&str>, delivery: &Delivery) -> Sent {
    match mailer.send(letter(to, base, delivery)).await {
        Ok(()) => Sent::Taken,
        Err(why) if matches!(why.kind, MailErrorKind::Malformed | MailErrorKind::Refused) => {
            Sent::Hopeless(why.message)
        }
        Err(why) => Sent::Failed { error: why.message, wait: None },
    }
}

fn letter(to: &str, base: Option<&str>, delivery: &Delivery) -> Email {
    let notice = &delivery.notice;
    let link = notice.link.as_deref().and_then(|link| absolute(link, base));
    let link = link.map(|link| format!("{link}\n\n")).unwrap_or_default();
    let kind = &notice.kind;
    let text = format!(
        "{}\n\n{link}-- \nYou receive this email because you enabled email notifications of the type {kind}. You can change \
         this in your notification preferences.\n",
        notice.body
    );
    Email { to: to.to_owned(), subject: notice.title.clone(), text }
}

/// Returns an absolute link, or `None` if the base URL of the user interface is not configured.
fn absolute(link: &str, base: Option<&str>) -> Option<String> {
    match link.starts_with('/') {
        true => base.map(|base| format!("{}{link}", base.trim_end_matches('/'))),
        false => Some(link.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::absolute;

    #[test]
    fn absolute_resolves_paths_against_the_interface() {
        let base = Some("https://a.example/");
        assert_eq!(absolute("/automations/1", base).as_deref(), Some("https://a.example/automations/1"));
        assert_eq!(absolute("https://b.example/x", base).as_deref(), Some("https://b.example/x"));
        assert_eq!(absolute("/automations/1", None), None);
    }
}
