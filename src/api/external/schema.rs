//! What is asked for, and what is answered, at external services.

use serde::{Deserialize, Serialize};
use storage::Timestamp;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::logins::check_return_to;
use crate::http::{Faults, Validate};

/// How a login is meant; all of it may be left out.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PrepareLoginBody {
    /// An assistant of another user that may use the login, if it is approved for the service. The caller's own
    /// assistants need not be named.
    pub assistant_id: Option<Uuid>,
    /// Where the browser is sent at the end: a path of this server. `login=ok` or `login_error=<code>` is added to it.
    #[schema(max_length = 1000)]
    pub return_to: Option<String>,
}

impl Validate for PrepareLoginBody {
    fn validate(&self, faults: &mut Faults) {
        check_return_to(faults, self.return_to.as_deref());
    }
}

/// A login that may begin.
#[derive(Debug, Serialize, ToSchema)]
pub struct PrepareLoginResponse {
    /// What the user's browser opens.
    pub login_url: String,
    /// What stands in it; good for one time.
    pub nonce: String,
    /// Until when the login has to have ended.
    pub expires_at: Timestamp,
}

/// What opens a login.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoginQuery {
    /// What `prepare` answered.
    pub nonce: String,
}

impl Validate for LoginQuery {}
