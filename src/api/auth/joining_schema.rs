//! Requests and responses of invitations and sign-ups.

use super::password_schema::new_password_with;
use super::schema::TenantSummary;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::Role;
use utoipa::ToSchema;
use utoipa::openapi::Object;

/// An invitation, as the invited person sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenInvitationResponse {
    pub tenant: TenantSummary,
    /// Email address of the invited person.
    pub email: String,
    /// Role of the invited person in the tenant.
    pub role: Role,
    /// Name of the user who sent the invitation.
    pub invited_by: Option<String>,
    /// Message of the user who sent the invitation.
    pub message: Option<String>,
    /// When the invitation expires.
    pub expires_at: Timestamp,
    /// Whether the email address has an account. If so, its password accepts the invitation; otherwise a new password is chosen.
    pub account_exists: bool,
}

/// The data of the person who accepts an invitation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct AcceptInvitationRequest {
    /// Display name of a new user.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: Option<String>,
    /// Password of the account; for a new user, a new password with the same rules as for a registration. Not required if the user is
    /// signed in with the invited address.
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

/// A request to sign up for a tenant.
#[derive(Clone, Deserialize, ToSchema)]
pub(crate) struct RegisterRequest {
    /// Slug or id of the tenant.
    #[schema(min_length = 1, max_length = 100, example = "acme")]
    pub tenant: String,
    /// Email address for logging in.
    #[schema(example = "ada@example.org")]
    pub email: String,
    /// A new password, or the password of the address's existing account.
    #[schema(schema_with = password_of_address)]
    pub password: String,
    /// Display name of the user.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
}

fn password_of_address() -> Object {
    new_password_with("; if the address has an account, the password of that account")
}

impl Validate for RegisterRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
        faults.name("display_name", &self.display_name);
    }
}

/// The step that is required before the user becomes a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RegistrationStatus {
    /// The user must verify the email address with the link in an email.
    Mailed,
    /// An administrator must decide.
    Waiting,
}

/// A sign-up that is not complete.
#[derive(Serialize, ToSchema)]
pub(crate) struct RegistrationResponse {
    /// The next required step.
    pub status: RegistrationStatus,
}

/// The verification of an email address.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmRegistrationRequest {
    /// Token of the link in the email.
    #[schema(min_length = 1, max_length = 200)]
    pub token: String,
    /// The password that was chosen; if the address has an account, the password of that account. The link alone is not
    /// sufficient, because another person may have requested the email.
    #[schema(min_length = 1, max_length = 1024)]
    pub password: String,
}

impl Validate for ConfirmRegistrationRequest {}
