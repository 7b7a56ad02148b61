//! Users and their email addresses.

use serde_json::json;
use storage::records::{MembershipOrigin, PasswordHash, Role, Tenant, User, UserKind};
use storage::{Row, TenantId, Tx, new_id};
use uuid::Uuid;

use super::members::{self, Admission};
use crate::audit::{Actor, audit};
use crate::{Code, Faults, Refusal, Result, is_unseen};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A user to create.
#[derive(Clone, Debug)]
pub struct NewUser {
    pub email: String,
    pub display_name: String,
    pub kind: UserKind,
    pub platform_admin: bool,
    pub tenant: Uuid,
    pub role: Role,
    /// The password hash; service accounts have none.
    pub phc: Option<String>,
}

impl NewUser {
    /// Creates the user and their membership on behalf of an actor who vouches for the email address.
    ///
    /// # Errors
    /// `name_taken` if the address already has an account.
    pub fn insert(self, tx: &mut Tx, actor: Actor) -> Result<Row<User>> {
        let admission = Admission { role: self.role, origin: MembershipOrigin::Added, email_verified: true };
        self.insert_admitted(tx, Some(actor), admission)
    }

    /// Creates the user and a membership with this admission. Without an actor, the user signed up.
    ///
    /// # Errors
    /// `name_taken` if the address already has an account.
    pub fn insert_admitted(
        self,
        tx: &mut Tx,
        actor: Option<Actor>,
        admission: Admission,
    ) -> Result<Row<User>> {
        tx.require::<Tenant>(SYSTEM, &self.tenant)?;
        let email = User::normal_email(&self.email);
        if User::by_email(tx, &email)?.is_some() {
            return Err(Refusal::new(Code::NameTaken).detail("a user with this email exists already"));
        }
        let user = User {
            email,
            display_name: self.display_name,
            kind: self.kind,
            platform_admin: self.platform_admin,
            ..User::default()
        };
        let row = tx.insert(SYSTEM, new_id(), user)?;
        if let Some(phc) = self.phc {
            tx.insert(SYSTEM, row.id, PasswordHash { phc })?;
        }
        members::insert(tx, TenantId(self.tenant), &row, admission)?;
        let detail = json!({"email": row.email, "role": admission.role, "origin": admission.origin});
        let actor = actor.unwrap_or(Actor { user: row.id, act: None });
        audit(tx, TenantId(self.tenant), actor, "user.create", format!("user {}", row.id), detail)?;
        Ok(row)
    }
}

/// Adds a fault at `field` if a text is not an email address with the characters and dots that RFC 5322 allows without
/// quotes. Mail servers refuse to send to other addresses.
pub fn check_email(faults: &mut Faults, field: &str, email: &str) {
    // Invisible characters could make two addresses look the same.
    let is_plain = email.len() <= 254 && !email.contains(|c: char| c.is_whitespace() || is_unseen(c));
    let is_address = |(name, host): (&str, &str)| is_local_part(name) && is_host(host);
    if !is_plain || !email.split_once('@').is_some_and(is_address) {
        faults.add([field], "is not an e-mail address", "malformed");
    }
}

/// Returns whether a text is valid before the `@`: an RFC 5322 `dot-atom`, in any script.
fn is_local_part(text: &str) -> bool {
    let is_char = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii();
    text.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_char))
}

/// Returns whether a text is a host name, in any script, or an IPv4 address.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || !c.is_ascii());
        is_plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_email_refuses_malformed_addresses() {
        let faulty = |email: &str| {
            let mut faults = Faults::new("body");
            check_email(&mut faults, "email", email);
            !faults.is_empty()
        };
        assert!(!faulty("a@b") && !faulty("first.last+tag@example.org"));
        assert!(
            faulty("") && faulty("a") && faulty("@b") && faulty("a@") && faulty("a b@c") && faulty("a@b@c")
        );
        // Not valid email syntax; a mail server refuses to send to these addresses.
        assert!(faulty("http://[::1]:1/\\\\@127.0.0.1#?") && faulty("a..b@c") && faulty("a@b_c/d"));
        for unseen in
            ["a\u{200b}@b", "\u{202e}a@b", "a@b\u{ad}", "a\u{0}@b", "a@b\r\nc", "a\u{feff}@b", "a\u{fe0f}@b"]
        {
            assert!(faulty(unseen), "{unseen:?}");
        }
        assert!(!faulty("zoë@example.org") && !faulty("zoe\u{308}@example.org") && !faulty("用户@例子.广告"));
    }
}
