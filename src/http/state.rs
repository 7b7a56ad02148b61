//! The server state that the HTTP layer itself needs, apart from the state of its operations.

use std::sync::Arc;

use storage::Store;

use super::credentials::{Cookies, Identity};
use super::limits::Limits;
use crate::config::Config;

/// State of the HTTP layer, as `web::Data<HttpState>`.
pub struct HttpState {
    /// Access to records, journals and blobs.
    pub store: Store,
    /// The settings of the server.
    pub config: Arc<Config>,
    /// Authenticates credentials. Users, sessions and tokens are changed through it.
    pub identity: Arc<Identity>,
    /// The rate limits by caller and by address.
    pub limits: Arc<Limits>,
    /// The cookies of browsers.
    pub cookies: Cookies,
}
