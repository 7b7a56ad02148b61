//! Requests and responses of password operations.

use super::joining_schema::RegistrationStatus;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use domain::credentials::PASSWORD_LENGTH;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder, Type};

/// Returns the schema of a field for a new password. The domain defines the length, because the command line checks it too.
pub(super) fn new_password() -> Object {
    new_password_with("")
}

/// Like [`new_password`], with a remark that is appended to the description.
pub(super) fn new_password_with(remark: &str) -> Object {
    let (least, most) = (*PASSWORD_LENGTH.start(), *PASSWORD_LENGTH.end());
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(least))
        .max_length(Some(most))
        .description(Some(format!("A new password of {least} to {most} characters{remark}.")))
        .build()
}

/// A change of a known password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordRequest {
    #[schema(min_length = 1, max_length = 1024)]
    pub current_password: String,
    /// The password to set.
    #[schema(schema_with = new_password)]
    pub new_password: String,
}

impl Validate for ChangePasswordRequest {}

/// A request for a password link.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ForgottenPasswordRequest {
    /// Email address for logging in.
    #[schema(example = "ada@example.org")]
    pub email: String,
}

impl Validate for ForgottenPasswordRequest {
    fn validate(&self, faults: &mut Faults) {
        check_email(faults, "email", &self.email);
    }
}

/// The response to a request for a password link.
#[derive(Serialize, ToSchema)]
pub(crate) struct ForgottenPasswordResponse {
    /// Always `mailed`, whether or not the address has an account.
    pub status: RegistrationStatus,
}

/// A new password to replace a forgotten one.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetPasswordRequest {
    /// Token of the link in the email.
    #[schema(min_length = 1, max_length = 200)]
    pub token: String,
    /// The password to set.
    #[schema(schema_with = new_password)]
    pub new_password: String,
}

impl Validate for ResetPasswordRequest {}
