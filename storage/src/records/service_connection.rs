//! Logins of users at external services.

use crate::record::Record;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// That a user has logged in at an external service. Its id is (user, name of the service); the tokens are secrets and
/// not here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ServiceConnection {
    /// As whom, in the words of the service.
    pub account: Option<String>,
    /// What the service allowed.
    pub scopes: Vec<String>,
    /// When the login took place.
    pub connected_at: Timestamp,
    /// Until when it holds if the user does nothing; none where it is renewed for ever.
    pub expires_at: Option<Timestamp>,
}

impl Record for ServiceConnection {
    type Id = (Uuid, String);
    const TABLE: [u8; 2] = *b"xc";
    const NAME: &'static str = "service_connection";
}
