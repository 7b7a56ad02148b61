//! The application: what handlers share, and the index of its areas.

use crate::api;
use crate::config::Config;
use crate::http::credentials::{Cookies, Identity, LoginThrottle, Passwords};
use crate::http::wires::Progress;
use crate::http::{Area, Limits};
use actors::automation::Automations;
use actors::{Actors, Means};
use providers::Models;
use std::sync::Arc;
use std::time::Instant;
use storage::Store;

/// An area: its name, its path prefix, its operations.
type Entry = (&'static str, &'static str, fn(&mut Area));

/// The areas. Busy ones come first.
pub(crate) const AREAS: &[Entry] = &[
    ("conversations", "/api/conversations", api::conversations::operations),
    ("chat", "/api/chat", api::chat::operations),
    ("assistants", "/api/assistants", api::assistants::operations),
    ("automations", "/api/automations", api::automations::operations),
    ("knowledge-bases", "/api/knowledge-bases", api::knowledge_bases::operations),
    ("workflows", "/api/workflows", api::workflows::operations),
    ("skills", "/api/skills", api::skills::operations),
    ("audio", "/api/audio", api::audio::operations),
    ("memories", "/api/memories", api::memories::operations),
    ("utils", "/api/utils", api::texts::operations),
    ("video", "/api/video", api::video::operations),
    ("auth", "/api/auth", api::auth::operations),
    ("users", "/api/users", api::users::operations),
    ("tenant-admin", "/api/tenant-admin", api::tenant_admin::operations),
];

/// What every handler can reach, as `web::Data<App>`.
pub struct App {
    /// What stays.
    pub store: Store,
    /// What runs.
    pub actors: Actors,
    /// What runs by a schedule.
    pub automations: Automations,
    /// Models.
    pub models: Arc<Models>,
    /// Where scripts run.
    pub sandbox: sandbox::Sandbox,
    /// What work may use, and handlers, too.
    pub means: Arc<Means>,
    /// What is under way in conversations beside their streams.
    pub progress: Arc<Progress>,
    /// The settings.
    pub config: Arc<Config>,
    /// Who a credential belongs to; users, sessions and tokens are changed through it.
    pub identity: Arc<Identity>,
    /// Passwords.
    pub passwords: Passwords,
    /// How often logging in may fail.
    pub throttle: LoginThrottle,
    /// Rate limits.
    pub limits: Arc<Limits>,
    /// The cookies of browsers.
    pub cookies: Cookies,
    /// When the server started.
    pub started_at: Instant,
}
