//! What users see of themselves.

use crate::api::auth::{TenantMembership, TenantSummary};
use crate::http::{Caller, Faults, HasVersion, Validate};
use serde::{Deserialize, Serialize};
use storage::Row;
use storage::authority::Feature;
use storage::records::{Role, Tenant, User, UserKind, UserPreferences};
use utoipa::ToSchema;
use uuid::Uuid;

/// The caller's own account.
#[derive(Serialize, ToSchema)]
pub(crate) struct CurrentUserResponse {
    /// The user's id.
    pub id: Uuid,
    /// The address.
    pub email: String,
    /// The name shown.
    pub display_name: String,
    /// Person or program.
    pub kind: UserKind,
    /// Whether they may manage tenants.
    pub platform_admin: bool,
    /// The tenant of the credential.
    pub tenant: TenantSummary,
    /// Every tenant the user belongs to.
    pub tenants: Vec<TenantMembership>,
    /// The role in the tenant of the credential.
    pub role: Role,
    /// Everything the credential allows at present.
    pub scopes: Vec<String>,
    /// The features that are switched on for the user.
    pub features: Vec<String>,
    /// The user's choices.
    pub preferences: UserPreferences,
    /// A text added to the prompts of the user's conversations.
    pub custom_prompt: Option<String>,
    /// Who really acts, if the user is impersonated.
    pub impersonated_by: Option<Uuid>,
    /// How often the account was written, from 1.
    pub version: u64,
    /// When the account was made.
    pub created_at: storage::Timestamp,
}

impl HasVersion for CurrentUserResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// What the account is to be; what is left out stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct UpdateCurrentUserBody {
    /// The name shown, in all tenants.
    #[schema(min_length = 1, max_length = 100, example = "Ada Lovelace")]
    pub display_name: Option<String>,
    /// The version that is changed; if it is another by now, the answer is 412.
    pub version: Option<u64>,
}

impl Validate for UpdateCurrentUserBody {
    const TRIMMED: &'static [&'static str] = &["display_name"];

    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.display_name {
            faults.name("display_name", name.trim());
        }
    }
}

impl CurrentUserResponse {
    pub fn new(
        caller: &Caller,
        user: Row<User>,
        tenant: Row<Tenant>,
        tenants: Vec<(Row<Tenant>, Role)>,
    ) -> Self {
        // An administrator who acts as the user administers this tenant only, so the others are not shown.
        let theirs = |(row, _): &(Row<Tenant>, Role)| caller.act.is_none() || row.id == caller.tenant.0;
        Self {
            id: user.id,
            version: user.version,
            created_at: user.created_at,
            tenant: tenant.into(),
            tenants: tenants.into_iter().filter(theirs).map(TenantMembership::from).collect(),
            role: caller.role,
            scopes: caller.effective_scopes().names(),
            features: features(caller),
            impersonated_by: caller.act,
            email: user.body.email,
            display_name: user.body.display_name,
            kind: user.body.kind,
            platform_admin: user.body.platform_admin,
            preferences: user.body.preferences,
            custom_prompt: user.body.custom_prompt.filter(|_| caller.act.is_none()),
        }
    }
}

fn features(caller: &Caller) -> Vec<String> {
    let on = Feature::ALL.iter().filter(|feature| caller.features.contains(**feature));
    on.map(|feature| feature.key().to_owned()).collect()
}
