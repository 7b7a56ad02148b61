//! Tenants and their names.

use serde_json::json;
use storage::records::{Membership, Role, Tenant};
use storage::{Reader, Row, Scan, TenantId, Tx, new_id};
use uuid::Uuid;

use crate::audit::{Actor, audit};
use crate::{Code, Faults, NAME_LENGTH, Refusal, Result};

const SYSTEM: TenantId = TenantId::SYSTEM;

/// A tenant to create.
#[derive(Clone, Debug)]
pub struct NewTenant {
    pub name: String,
    pub slug: Option<String>,
}

impl NewTenant {
    /// Adds a fault for each invalid name.
    pub fn check(&self, faults: &mut Faults) {
        check_names(faults, Some(&self.name), self.slug.as_deref());
    }

    /// Creates the tenant.
    ///
    /// # Errors
    /// `name_taken` if another tenant has one of its names.
    pub fn insert(self, tx: &mut Tx, actor: Actor) -> Result<Row<Tenant>> {
        require_free_names(tx, None, &self.name, self.slug.as_deref())?;
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

/// Creates a tenant with a user as its administrator.
///
/// # Errors
/// `name_taken` if another tenant has one of its names.
pub fn create_with_administrator(
    tx: &mut Tx,
    new: NewTenant,
    user: Uuid,
    actor: Actor,
) -> Result<Row<Tenant>> {
    let tenant = new.insert(tx, actor)?;
    let membership = Membership { role: Role::TenantAdmin, ..Membership::default() };
    tx.insert(SYSTEM, (user, tenant.id), membership)?;
    Ok(tenant)
}

/// Adds a fault for each invalid name of a tenant.
pub fn check_names(faults: &mut Faults, name: Option<&str>, slug: Option<&str>) {
    if let Some(name) = name {
        faults.length("name", name, NAME_LENGTH);
        faults.name("name", name);
    }
    let is_valid = |slug: &str| {
        !slug.is_empty()
            && slug.len() <= 63
            && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if slug.is_some_and(|slug| !is_valid(slug)) {
        faults.add(["slug"], "must consist of at most 63 lower-case letters, digits and `-`", "malformed");
    }
}

/// Requires that no tenant except `own` has one of these names. Names, slugs and ids share one namespace, because the
/// command line accepts any of them.
///
/// # Errors
/// `name_taken` otherwise.
pub fn require_free_names(reader: &Reader, own: Option<Uuid>, name: &str, slug: Option<&str>) -> Result<()> {
    let tenants = reader.scan::<Tenant>(SYSTEM, Scan::table())?.items;
    let mut others = tenants.iter().filter(|other| Some(other.id) != own);
    let is_called = |other: &Row<Tenant>, name: &str| {
        let same = |known: &str| known.to_lowercase() == name.to_lowercase();
        same(&other.name) || other.slug.as_deref().is_some_and(same) || same(&other.id.to_string())
    };
    match others.any(|other| is_called(other, name) || slug.is_some_and(|slug| is_called(other, slug))) {
        true => Err(Refusal::new(Code::NameTaken).detail("a tenant with this name already exists")),
        false => Ok(()),
    }
}

/// Returns the tenants of a user with the user's role in each, oldest membership first.
pub fn of_user(reader: &Reader, user: Uuid) -> storage::Result<Vec<(Row<Tenant>, Role)>> {
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
