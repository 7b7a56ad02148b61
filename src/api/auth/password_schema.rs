//! What the operations on passwords take and answer.

use super::joining_schema::RegistrationStatus;
use crate::http::{Faults, Validate};
use domain::accounts::users::check_email;
use domain::credentials::PASSWORD_LENGTH;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder, Type};

/// The schema of a field for a new password. Its length is stated by the domain, as the command line checks it too.
pub(super) fn new_password() -> Object {
    new_password_with("")
}

/// [`new_password`] with more to say about the field.
pub(super) fn new_password_with(remark: &str) -> Object {
    let (least, most) = (*PASSWORD_LENGTH.start(), *PASSWORD_LENGTH.end());
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(least))
        .max_length(Some(most))
        .description(Some(format!("A new password of {least} to {most} characters{remark}.")))
        .build()
}

/// A new password in the place of the one that is known.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordRequest {
    #[schema(min_length = 1, max_length = 1024)]
    pub current_password: String,
    /// The password to set.
    #[schema(schema_with = new_password)]
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
    /// The password to set.
    #[schema(schema_with = new_password)]
    pub new_password: String,
}

impl Validate for ResetPasswordRequest {}
