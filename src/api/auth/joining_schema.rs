//! What the operations on invitations and sign-ups take and answer.

use super::password_schema::new_password_with;
use super::schema::TenantSummary;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use serde::{Deserialize, Serialize};
use storage::Timestamp;
use storage::records::Role;
use utoipa::ToSchema;
use utoipa::openapi::Object;

/// What an invitation is for.
#[derive(Serialize, ToSchema)]
pub(crate) struct OpenInvitationResponse {
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
    /// The name shown, of a new user.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: Option<String>,
    /// The password of the account; of a new user, a new one, as when registering. A user who is signed in with the
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

/// A user who signs up.
#[derive(Clone, Deserialize, ToSchema)]
pub(crate) struct RegisterRequest {
    /// The tenant, by its short name or id.
    #[schema(min_length = 1, max_length = 100, example = "acme")]
    pub tenant: String,
    /// The address to log in with.
    #[schema(example = "ada@example.org")]
    pub email: String,
    /// The password of the address, new or of its account.
    #[schema(schema_with = password_of_address)]
    pub password: String,
    /// The name shown.
    #[schema(min_length = 1, max_length = 100)]
    pub display_name: String,
}

fn password_of_address() -> Object {
    new_password_with("; where the address has an account, the password of that account")
}

impl Validate for RegisterRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
        faults.name("display_name", &self.display_name);
    }
}

/// What still has to happen before the user is a member.
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
    /// The password that was chosen; where the address has an account, the password of that. So the link
    /// alone, in an email that another person may have caused, admits no one.
    #[schema(min_length = 1, max_length = 1024)]
    pub password: String,
}

impl Validate for ConfirmRegistrationRequest {}
