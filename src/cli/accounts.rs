//! Manages users, tenants and tokens in a data folder that is not used by a server.

use super::{Done, Failure, Locations};
use domain::accounts::passwords::{self, ChangeMethod, NewPassword};
use domain::accounts::users::check_email;
use domain::accounts::{NewTenant, NewToken, NewUser, tenants};
use domain::audit::Actor;
use domain::credentials::{ApiSecret, PASSWORD_LENGTH};
use domain::{Faults, Refusal};
use storage::records::{Role, Tenant, User, UserKind};
use storage::{Row, Scan, Store, TenantId, Timestamp, new_id};
use uuid::Uuid;

const SYSTEM: TenantId = TenantId::SYSTEM;

impl From<Refusal> for Failure {
    fn from(error: Refusal) -> Self {
        let faults = error.faults().iter().map(|fault| {
            let field = fault.loc.last().map(ToString::to_string).unwrap_or_default();
            format!("{field} {}", fault.msg)
        });
        let faults = faults.collect::<Vec<_>>().join("; ");
        match faults.is_empty() {
            true => Self::new(error.shown_detail()),
            false => Self::usage_error(faults),
        }
    }
}

fn check(check: impl FnOnce(&mut Faults)) -> Done {
    let mut faults = Faults::new("body");
    check(&mut faults);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Refusal::faulty(faults.into_vec()).into()),
    }
}

pub(super) struct UserWish {
    pub email: String,
    pub name: Option<String>,
    pub role: Role,
    pub tenant: Option<String>,
    pub platform_admin: bool,
    pub password: String,
}

pub(super) fn add_user(locations: &Locations, wish: UserWish) -> Done {
    check(|faults| {
        check_email(faults, "email", &wish.email);
        faults.length("password", &wish.password, PASSWORD_LENGTH);
    })?;
    let (config, store) = locations.open()?;
    let tenant = find_tenant(&store, wish.tenant.as_deref())?;
    let hasher = config.auth.password_hasher().map_err(Failure::new)?;
    let new = NewUser {
        display_name: wish.name.unwrap_or_else(|| wish.email.clone()),
        email: wish.email,
        kind: UserKind::Human,
        platform_admin: wish.platform_admin,
        tenant: tenant.id,
        role: wish.role,
        phc: Some(hasher.hash(&wish.password)?),
    };
    store.run_blocking::<_, Refusal>(|tx| new.clone().insert(tx, Actor::COMMAND_LINE))?;
    Ok(())
}

/// Sets a user's password and ends their sessions.
pub(super) fn set_password(locations: &Locations, email: &str, password: &str) -> Done {
    check(|faults| faults.length("password", password, PASSWORD_LENGTH))?;
    let (config, store) = locations.open()?;
    let found = store.read_now(|reader| passwords::account_by_email(reader, email))?;
    let account = found.ok_or_else(|| Failure::usage_error(format!("there is no account for {email}")))?;
    let hasher = config.auth.password_hasher().map_err(Failure::new)?;
    let phc = hasher.hash(password)?;
    let new = NewPassword { before: account.verified(), phc, keep: None, method: ChangeMethod::CommandLine };
    Ok(store.run_blocking::<_, Refusal>(|tx| new.store(tx))?)
}

pub(super) fn add_tenant(locations: &Locations, name: String, slug: Option<String>) -> Done<Uuid> {
    let new = NewTenant { name, slug };
    check(|faults| new.check(faults))?;
    let (_, store) = locations.open()?;
    let row = store.run_blocking::<_, Refusal>(|tx| new.clone().insert(tx, Actor::COMMAND_LINE))?;
    Ok(row.id)
}

pub(super) struct TokenWish {
    pub email: String,
    pub tenant: Option<String>,
    pub name: String,
    pub scopes: Option<Vec<String>>,
    pub expires_at: Option<Timestamp>,
}

pub(super) fn create_token(locations: &Locations, wish: TokenWish) -> Done<String> {
    check(|faults| NewToken::check(faults, &wish.name, wish.scopes.as_deref(), wish.expires_at))?;
    let (config, store) = locations.open()?;
    let (user, theirs) = store.read_now::<_, Refusal>(|reader| {
        let user = User::by_email(reader, &wish.email)?;
        let user = user.ok_or_else(|| Refusal::not_found("user"))?;
        let tenants = tenants::of_user(reader, user.id)?;
        Ok((user, tenants.into_iter().map(|(row, _)| row).collect()))
    })?;
    let tenant = choose(theirs, wish.tenant.as_deref())?;
    let secret = ApiSecret::new(new_id())
        .map_err(|_| Failure::new("the operating system provides no random numbers"))?;
    let TokenWish { name, scopes, expires_at, .. } = wish;
    let new = NewToken { tenant: tenant.id, user: user.id, name, scopes, expires_at };
    let days = config.auth.token_max_days;
    store.run_blocking::<_, Refusal>(|tx| new.clone().insert(tx, &secret, days, Actor::COMMAND_LINE))?;
    Ok(secret.reveal())
}

fn find_tenant(store: &Store, named: Option<&str>) -> Done<Row<Tenant>> {
    let all =
        store.read_now::<_, Refusal>(|reader| Ok(reader.scan::<Tenant>(SYSTEM, Scan::table())?.items))?;
    choose(all, named)
}

/// Returns the named tenant, or the only one.
pub(super) fn choose(mut tenants: Vec<Row<Tenant>>, named: Option<&str>) -> Done<Row<Tenant>> {
    let Some(named) = named else {
        let names: Vec<_> = tenants.iter().map(|tenant| tenant.name.clone()).collect();
        return match (tenants.pop(), tenants.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(Failure::usage_error("there is no tenant")),
            (Some(_), false) => {
                Err(Failure::usage_error(format!("--tenant is required; one of: {}", names.join(", "))))
            }
        };
    };
    let is_it = |row: &Row<Tenant>| {
        row.name == named || row.slug.as_deref() == Some(named) || row.id.to_string() == named
    };
    let mut found: Vec<_> = tenants.into_iter().filter(is_it).collect();
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Failure::usage_error(format!("there is no tenant {named}"))),
        (Some(_), false) => {
            Err(Failure::usage_error(format!("several tenants are named {named}; use the id")))
        }
    }
}
