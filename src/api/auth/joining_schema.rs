//! What the operations on invitations and sign-ups take and answer.

use super::schema::TenantSummary;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::Role;
use utoipa::ToSchema;

/// What an invitation is for.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenInvitationResponse {
    /// The tenant.
    pub tenant: TenantSummary,
    /// Whom it is for.
    pub email: String,
    /// What they will be able to do.
    pub role: Role,
    /// Who invites, by name.
    pub invited_by: Option<String>,
    /// What they write.
    pub message: Option<String>,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
    /// Whether the address has an account: then its password accepts, and else a new one is chosen.
    pub account_exists: bool,
}

/// Who accepts.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct AcceptInvitationRequest {
    /// The name shown, of somebody new.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: Option<String>,
    /// The password of the account; of somebody new, a new one of 12 to 256 characters. Whoever is signed in with the
    /// address needs none.
    #[schema(min_length = 1, max_length = 1024)]
    pub password: Option<String>,
}

impl Validate for AcceptInvitationRequest {
    fn validate(&self, faults: &mut Faults) {
        if let Some(name) = &self.display_name {
            faults.name("display_name", name);
        }
    }
}

/// Somebody who wants to come in.
#[derive(Clone, Deserialize, ToSchema)]
pub(crate) struct RegisterRequest {
    /// The tenant, by its short name or id.
    #[schema(min_length = 1, max_length = 100, example = "acme")]
    pub tenant: String,
    /// The address to log in with.
    #[schema(example = "ada@example.org")]
    pub email: String,
    /// A new password, 12 to 256 characters; where the address has an account, the password of that.
    #[schema(min_length = 12, max_length = 256)]
    pub password: String,
    /// The name shown.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
}

impl Validate for RegisterRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
        faults.name("display_name", &self.display_name);
    }
}

/// What still has to happen before somebody is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RegistrationStatus {
    /// The address is to be proved by the link in a letter.
    Mailed,
    /// An administrator has to decide.
    Waiting,
}

/// A sign-up that is under way.
#[derive(Serialize, ToSchema)]
pub(crate) struct RegistrationResponse {
    /// What still has to happen.
    pub status: RegistrationStatus,
}

/// The proof of an address.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmRegistrationRequest {
    /// What the link in the letter carries.
    #[schema(min_length = 1, max_length = 200)]
    pub token: String,
    /// The password that was chosen; where the address has an account, the password of that. So nobody is let in by a
    /// link in a letter that somebody else has caused.
    #[schema(min_length = 1, max_length = 1024)]
    pub password: String,
}

impl Validate for ConfirmRegistrationRequest {}
