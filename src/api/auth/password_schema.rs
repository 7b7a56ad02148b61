//! What the operations on passwords take and answer.

use super::joining_schema::RegistrationStatus;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A new password in the place of the one that is known.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordRequest {
    /// The password as it is.
    #[schema(min_length = 1, max_length = 1024)]
    pub current_password: String,
    /// The new one, 12 to 256 characters.
    #[schema(min_length = 12, max_length = 256)]
    pub new_password: String,
}

impl Validate for ChangePasswordRequest {}

/// Whose password is forgotten.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ForgottenPasswordRequest {
    /// The address to log in with.
    #[schema(example = "ada@example.org")]
    pub email: String,
}

impl Validate for ForgottenPasswordRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
    }
}

/// What became of a forgotten password.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForgottenPasswordResponse {
    /// `mailed`, whether the address has an account or not.
    pub status: RegistrationStatus,
}

/// A new password in the place of one that is forgotten.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetPasswordRequest {
    /// What the link in the letter carries.
    #[schema(min_length = 1, max_length = 200)]
    pub token: String,
    /// The new password, 12 to 256 characters.
    #[schema(min_length = 12, max_length = 256)]
    pub new_password: String,
}

impl Validate for ResetPasswordRequest {}
