//! The installation, in responses.

use serde::Serialize;
use utoipa::ToSchema;

/// The installation, as it is known to users who have not signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct BootstrapResponse {
    /// Version of the server.
    #[schema(example = "1.0.0")]
    pub version: &'static str,
    /// Name of the installation (`branding.name`).
    #[schema(example = "Understudy")]
    pub name: String,
    /// Path of the logo below the address of the server; `null` if there is none.
    pub logo_url: Option<String>,
    /// Whether no user has signed in yet: the server printed the password of the administrator when it started.
    pub is_first_start: bool,
    /// Whether users can sign up without an invitation in at least one tenant.
    pub sign_up: bool,
    /// Whether the server sends emails, such as links for a forgotten password.
    pub mail: bool,
    /// How users can sign in.
    pub sign_in_methods: Vec<SignInMethod>,
}

/// A way to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    /// Email address and password: `POST /api/auth/login/`.
    Password,
}
