//! The settings of a tenant: names, time zone, retention, and who may join.

use serde_json::json;
use storage::records::{Provisioning, Tenant};
use storage::{Row, Tx};

use super::{decide, tenant};
use crate::accounts::joining;
use crate::accounts::tenants::require_free_names;
use crate::{Caller, Patch, Precondition, Result};

/// A change to the settings of a tenant.
#[derive(Clone, Debug, Default)]
pub struct UpdateSettings {
    /// The name, unique among names, slugs and ids of tenants. `None` does not change it.
    pub name: Option<String>,
    /// The short name used for sign-ups, unique in the same way.
    pub slug: Patch<String>,
    /// The IANA time zone that determines days and months in reports. If cleared, UTC.
    pub time_zone: Patch<String>,
    /// The maximum lifetime of an API token, in days. If cleared, the default of the installation.
    pub token_max_days: Patch<u32>,
    /// The time for which clients can attach to the stream of a finished run, in seconds. If cleared, the
    /// default of the installation.
    pub stream_ttl_s: Patch<u64>,
    /// The version that the caller has seen, if the body contains one.
    pub version: Option<u64>,
}

/// Who may join a tenant without an invitation.
#[derive(Clone, Debug)]
pub struct Provision {
    pub mode: Provisioning,
    /// The domains whose addresses may sign up, in any letter case; empty for all. `None` does not change
    /// them.
    pub domains: Option<Vec<String>>,
}

/// Changes the settings.
///
/// # Errors
/// `stale` for another version; `name_taken`.
pub fn change_settings(
    tx: &mut Tx,
    caller: &Caller,
    precondition: &Precondition,
    new: UpdateSettings,
) -> Result<Row<Tenant>> {
    let mut tenant = tenant(tx, caller)?;
    precondition.check_both(new.version, "tenant", tenant.version)?;
    let before = tenant.body.clone();
    let UpdateSettings { name, slug, time_zone, token_max_days, stream_ttl_s, .. } = new;
    tenant.name = name.unwrap_or_else(|| before.name.clone());
    slug.apply(&mut tenant.slug);
    time_zone.apply(&mut tenant.time_zone);
    token_max_days.apply(&mut tenant.token_max_days);
    stream_ttl_s.apply(&mut tenant.stream_ttl_s);
    if tenant.body == before {
        return Ok(tenant);
    }
    if (&tenant.name, &tenant.slug) != (&before.name, &before.slug) {
        require_free_names(tx, Some(tenant.id), &tenant.name, tenant.slug.as_deref())?;
    }
    let shown = |tenant: &Tenant| {
        let Tenant { name, slug, time_zone, token_max_days, stream_ttl_s, .. } = tenant;
        json!({"name": name, "slug": slug, "time_zone": time_zone, "token_max_days": token_max_days,
            "stream_ttl_s": stream_ttl_s})
    };
    let (target, detail) =
        (format!("tenant {}", tenant.id), json!({"from": shown(&before), "to": shown(&tenant)}));
    Ok(decide(tx, caller, tenant, "tenant.settings", target, detail)?)
}

/// Sets who may join without an invitation. `has_mail` is whether the server can send email.
///
/// # Errors
/// `mail_missing` for the mode `directory`, which verifies addresses by email.
pub fn set_provisioning(tx: &mut Tx, caller: &Caller, new: Provision, has_mail: bool) -> Result<Row<Tenant>> {
    if new.mode == Provisioning::Directory && !has_mail {
        return Err(joining::mail_missing());
    }
    let mut tenant = tenant(tx, caller)?;
    tenant.provisioning = new.mode;
    if let Some(domains) = new.domains {
        let mut domains: Vec<_> = domains.iter().map(|domain| domain.to_lowercase()).collect();
        domains.sort_unstable();
        domains.dedup();
        tenant.domains = domains;
    }
    let (target, detail) =
        (format!("tenant {}", tenant.id), json!({"mode": tenant.provisioning, "domains": tenant.domains}));
    Ok(decide(tx, caller, tenant, "tenant.provisioning", target, detail)?)
}
