//! The settings of the tenant: names, time zone, lifetimes, and who can join.

use actix_web::web::Data;
use domain::accounts::tenants::check_names;
use domain::administration::{self, Provision, UpdateSettings};
use serde::{Deserialize, Serialize};
use storage::calendar::Zone;
use storage::records::{Provisioning, Tenant};
use storage::{Reader, Row, TenantId, Timestamp, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Faults, HasVersion, IfMatch, Json, Patch, Validate, Versioned, operations, record_view,
};

/// Maximum number of domains that are validated individually. The schema refuses more, and a fault for each of
/// them would make the response large.
const CHECKED: usize = 100;

/// Changes to the tenant's settings. Omitted fields do not change.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateTenantSettingsRequest {
    /// The name of the tenant, which must be unique.
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// A short name with which users sign up: lower-case letters, digits and `-`.
    #[schema(value_type = Option<String>, max_length = 63, example = "acme")]
    pub slug: Patch<String>,
    /// The time zone of the days and months of reports, as an IANA name. `null` stands for UTC.
    #[schema(value_type = Option<String>, example = "Europe/Berlin")]
    pub time_zone: Patch<String>,
    /// The maximum lifetime of API tokens, in days. `null` selects the limit of the installation.
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 3650)]
    pub token_max_days: Patch<u32>,
    /// How long the stream of a finished run stays available, in seconds. `null` selects the setting of the
    /// installation.
    #[schema(value_type = Option<u64>, minimum = 60, maximum = 2592000)]
    pub stream_ttl_s: Patch<u64>,
    /// The version to change. If both this and `If-Match` are omitted, any version is accepted.
    pub version: Option<u64>,
}

impl Validate for UpdateTenantSettingsRequest {
    fn validate(&self, faults: &mut Faults) {
        check_names(faults, self.name.as_deref(), self.slug.as_set().map(String::as_str));
        if self.time_zone.as_set().is_some_and(|name| Zone::parse(name).is_none()) {
            faults.add(["time_zone"], "is not an IANA time zone", "unknown_value");
        }
    }
}

impl From<UpdateTenantSettingsRequest> for UpdateSettings {
    fn from(body: UpdateTenantSettingsRequest) -> Self {
        let UpdateTenantSettingsRequest { name, slug, time_zone, token_max_days, stream_ttl_s, version } =
            body;
        Self { name, slug, time_zone, token_max_days, stream_ttl_s, version }
    }
}

record_view! {
    /// The tenant's settings.
    #[derive(Debug, Serialize, ToSchema)]
    pub struct TenantSettingsResponse from (row, mail): (Row<Tenant>, bool), row.body => {
        id: Uuid = row.id,
        /// The name shown to users.
        name: String,
        /// The short name with which users sign up.
        slug: Option<String>,
        /// The time zone of the days and months of reports. `null` stands for UTC.
        time_zone: Option<String>,
        /// The maximum lifetime of API tokens, in days. `null` stands for the limit of the installation.
        token_max_days: Option<u32>,
        /// How long the stream of a finished run stays available, in seconds. `null` stands for the setting of
        /// the installation.
        stream_ttl_s: Option<u64>,
        /// Who can become a member without an invitation.
        provisioning_mode: Provisioning = row.body.provisioning,
        /// The domains whose email addresses can sign up. Empty if all can.
        domains: Vec<String>,
        /// Whether the server can send email. If it can, email addresses are verified.
        mail: bool = mail,
        /// The version of the tenant, which increases with every change. Other changes by administrators count
        /// as well.
        version: u64 = row.version,
        /// When the tenant was created.
        created_at: Timestamp = row.created_at,
        /// When the tenant was last changed.
        updated_at: Timestamp = row.updated_at,
    }
}

impl HasVersion for TenantSettingsResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// Who can join the tenant without an invitation.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UpdateProvisioningModeRequest {
    pub mode: Provisioning,
    /// The domains whose email addresses can sign up. If empty, all can. If omitted, the domains do not change.
    #[schema(max_items = 100, example = json!(["example.org"]))]
    pub domains: Option<Vec<String>>,
}

impl Validate for UpdateProvisioningModeRequest {
    fn validate(&self, faults: &mut Faults) {
        let domains = self.domains.as_deref().unwrap_or_default();
        for (at, domain) in domains.iter().enumerate().take(CHECKED) {
            let plain = |c: char| c.is_alphanumeric() || c == '-';
            let label = |label: &str| !label.is_empty() && label.chars().all(plain);
            if domain.len() > 253 || !domain.split('.').all(label) {
                faults.add(["domains", &at.to_string()], "is not a domain like example.org", "malformed");
            }
        }
    }
}

/// Who can join the tenant without an invitation.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProvisioningModeResponse {
    pub mode: Provisioning,
    /// The domains whose email addresses can sign up. Empty if all can.
    pub domains: Vec<String>,
    /// Whether addresses are verified by email. Without email, the address given at sign-up is accepted.
    pub mail: bool,
}

/// Retrieve the tenant's settings.
#[utoipa::path(get, path = "/api/tenant-admin/settings")]
async fn get_settings(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
) -> Api<Versioned<TenantSettingsResponse>> {
    let (tenant, mail) = (auth.tenant, app.mailer.is_open());
    let read = move |reader: &Reader| reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0);
    let row = app.store.read::<_, storage::Error>(read).await?;
    Ok(Versioned((row, mail).into()))
}

/// Update the tenant's settings.
#[utoipa::path(patch, path = "/api/tenant-admin/settings")]
async fn update_settings(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    if_match: IfMatch,
    Json(new): Json<UpdateTenantSettingsRequest>,
) -> Api<Versioned<TenantSettingsResponse>> {
    let (caller, mail) = (auth.caller(), app.mailer.is_open());
    let (precondition, new) = (if_match.precondition(), UpdateSettings::from(new));
    let change = move |tx: &mut Tx| administration::change_settings(tx, &caller, &precondition, new.clone());
    let row = app.store.run(change).await?;
    Ok(Versioned((row, mail).into()))
}

/// Set who can join the tenant without an invitation.
///
/// `directory` admits users whom the directory lists in a selected group, once they have verified their address
/// by email. If email is not configured, this mode is refused (409 `mail_missing`). `domains` does not restrict
/// invitations.
#[utoipa::path(put, path = "/api/tenant-admin/provisioning-mode")]
async fn update_provisioning_mode(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Json(new): Json<UpdateProvisioningModeRequest>,
) -> Api<Json<ProvisioningModeResponse>> {
    let (caller, mail) = (auth.caller(), app.mailer.is_open());
    let new = Provision { mode: new.mode, domains: new.domains };
    let set = move |tx: &mut Tx| administration::set_provisioning(tx, &caller, new.clone(), mail);
    let row = app.store.run(set).await?;
    let Tenant { provisioning, domains, .. } = row.body;
    Ok(Json(ProvisioningModeResponse { mode: provisioning, domains, mail }))
}

operations!(get_settings, update_settings, update_provisioning_mode);
