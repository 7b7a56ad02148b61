//! To people, by mail.

use providers::mail::{Email, MailErrorKind, Mailer};
use storage::records::Delivery;

use super::sent::Sent;

/// Sends a notice to an address.
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
        "{}\n\n{link}-- \nYou asked for letters about what you are told of, and this is of the type {kind}. Which types \
         come by mail is yours to choose in the preferences of your notifications.\n",
        notice.body
    );
    Email { to: to.to_owned(), subject: notice.title.clone(), text }
}

/// An absolute link; none where the address of the user interface is not configured.
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
    fn links_lead_to_the_interface_or_elsewhere() {
        let base = Some("https://a.example/");
        assert_eq!(absolute("/automations/1", base).as_deref(), Some("https://a.example/automations/1"));
        assert_eq!(absolute("https://b.example/x", base).as_deref(), Some("https://b.example/x"));
        assert_eq!(absolute("/automations/1", None), None);
    }
}
