//! What the HTTP layer itself needs of the server, apart from what its operations do.

use std::sync::Arc;

use storage::Store;

use super::credentials::{Cookies, Identity};
use super::limits::Limits;
use crate::config::Config;

/// State of the HTTP layer, as `web::Data<HttpState>`.
pub struct HttpState {
    /// Records, journals and blobs.
    pub store: Store,
    /// The settings.
    pub config: Arc<Config>,
    /// Who a credential belongs to; users, sessions and tokens are changed through it.
    pub identity: Arc<Identity>,
    /// Rate limits.
    pub limits: Arc<Limits>,
    /// The cookies of browsers.
    pub cookies: Cookies,
}
