//! The first administrator of a data folder, whose password is shown until somebody has logged in with it.
//!
//! The account and the record that it awaits its first login are one commit. So however a start ends after that, the next
//! one knows that nobody may have read the password yet, and shows it again. The record holds a generated password
//! encrypted; it goes with the commit that begins the first session.

use super::{Actor, NewTenant, NewUser, check_email, generate_password};
use crate::http::credentials::{PASSWORD_LENGTH, Passwords};
use crate::http::{Code, Faults, Refusal};
use serde::{Deserialize, Serialize};
use storage::records::{PasswordHash, Role, Session, Tenant, User, UserKind};
use storage::{Reader, Row, Scan, Store, TenantId, Tx};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;
/// The address of the first administrator where none is given.
const FIRST_EMAIL: &str = "admin@localhost";
const EMAIL_VARIABLE: &str = "UNDERSTUDY_ADMIN_EMAIL";
const PASSWORD_VARIABLE: &str = "UNDERSTUDY_ADMIN_PASSWORD";
/// The name of the encrypted [`Pending`].
const PENDING: &str = "first-administrator";

/// The administrator of a data folder in which nobody has logged in so far.
#[derive(Debug)]
pub struct FirstStart {
    /// The address to log in with.
    pub email: String,
    /// The password, if it was generated.
    pub password: Option<String>,
    /// Whether this start made the account.
    pub made: bool,
    /// Whether `UNDERSTUDY_ADMIN_PASSWORD` holds the password now.
    pub given: bool,
}

/// What the environment says of the first administrator.
pub(crate) struct FirstAdmin {
    email: String,
    password: Option<String>,
}

/// An account that awaits its first login.
#[derive(Clone, Serialize, Deserialize)]
struct Pending {
    user: Uuid,
    /// The hash of the password below; another one in the store means that somebody has changed it.
    phc: String,
    /// None where the environment gave it.
    password: Option<String>,
}

impl FirstAdmin {
    /// Reads `UNDERSTUDY_ADMIN_EMAIL` and `UNDERSTUDY_ADMIN_PASSWORD`.
    ///
    /// # Errors
    /// What is wrong with them, each naming its variable.
    pub fn from_environment() -> Result<Self, Vec<String>> {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let email = given(EMAIL_VARIABLE).unwrap_or_else(|| FIRST_EMAIL.to_owned());
        let password = given(PASSWORD_VARIABLE);
        let mut faults = Faults::of("environment");
        check_email(&mut faults, EMAIL_VARIABLE, &email);
        if let Some(password) = &password {
            faults.length(PASSWORD_VARIABLE, password, PASSWORD_LENGTH);
        }
        let in_words = |fault: &crate::http::Fault| {
            let name = fault.loc.last().map(ToString::to_string).unwrap_or_default();
            format!("{name} {}", fault.msg)
        };
        match faults.into_vec() {
            faults if faults.is_empty() => Ok(Self { email, password }),
            faults => Err(faults.iter().map(in_words).collect()),
        }
    }
}

/// Makes a tenant and an administrator in a data folder that has none, as the environment says. Where they are there
/// already and nobody has logged in yet, tells the same password again, or puts that of the environment in its place.
pub(crate) fn first_start(store: &Store, passwords: &Passwords) -> Result<Option<FirstStart>, Refusal> {
    let (empty, pending) = store.read_now::<_, Refusal>(|reader| {
        let empty = reader.scan::<Tenant>(SYSTEM, Scan::table().limit(1))?.items.is_empty();
        Ok((empty, Pending::read(reader)?))
    })?;
    if empty {
        let admin = from_environment()?;
        return make(store, passwords, admin).map(Some);
    }
    let Some(pending) = pending else { return Ok(None) };
    let Some(user) = store.read_now::<_, Refusal>(|reader| pending.awaits_login(reader))? else {
        forget(store)?;
        return Ok(None);
    };
    // As a password that was mistyped at the first start can be given again.
    let Some(given) = from_environment()?.password else {
        let Pending { password, .. } = pending;
        return Ok(Some(FirstStart { email: user.body.email, password, made: false, given: false }));
    };
    if !passwords.check_blocking(&given, &pending.phc)? {
        replace(store, pending, passwords.hash_blocking(&given)?)?;
    }
    Ok(Some(FirstStart { email: user.body.email, password: None, made: false, given: true }))
}

/// Notes that somebody has logged in, within the transaction that begins their session: from then on the first
/// administrator's password is known, and no longer kept.
pub(crate) fn logged_in(tx: &mut Tx, user: Uuid) -> storage::Result<()> {
    match Pending::read(tx)? {
        Some(pending) if pending.user == user => tx.delete_secret(SYSTEM, PENDING).map(drop),
        _ => Ok(()),
    }
}

impl Pending {
    /// The account that awaits its first login, if one does. What cannot be read counts as none: a start must not fail for it.
    fn read(reader: &Reader) -> storage::Result<Option<Self>> {
        let kept = match reader.get_secret(SYSTEM, PENDING) {
            Err(storage::Error::Corrupt(_)) => None,
            other => other?,
        };
        Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok()))
    }

    fn keep(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let text = serde_json::to_vec(self).map_err(|error| Refusal::new(Code::Internal).because(error))?;
        Ok(tx.put_secret(SYSTEM, PENDING, &text)?)
    }

    /// The user, if nobody has logged in as them, and nobody has changed their password.
    fn awaits_login(&self, reader: &Reader) -> Result<Option<Row<User>>, Refusal> {
        let user = reader.get::<User>(SYSTEM, &self.user)?.filter(|user| !user.disabled);
        let same = reader.get::<PasswordHash>(SYSTEM, &self.user)?.is_some_and(|row| row.phc == self.phc);
        let of_user = Scan::index("by_user").prefix(self.user.as_bytes().to_vec()).limit(1);
        let untouched = reader.scan::<Session>(SYSTEM, of_user)?.items.is_empty();
        Ok(user.filter(|_| same && untouched))
    }
}

fn from_environment() -> Result<FirstAdmin, Refusal> {
    FirstAdmin::from_environment().map_err(|faults| Refusal::new(Code::Invalid).detail(faults.join("\n")))
}

fn make(store: &Store, passwords: &Passwords, admin: FirstAdmin) -> Result<FirstStart, Refusal> {
    let FirstAdmin { email, password: given } = admin;
    let generated = if given.is_none() { Some(generate_password()?) } else { None };
    let phc = passwords.hash_blocking(given.as_deref().or(generated.as_deref()).unwrap_or_default())?;
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
        Pending { user, phc: phc.clone(), password: password.clone() }.keep(tx)
    })?;
    Ok(FirstStart {
        email: email.to_lowercase(),
        given: generated.is_none(),
        password: generated,
        made: true,
    })
}

/// Gives the account another password before its first login.
fn replace(store: &Store, before: Pending, phc: String) -> Result<(), Refusal> {
    store.run_blocking::<_, Refusal>(move |tx| {
        let mut row = tx.require::<PasswordHash>(SYSTEM, &before.user)?;
        row.body.phc.clone_from(&phc);
        tx.update(SYSTEM, row)?;
        Pending { user: before.user, phc: phc.clone(), password: None }.keep(tx)
    })
}

fn forget(store: &Store) -> Result<(), Refusal> {
    store.run_blocking::<_, Refusal>(|tx| Ok(tx.delete_secret(SYSTEM, PENDING).map(drop)?))
}
