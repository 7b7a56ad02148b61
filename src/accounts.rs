//! Tenants, users and API tokens: how they are made, by whichever door the wish comes in.

pub(crate) mod first_start;
pub(crate) mod invitations;
pub(crate) mod joining;
pub(crate) mod members;
pub(crate) mod passwords;

use crate::http::credentials::ApiSecret;
use crate::http::{Code, Fault, Faults, Refusal, Scope, is_unseen};
pub(crate) use domain::audit::{Actor, audit};
pub use first_start::FirstStart;
pub(crate) use first_start::{FirstAdmin, first_start};
use members::Entry;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use storage::records::{ApiToken, Membership, MembershipOrigin, PasswordHash, Role, Tenant, User, UserKind};
use storage::{Reader, Row, Scan, TenantId, Timestamp, Tx, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
/// Letters of generated passwords: none that look alike.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789-";
/// Letters in a generated password, five bits each.
const GENERATED: usize = 24;

/// A tenant to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewTenant {
    pub name: String,
    pub slug: Option<String>,
}

impl NewTenant {
    /// What is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        check_tenant(faults, Some(&self.name), self.slug.as_deref());
    }

    /// Makes it.
    pub fn insert(self, tx: &mut Tx, actor: Actor) -> Result<Row<Tenant>, Refusal> {
        tenant_is_free(tx, None, &self.name, self.slug.as_deref())?;
        let row =
            tx.insert(SYSTEM, new_id(), Tenant { name: self.name, slug: self.slug, ..Tenant::default() })?;
        audit(
            tx,
            TenantId(row.id),
            actor,
            "tenant.create",
            format!("tenant {}", row.id),
            json!({"name": row.name}),
        )?;
        Ok(row)
    }
}

/// Says what is wrong with a tenant's names.
pub(crate) fn check_tenant(faults: &mut Faults, name: Option<&str>, slug: Option<&str>) {
    if let Some(name) = name {
        faults.length("name", name, 1..=100);
        faults.name("name", name);
    }
    let plain = |slug: &str| {
        !slug.is_empty()
            && slug.len() <= 63
            && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if slug.is_some_and(|slug| !plain(slug)) {
        faults.add(["slug"], "is made of lower-case letters, digits and `-`, 63 at most", "malformed");
    }
}

/// Refuses (409) names that another tenant has. Names, short names and ids are one kind of name: the command line takes
/// any of them.
pub(crate) fn tenant_is_free(
    reader: &Reader,
    own: Option<Uuid>,
    name: &str,
    slug: Option<&str>,
) -> Result<(), Refusal> {
    let tenants = reader.scan::<Tenant>(SYSTEM, Scan::table())?.items;
    let mut others = tenants.iter().filter(|other| Some(other.id) != own);
    let is_it = |other: &Row<Tenant>, name: &str| {
        let same = |known: &str| known.to_lowercase() == name.to_lowercase();
        same(&other.name) || other.slug.as_deref().is_some_and(same) || same(&other.id.to_string())
    };
    match others.any(|other| is_it(other, name) || slug.is_some_and(|slug| is_it(other, slug))) {
        true => Err(Refusal::new(Code::NameTaken).detail("there is a tenant of this name")),
        false => Ok(()),
    }
}

/// A user to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewUser {
    pub email: String,
    pub display_name: String,
    pub kind: UserKind,
    pub platform_admin: bool,
    pub tenant: Uuid,
    pub role: Role,
    /// The password's hash; service accounts have none.
    pub phc: Option<String>,
}

impl NewUser {
    /// Makes it, with its membership, on behalf of somebody who vouches for the address.
    pub fn insert(self, tx: &mut Tx, actor: Actor) -> Result<Row<User>, Refusal> {
        let entry = Entry { role: self.role, origin: MembershipOrigin::Added, proved: true };
        self.enter(tx, Some(actor), entry)
    }

    /// Makes it, with its membership, by another door; without an actor, the user came by themselves.
    pub fn enter(self, tx: &mut Tx, actor: Option<Actor>, entry: Entry) -> Result<Row<User>, Refusal> {
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
        members::seat(tx, TenantId(self.tenant), &row, entry)?;
        let detail = json!({"email": row.email, "role": entry.role, "origin": entry.origin});
        let actor = actor.unwrap_or(Actor { user: row.id, act: None });
        audit(tx, TenantId(self.tenant), actor, "user.create", format!("user {}", row.id), detail)?;
        Ok(row)
    }
}

/// Says what is wrong with an e-mail address: not much is certain about those.
pub(crate) fn check_email(faults: &mut Faults, field: &str, email: &str) {
    let parts = email.split_once('@');
    // Characters that are not seen would make two addresses look like one.
    let plain = email.len() <= 254 && !email.contains(|c: char| c.is_whitespace() || is_unseen(c));
    if !plain
        || !parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
    {
        faults.add([field], "is not an e-mail address", "malformed");
    }
}

/// An API token to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewToken {
    pub tenant: Uuid,
    pub user: Uuid,
    pub name: String,
    pub scopes: Option<Vec<String>>,
    pub expires_at: Option<Timestamp>,
}

