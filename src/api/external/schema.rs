//! Requests and responses of logins at external services.

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::logins::check_return_to;
use crate::http::{Faults, Validate};

/// Options of a login. All fields are optional.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PrepareLoginBody {
    /// The id of another user's assistant that may use the login, if the assistant is approved for the service.
    /// The caller's own assistants may use the login without being named.
    pub assistant_id: Option<Uuid>,
    /// The path of this server to which the browser is redirected after the login. `login=ok` or
    /// `login_error=<code>` is added to its query.
    #[schema(max_length = 1000)]
    pub return_to: Option<String>,
}

impl Validate for PrepareLoginBody {
    fn validate(&self, faults: &mut Faults) {
        check_return_to(faults, self.return_to.as_deref());
    }
}

/// A prepared login.
#[derive(Debug, Serialize, ToSchema)]
pub struct PrepareLoginResponse {
    /// The URL to open in the user's browser.
    pub login_url: String,
    /// The nonce in the URL. It can be used once.
    pub nonce: String,
    /// The time by which the login must be completed.
    pub expires_at: Timestamp,
}

/// Query parameters that start a login.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginQuery {
    /// The nonce that `prepare` returned.
    pub nonce: String,
}

impl Validate for LoginQuery {}
