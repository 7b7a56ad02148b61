//! Audiences: the users to whom models and features are available. Models and features share this type.

use serde::{Deserialize, Serialize};
use storage::records::Audience;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::{Faults, Validate};

/// The kind of an audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudienceKind {
    /// All users of the tenant.
    Everyone,
    #[serde(rename = "nobody")]
    NoOne,
    /// The users and groups that are listed.
    Selected,
}

/// The audience to set.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AudienceRequest {
    /// Whether the audience is everyone, no one, or a selection.
    pub visibility: AudienceKind,
    /// With `selected`: the users of the tenant in the audience.
    #[serde(default)]
    #[schema(max_items = 500)]
    pub users: Vec<Uuid>,
    /// With `selected`: the groups of the tenant in the audience.
    #[serde(default)]
    #[schema(max_items = 500, example = json!([]))]
    pub groups: Vec<Uuid>,
}

impl Validate for AudienceRequest {
    fn validate(&self, faults: &mut Faults) {
        for (field, named) in [("users", &self.users), ("groups", &self.groups)] {
            if self.visibility != AudienceKind::Selected && !named.is_empty() {
                faults.add([field], "is only allowed with the visibility `selected`", "unexpected");
            }
        }
    }
}

impl From<AudienceRequest> for Audience {
    fn from(new: AudienceRequest) -> Self {
        let AudienceRequest { visibility, mut users, mut groups } = new;
        users.sort_unstable();
        users.dedup();
        groups.sort_unstable();
        groups.dedup();
        match visibility {
            AudienceKind::Everyone => Self::Everyone,
            AudienceKind::NoOne => Self::NoOne,
            AudienceKind::Selected => Self::Only { users, groups },
        }
    }
}

/// Declares a request type with the fields of [`AudienceRequest`], for requests that have separate names in the
/// OpenAPI document.
macro_rules! audience_request {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, serde::Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub $crate::api::tenant_admin::audience::AudienceRequest);

        impl $crate::http::Validate for $name {
            fn validate(&self, faults: &mut $crate::http::Faults) {
                self.0.validate(faults);
            }
        }
    };
}
pub(super) use audience_request;

/// The current audience.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AudienceResponse {
    /// Whether the audience is everyone, no one, or a selection.
    pub visibility: AudienceKind,
    /// With `selected`: the users in the audience.
    pub users: Vec<Uuid>,
    /// With `selected`: the groups in the audience.
    pub groups: Vec<Uuid>,
}

impl From<Audience> for AudienceResponse {
    fn from(audience: Audience) -> Self {
        let (visibility, users, groups) = match audience {
            Audience::Everyone => (AudienceKind::Everyone, Vec::new(), Vec::new()),
            Audience::NoOne => (AudienceKind::NoOne, Vec::new(), Vec::new()),
            Audience::Only { users, groups } => (AudienceKind::Selected, users, groups),
        };
        Self { visibility, users, groups }
    }
}
