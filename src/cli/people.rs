//! The commands `user`, `tenant` and `token`: for a data folder, or for a running server.

use super::accounts::{self, TokenWish, UserWish};
use super::remote::{Remote, RemoteArgs};
use super::{Done, Failure, Locations, lists, say};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::io::{BufRead, IsTerminal};
use storage::Timestamp;
use storage::records::Role;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Add a user
    Add(UserAdd),
    /// List users
    List(lists::UserList),
    /// Set a user's password in a data folder that is not used by a server
    Password(UserPassword),
}

#[derive(Args)]
pub(super) struct UserPassword {
    /// The email address of the account
    email: String,
    /// Read the password from the first line of the standard input; otherwise a password is generated and shown
    #[arg(long)]
    password_stdin: bool,
}

#[derive(Args)]
pub(super) struct UserAdd {
    /// The email address to log in with
    email: String,
    /// The displayed name [default: the email address]
    #[arg(long)]
    name: Option<String>,
    /// The role in the tenant
    #[arg(long, value_enum, default_value_t = RoleArg::User)]
    role: RoleArg,
    /// The tenant, by name, short name or id [default: the only one, or with --url the caller's tenant]
    #[arg(long, conflicts_with = "url")]
    tenant: Option<String>,
    /// Allow the user to manage tenants
    #[arg(long, conflicts_with = "url")]
    platform_admin: bool,
    /// Read the password from the first line of the standard input; otherwise a password is generated and shown
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Subcommand)]
pub(super) enum TenantCommand {
    /// Add a tenant
    Add(TenantAdd),
    /// List the tenants of a data folder that is not used by a server
    List(lists::TenantList),
}

#[derive(Args)]
pub(super) struct TenantAdd {
    /// The name of the tenant
    name: String,
    /// A short name for use in URLs
    #[arg(long)]
    slug: Option<String>,
    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Subcommand)]
pub(super) enum TokenCommand {
    /// Create an API token and print it
    Create(TokenCreate),
}

#[derive(Args)]
pub(super) struct TokenCreate {
    /// A name for the token
    name: String,
    /// The owner, by email address; with --url always the caller
    #[arg(long, required_unless_present = "url", conflicts_with = "url")]
    user: Option<String>,
    /// The tenant, by name, short name or id [default: the user's only one]
    #[arg(long, conflicts_with = "url")]
    tenant: Option<String>,
    /// A scope, for example conversations:read; can be repeated [default: all scopes]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Number of days until the token expires [default: never]
    #[arg(long)]
    days: Option<u32>,
    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum RoleArg {
    User,
    Editor,
    #[value(name = "tenant_admin", alias = "tenant-admin", alias = "admin")]
    TenantAdmin,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::User => Self::User,
            RoleArg::Editor => Self::Editor,
            RoleArg::TenantAdmin => Self::TenantAdmin,
        }
    }
}

pub(super) fn user(locations: &Locations, command: UserCommand) -> Done {
    match command {
        UserCommand::Add(add) => add_user(locations, add),
        UserCommand::List(list) => lists::users(locations, &list),
        UserCommand::Password(new) => {
            let (password, generated) = new_password(new.password_stdin)?;
            accounts::set_password(locations, &new.email, &password)?;
            say(&format!("{} has a new password and is logged out everywhere\n", new.email));
            show_password(generated.as_deref());
            Ok(())
        }
    }
}

/// Returns a password from the input, or a generated one, which is also returned separately.
fn new_password(from_input: bool) -> Done<(String, Option<String>)> {
    if from_input {
        return Ok((read_line()?, None));
    }
    let generated = domain::credentials::generate_password().map_err(Failure::new)?;
    Ok((generated.clone(), Some(generated)))
}

fn show_password(generated: Option<&str>) {
    if let Some(generated) = generated {
        say(&format!("password  {generated}   (shown this once)\n"));
    }
}

fn add_user(locations: &Locations, add: UserAdd) -> Done {
    let (password, generated) = new_password(add.password_stdin)?;
    let role = Role::from(add.role);
    if let Some(remote) = Remote::from_args(&add.remote)? {
        let body = json!({"email": add.email, "display_name": add.name, "password": password, "role": role});
        remote.post("/api/auth/users", &body)?;
    } else {
        let (email, name) = (add.email.clone(), add.name);
        let wish =
            UserWish { email, name, role, tenant: add.tenant, platform_admin: add.platform_admin, password };
        accounts::add_user(locations, wish)?;
    }
    say(&format!("{} was added\n", add.email));
    show_password(generated.as_deref());
    Ok(())
}

pub(super) fn tenant(locations: &Locations, command: TenantCommand) -> Done {
    let add = match command {
        TenantCommand::Add(add) => add,
        TenantCommand::List(list) => return lists::tenants(locations, &list),
    };
    let id = match Remote::from_args(&add.remote)? {
        Some(remote) => {
            let response = remote.post("/api/auth/tenants", &json!({"name": add.name, "slug": add.slug}))?;
            response["id"].as_str().unwrap_or_default().to_owned()
        }
        None => accounts::add_tenant(locations, add.name.clone(), add.slug)?.to_string(),
    };
    say(&format!("{} was added: {id}\n", add.name));
    Ok(())
}

pub(super) fn token(locations: &Locations, TokenCommand::Create(create): TokenCommand) -> Done {
    let life = |days| std::time::Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    let expires_at = create.days.map(|days: u32| Timestamp::now() + life(days));
    let scopes = (!create.scopes.is_empty()).then_some(create.scopes);
    let token = match Remote::from_args(&create.remote)? {
        Some(remote) => {
            let body = json!({"name": create.name, "scopes": scopes, "expires_at": expires_at});
            let response = remote.post("/api/auth/api-tokens", &body)?;
            response["token"].as_str().unwrap_or_default().to_owned()
        }
        None => {
            let email = create.user.unwrap_or_default();
            accounts::create_token(
                locations,
                TokenWish { email, tenant: create.tenant, name: create.name, scopes, expires_at },
            )?
        }
    };
    // The token is the only output, for `TOKEN=$(understudy token create ..)`.
    say(&format!("{token}\n"));
    Ok(())
}

/// Reads a secret from the first line of the standard input; a terminal prompts for it without echo.
pub(super) fn read_line() -> Done<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let term = console::Term::stderr();
        term.write_str("password: ").map_err(Failure::new)?;
        return term.read_secure_line().map_err(Failure::new);
    }
    let mut line = String::new();
    stdin.lock().read_line(&mut line).map_err(Failure::new)?;
    match line.trim_end_matches(['\r', '\n']) {
        "" => Err(Failure::usage_error("the first line of the input contains no password")),
        password => Ok(password.to_owned()),
    }
}