impl NewToken {
    /// What is wrong with a token's fields.
    pub fn check(faults: &mut Faults, name: &str, scopes: Option<&[String]>, expires_at: Option<Timestamp>) {
        faults.length("name", name, 1..=100);
        faults.name("name", name);
        for (at, scope) in scopes.unwrap_or_default().iter().enumerate() {
            if Scope::parse(scope).is_none() {
                let why = "is not a scope; GET /api/auth/token-scopes/ lists them, and without `scopes` a token has all";
                faults.add(["scopes", &at.to_string()], why, "unknown_value");
            }
        }
        if expires_at.is_some_and(|end| end <= Timestamp::now()) {
            faults.add(["expires_at"], "is in the past", "out_of_range");
        }
    }

    /// Makes it. `days` is the longest life where the tenant sets none; 0 for any.
    pub fn insert(
        self,
        tx: &mut Tx,
        secret: &ApiSecret,
        days: u32,
        actor: Actor,
    ) -> Result<Row<ApiToken>, Refusal> {
        check_life(tx, self.tenant, self.expires_at, days)?;
        let token = ApiToken {
            tenant: self.tenant,
            user: self.user,
            name: self.name,
            prefix: secret.prefix(),
            secret_sha256: secret.hash(),
            scopes: self.scopes,
            expires_at: self.expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        let row = tx.insert(SYSTEM, secret.id, token)?;
        let detail = json!({"name": row.name, "user": row.user, "scopes": row.scopes});
        audit(tx, TenantId(self.tenant), actor, "token.create", format!("token {}", row.id), detail)?;
        Ok(row)
    }
}

/// Refuses an end that is later than the tenant, or else the server, allows.
pub(crate) fn check_life(
    reader: &Reader,
    tenant: Uuid,
    expires_at: Option<Timestamp>,
    days: u32,
) -> Result<(), Refusal> {
    let tenant = reader.require::<Tenant>(SYSTEM, &tenant)?;
    let days = tenant.token_max_days.unwrap_or(days);
    let latest = Timestamp::now() + std::time::Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    if days == 0 || expires_at.is_some_and(|end| end <= latest) {
        return Ok(());
    }
    let msg = format!("must be given and at most {days} days ahead");
    Err(Refusal::faulty(vec![Fault::new("body", ["expires_at"], msg, "out_of_range")]))
}

/// Every tenant a user belongs to, oldest membership first.
pub(crate) fn tenants_of(reader: &Reader, user: Uuid) -> storage::Result<Vec<(Row<Tenant>, Role)>> {
    let scan = Scan::table().prefix(user.as_bytes().to_vec());
    let mut memberships = reader.scan::<Membership>(SYSTEM, scan)?.items;
    memberships.sort_by_key(|row| row.created_at);
    let mut tenants = Vec::with_capacity(memberships.len());
    for membership in memberships {
        if let Some(tenant) = reader.get::<Tenant>(SYSTEM, &membership.id.1)? {
            tenants.push((tenant, membership.role));
        }
    }
    Ok(tenants)
}

/// A password that nobody guesses and everybody can type.
pub(crate) fn generate_password() -> Result<String, Refusal> {
    let mut bytes = [0; GENERATED];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Refusal::new(Code::Internal).because("no randomness"))?;
    // 32 letters: each byte chooses one without bias. It neither begins nor ends with a dash.
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    let inner: String = bytes[1..GENERATED - 1].iter().map(letter).collect();
    let edge = |byte: u8| char::from(LETTERS[usize::from(byte) % 31]);
    Ok(format!("{}{inner}{}", edge(bytes[0]), edge(bytes[GENERATED - 1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::credentials::PASSWORD_LENGTH;

    #[test]
    fn generated_passwords_are_accepted_as_passwords() {
        for _ in 0..200 {
            let password = generate_password().unwrap();
            assert!(PASSWORD_LENGTH.contains(&password.chars().count()));
            assert!(!password.starts_with('-') && !password.ends_with('-'));
        }
        assert_ne!(generate_password().unwrap(), generate_password().unwrap());
    }

    #[test]
    fn addresses_are_looked_at() {
        let faulty = |email: &str| {
            let mut faults = Faults::of("body");
            check_email(&mut faults, "email", email);
            !faults.is_empty()
        };
        assert!(!faulty("a@b") && !faulty("first.last+tag@example.org"));
        assert!(
            faulty("") && faulty("a") && faulty("@b") && faulty("a@") && faulty("a b@c") && faulty("a@b@c")
        );
        for unseen in
            ["a\u{200b}@b", "\u{202e}a@b", "a@b\u{ad}", "a\u{0}@b", "a@b\r\nc", "a\u{feff}@b", "a\u{fe0f}@b"]
        {
            assert!(faulty(unseen), "{unseen:?}");
        }
        assert!(!faulty("zoë@example.org") && !faulty("zoe\u{308}@example.org") && !faulty("用户@例子.广告"));
    }
}
