//! The first administrator of a data folder, whose password is shown until the first login with it.
//!
//! One commit creates the account and the record of its pending first login. If the process ends at any time after that,
//! the next start knows that the password may not have been read yet, and shows it again. The record contains the generated
//! password in encrypted form. The commit that starts the first session deletes it.

use serde::{Deserialize, Serialize};
use storage::records::{PasswordHash, Role, Session, Tenant, User, UserKind};
use storage::{Reader, Row, Scan, Store, TenantId, Tx};
use uuid::Uuid;

use super::tenants::NewTenant;
use super::users::{NewUser, check_email};
use crate::audit::Actor;
use crate::credentials::{PASSWORD_LENGTH, PasswordHasher, generate_password};
use crate::{Code, Fault, Faults, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;
/// The email address of the first administrator if none is configured.
const FIRST_EMAIL: &str = "admin@localhost";
const EMAIL_VARIABLE: &str = "UNDERSTUDY_ADMIN_EMAIL";
const PASSWORD_VARIABLE: &str = "UNDERSTUDY_ADMIN_PASSWORD";
/// The name of the encrypted [`PendingLogin`].
const PENDING: &str = "first-administrator";

/// The administrator of a data folder without any login so far.
#[derive(Debug)]
pub struct FirstStart {
    /// The email address to log in with.
    pub email: String,
    /// The password, if it was generated.
    pub password: Option<String>,
    /// Whether this start created the account.
    pub is_created: bool,
    /// Whether `UNDERSTUDY_ADMIN_PASSWORD` contains the current password.
    pub is_password_configured: bool,
}

/// The first administrator as the environment variables describe it.
pub struct FirstAdmin {
    email: String,
    password: Option<String>,
}

/// An account whose first login is pending.
#[derive(Clone, Serialize, Deserialize)]
struct PendingLogin {
    user: Uuid,
    /// The hash of the password below. If the store contains a different hash, the password was changed.
    phc: String,
    /// `None` if the password came from the environment.
    password: Option<String>,
}

impl FirstAdmin {
    /// Reads `UNDERSTUDY_ADMIN_EMAIL` and `UNDERSTUDY_ADMIN_PASSWORD`.
    ///
    /// # Errors
    /// Returns the faults, each with the name of its variable.
    pub fn from_environment() -> std::result::Result<Self, Vec<String>> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let email = variable(EMAIL_VARIABLE).unwrap_or_else(|| FIRST_EMAIL.to_owned());
        let password = variable(PASSWORD_VARIABLE);
        let mut faults = Faults::new("environment");
        check_email(&mut faults, EMAIL_VARIABLE, &email);
        if let Some(password) = &password {
            faults.length(PASSWORD_VARIABLE, password, PASSWORD_LENGTH);
        }
        let in_words = |fault: &Fault| {
            let name = fault.loc.last().map(ToString::to_string).unwrap_or_default();
            format!("{name} {}", fault.msg)
        };
        match faults.into_vec() {
            faults if faults.is_empty() => Ok(Self { email, password }),
            faults => Err(faults.iter().map(in_words).collect()),
        }
    }
}

/// Creates a tenant and an administrator in a data folder that has none, as configured by the environment variables. Until
/// the first login, later starts return the same password again, or replace it with the one in the environment.
///
/// # Errors
/// `invalid` for invalid variables; an error if storage fails.
pub fn first_start(store: &Store, hasher: &PasswordHasher) -> Result<Option<FirstStart>> {
    let (empty, pending) = store.read_now::<_, Refusal>(|reader| {
        let empty = reader.scan::<Tenant>(SYSTEM, Scan::table().limit(1))?.items.is_empty();
        Ok((empty, PendingLogin::read(reader)?))
    })?;
    if empty {
        let admin = from_environment()?;
        return create(store, hasher, admin).map(Some);
    }
    let Some(pending) = pending else { return Ok(None) };
    let Some(user) = store.read_now::<_, Refusal>(|reader| pending.awaits_login(reader))? else {
        forget(store)?;
        return Ok(None);
    };
    // If the password was mistyped at the first start, it can be configured again.
    let Some(configured) = from_environment()?.password else {
        let PendingLogin { password, .. } = pending;
        return Ok(Some(FirstStart {
            email: user.body.email,
            password,
            is_created: false,
            is_password_configured: false,
        }));
    };
    if !hasher.verify(&configured, Some(&pending.phc))? {
        replace(store, pending, hasher.hash(&configured)?)?;
    }
    Ok(Some(FirstStart {
        email: user.body.email,
        password: None,
        is_created: false,
        is_password_configured: true,
    }))
}

