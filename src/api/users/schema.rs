//! Requests and responses about the caller's own account.

use crate::api::auth::{TenantMembership, TenantSummary};
use crate::config::LimitsConfig;
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
    /// The email address.
    pub email: String,
    /// The name shown to other users.
    pub display_name: String,
    /// Whether the account belongs to a person or a program.
    pub kind: UserKind,
    /// Whether the user may manage tenants.
    pub platform_admin: bool,
    /// The tenant to which the credential belongs.
    pub tenant: TenantSummary,
    /// All tenants that the user belongs to.
    pub tenants: Vec<TenantMembership>,
    /// The role in the tenant to which the credential belongs.
    pub role: Role,
    /// The scopes that the credential currently has.
    pub scopes: Vec<String>,
    /// The features that are enabled for the user.
    pub features: Vec<String>,
    /// The user's own settings.
    pub preferences: UserPreferences,
    /// The text that is added to the prompts of the user's conversations.
    pub custom_prompt: Option<String>,
    /// The user who impersonates this user, if any.
    pub impersonated_by: Option<Uuid>,
    /// What can be attached to a message.
    pub uploads: UploadLimits,
    /// The version of the account, which starts at 1 and increases with every change.
    pub version: u64,
    /// When the account was created.
    pub created_at: storage::Timestamp,
}

/// What can be attached to a message of a conversation, so that a client can refuse a file before it is sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct UploadLimits {
    /// Maximum size of a file in bytes (`limits.upload_bytes`).
    #[schema(example = 33554432)]
    pub file_bytes: u64,
    /// Maximum number of files of a message (`limits.form_files`).
    #[schema(example = 20)]
    pub files_per_message: usize,
    /// The media types that are accepted; `*` stands for any. A model is given images if it has vision, and the text of other files.
    #[schema(example = json!(["*/*"]))]
    pub media_types: Vec<&'static str>,
}

impl From<&LimitsConfig> for UploadLimits {
    fn from(limits: &LimitsConfig) -> Self {
        let LimitsConfig { upload_bytes, form_files, .. } = *limits;
        Self { file_bytes: upload_bytes, files_per_message: form_files, media_types: vec!["*/*"] }
    }
}

impl HasVersion for CurrentUserResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// Changes to the account. Omitted fields do not change.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct UpdateCurrentUserBody {
    /// The name shown to other users, in all tenants.
    #[schema(min_length = 1, max_length = 100, example = "Ada Lovelace")]
    pub display_name: Option<String>,
    /// The version to change. If the current version differs, the response is 412.
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
        uploads: UploadLimits,
    ) -> Self {
        // An administrator who impersonates the user administers only this tenant, so the other tenants are not
        // shown.
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
            uploads,
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
