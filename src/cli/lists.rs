//! The commands `user list` and `tenant list`.

use super::accounts::choose;
use super::remote::{Remote, RemoteArgs};
use super::{Done, Locations, say};
use crate::http::Refusal;
use clap::Args;
use domain::accounts::tenants;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::IsTerminal;
use storage::records::{Membership, Tenant, User};
use storage::{Scan, TenantId};

const SYSTEM: TenantId = TenantId::SYSTEM;
/// The number of users that are requested from a server at once.
const PAGE: u32 = 200;
/// The maximum number of characters in a table cell on a terminal.
pub const MAX_WIDTH: usize = 60;

#[derive(Args)]
pub(super) struct UserList {
    /// Users of one tenant, by name, short name or id [default: all; with --url the caller's tenant]
    #[arg(long, conflicts_with = "url")]
    tenant: Option<String>,
    /// Print a list of objects as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: RemoteArgs,
}

#[derive(Args)]
pub(super) struct TenantList {
    /// Print a list of objects as JSON
    #[arg(long)]
    json: bool,
}

/// Lists the users of a data folder that is not used by a server, or of a running server's tenant.
pub(super) fn users(locations: &Locations, list: &UserList) -> Done {
    let users = match Remote::from_args(&list.remote)? {
        Some(remote) => users_at(&remote)?,
        None => users_in(locations, list.tenant.as_deref())?,
    };
    let columns = ["email", "name", "kind", "roles", "status", "id"];
    show(&users, list.json, &columns, |user| {
        let text = |name: &str| user[name].as_str().unwrap_or_default().to_owned();
        let roles = user["roles"].as_array().into_iter().flatten().map(|role| {
            let (tenant, role) = (role["tenant"].as_str(), role["role"].as_str().unwrap_or_default());
            tenant.map_or_else(|| role.to_owned(), |tenant| format!("{tenant}: {role}"))
        });
        let platform =
            user["platform_admin"].as_bool().filter(|it| *it).map(|_| "platform administrator".to_owned());
        let roles: Vec<_> = roles.chain(platform).collect();
        let status = if user["disabled"] == true { "disabled" } else { "active" };
        vec![
            text("email"),
            text("display_name"),
            text("kind"),
            roles.join(", "),
            status.to_owned(),
            text("id"),
        ]
    });
    Ok(())
}

fn users_in(locations: &Locations, tenant: Option<&str>) -> Done<Vec<Value>> {
    let (_, store) = locations.open()?;
    let (users, tenants) = store.read_now::<_, Refusal>(|reader| {
        let mut users = Vec::new();
        for user in reader.scan::<User>(SYSTEM, Scan::table())?.items {
            let tenants = tenants::of_user(reader, user.id)?;
            users.push((user, tenants));
        }
        Ok((users, reader.scan::<Tenant>(SYSTEM, Scan::table())?.items))
    })?;
    let only = tenant.map(|named| choose(tenants, Some(named))).transpose()?.map(|tenant| tenant.id);
    let is_listed = |tenants: &[(storage::Row<Tenant>, _)]| {
        only.is_none_or(|only| tenants.iter().any(|(tenant, _)| tenant.id == only))
    };
    let users = users.into_iter().filter(|(_, tenants)| is_listed(tenants)).map(|(user, tenants)| {
        let roles: Vec<_> = tenants
            .into_iter()
            .map(|(tenant, role)| json!({"tenant": tenant.name, "tenant_id": tenant.id, "role": role}))
            .collect();
        json!({
            "id": user.id, "email": user.email, "display_name": user.display_name, "kind": user.kind, "roles": roles,
            "platform_admin": user.platform_admin, "disabled": user.disabled, "created_at": user.created_at,
        })
    });
    Ok(users.collect())
}

fn users_at(remote: &Remote) -> Done<Vec<Value>> {
    let (mut users, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let next = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = remote.get(&format!("/api/users?limit={PAGE}{next}"))?;
        for mut user in page["items"].as_array().cloned().unwrap_or_default() {
            if let Some(role) = user["role"].as_str() {
                user["roles"] = json!([{"role": role}]);
            }
            users.push(user);
        }
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return Ok(users);
        }
    }
}

/// Lists the tenants of a data folder that is not used by a server.
pub(super) fn tenants(locations: &Locations, list: &TenantList) -> Done {
    let (_, store) = locations.open()?;
    let (tenants, members) = store.read_now::<_, Refusal>(|reader| {
        let mut members: HashMap<_, usize> = HashMap::new();
        for membership in reader.scan::<Membership>(SYSTEM, Scan::table())?.items {
            *members.entry(membership.id.1).or_default() += 1;
        }
        Ok((reader.scan::<Tenant>(SYSTEM, Scan::table())?.items, members))
    })?;
    let tenants: Vec<_> = tenants
        .into_iter()
        .map(|tenant| {
            json!({
                "id": tenant.id, "name": tenant.name, "slug": tenant.slug,
                "members": members.get(&tenant.id).copied().unwrap_or_default(), "created_at": tenant.created_at,
            })
        })
        .collect();
    show(&tenants, list.json, &["name", "slug", "members", "id"], |tenant| {
        let text = |name: &str| tenant[name].as_str().unwrap_or("-").to_owned();
        vec![text("name"), text("slug"), tenant["members"].to_string(), text("id")]
    });
    Ok(())
}

/// Prints a table, or the objects as JSON.
fn show(items: &[Value], as_json: bool, columns: &[&str], row: impl Fn(&Value) -> Vec<String>) {
    if as_json {
        say(&format!("{:#}\n", Value::from(items)));
        return;
    }
    let head = columns.iter().map(|column| column.to_uppercase()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(items.iter().map(row)).collect();
    say(&table(&rows, std::io::stdout().is_terminal()));
}

/// Aligns columns to their content; on a terminal, long cells are cut.
pub fn table(rows: &[Vec<String>], cut: bool) -> String {
    let cell = |cell: &str| match cut && cell.chars().count() > MAX_WIDTH {
        true => cell.chars().take(MAX_WIDTH - 1).chain(['…']).collect(),
        false => cell.to_owned(),
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let gap = width(column).unwrap_or_default() - cell.chars().count();
            format!("{cell}{}", " ".repeat(gap))
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