/// Records a login, in the transaction that starts the session. The password of the first administrator is then known, so
/// its record is deleted.
pub fn record_login(tx: &mut Tx, user: Uuid) -> storage::Result<()> {
    match PendingLogin::read(tx)? {
        Some(pending) if pending.user == user => tx.delete_secret(SYSTEM, PENDING).map(drop),
        _ => Ok(()),
    }
}

/// Returns whether no user has logged in yet: the first login of the first administrator is pending.
///
/// # Errors
/// Returns an error if storage fails.
pub fn is_login_pending(reader: &Reader) -> Result<bool> {
    match PendingLogin::read(reader)? {
        Some(pending) => Ok(pending.awaits_login(reader)?.is_some()),
        None => Ok(false),
    }
}

impl PendingLogin {
    /// Returns the account whose first login is pending, if any. An unreadable record is ignored, so that it does not make
    /// the start fail.
    fn read(reader: &Reader) -> storage::Result<Option<Self>> {
        let secret = match reader.get_secret(SYSTEM, PENDING) {
            Err(storage::Error::Corrupt(_)) => None,
            other => other?,
        };
        Ok(secret.and_then(|secret| serde_json::from_slice(&secret).ok()))
    }

    fn store(&self, tx: &mut Tx) -> Result<()> {
        let text = serde_json::to_vec(self).map_err(|error| Refusal::new(Code::Internal).because(error))?;
        Ok(tx.put_secret(SYSTEM, PENDING, &text)?)
    }

    /// Returns the user, if they have never logged in and their password was not changed.
    fn awaits_login(&self, reader: &Reader) -> Result<Option<Row<User>>> {
        let user = reader.get::<User>(SYSTEM, &self.user)?.filter(|user| !user.disabled);
        let same = reader.get::<PasswordHash>(SYSTEM, &self.user)?.is_some_and(|row| row.phc == self.phc);
        let of_user = Scan::index("by_user").prefix(self.user.as_bytes().to_vec()).limit(1);
        let untouched = reader.scan::<Session>(SYSTEM, of_user)?.items.is_empty();
        Ok(user.filter(|_| same && untouched))
    }
}

fn from_environment() -> Result<FirstAdmin> {
    FirstAdmin::from_environment().map_err(|faults| Refusal::new(Code::Invalid).detail(faults.join("\n")))
}

fn create(store: &Store, hasher: &PasswordHasher, admin: FirstAdmin) -> Result<FirstStart> {
    let FirstAdmin { email, password: configured } = admin;
    let generated = if configured.is_none() { Some(generate_password()?) } else { None };
    let phc = hasher.hash(configured.as_deref().or(generated.as_deref()).unwrap_or_default())?;
    let (address, password) = (email.clone(), generated.clone());
    store.run_blocking::<_, Refusal>(move |tx| {
        let tenant = NewTenant { name: "Default".to_owned(), slug: Some("default".to_owned()) };
        let tenant = tenant.insert(tx, Actor::COMMAND_LINE)?;
        let admin = NewUser {
            email: address.clone(),
            display_name: "Administrator".to_owned(),
            kind: UserKind::Human,
            platform_admin: true,
            tenant: tenant.id,
            role: Role::TenantAdmin,
            phc: Some(phc.clone()),
        };
        let user = admin.insert(tx, Actor::COMMAND_LINE)?.id;
        PendingLogin { user, phc: phc.clone(), password: password.clone() }.store(tx)
    })?;
    Ok(FirstStart {
        email: email.to_lowercase(),
        is_password_configured: generated.is_none(),
        password: generated,
        is_created: true,
    })
}

/// Replaces the password of the account before its first login.
fn replace(store: &Store, before: PendingLogin, phc: String) -> Result<()> {
    store.run_blocking::<_, Refusal>(move |tx| {
        let mut row = tx.require::<PasswordHash>(SYSTEM, &before.user)?;
        row.body.phc.clone_from(&phc);
        tx.update(SYSTEM, row)?;
        PendingLogin { user: before.user, phc: phc.clone(), password: None }.store(tx)
    })
}

fn forget(store: &Store) -> Result<()> {
    store.run_blocking::<_, Refusal>(|tx| Ok(tx.delete_secret(SYSTEM, PENDING).map(drop)?))
}
