//! What the operations on passwords take and answer.

use super::joining_schema::RegistrationStatus;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use domain::credentials::PASSWORD_LENGTH;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longer passwords are not looked at: hashing them would cost.
const LONGEST_ATTEMPT: usize = 1024;

/// A new password in the place of the one that is known.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordRequest {
    /// The password as it is.
    pub current_password: String,
    /// The new one, 12 to 256 characters.
    #[schema(min_length = 12, max_length = 256)]
    pub new_password: String,
}

impl Validate for ChangePasswordRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.length("current_password", &self.current_password, 1..=LONGEST_ATTEMPT);
        faults.length("new_password", &self.new_password, PASSWORD_LENGTH);
    }
}

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
    pub token: String,
    /// The new password, 12 to 256 characters.
    #[schema(min_length = 12, max_length = 256)]
    pub new_password: String,
}

impl Validate for ResetPasswordRequest {
    fn validate(&self, faults: &mut Faults) {
        faults.length("token", &self.token, 1..=200);
        faults.length("new_password", &self.new_password, PASSWORD_LENGTH);
    }
}
