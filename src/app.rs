//! The application: what handlers share, and the index of its areas.

use crate::api;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::http::credentials::{Cookies, Identity, LoginThrottle, Passwords, SignUpThrottle};
use crate::http::encodings::Progress;
use crate::http::{Area, Limits, WholeReads};
use crate::invitation_mailer::InvitationMailer;
use assist::RunContext;
use jobs::automation::Automations;
use jobs::delivery::Deliveries;
use jobs::directory_sync::Directories;
use providers::Models;
use runs::Actors;
use std::sync::Arc;
use std::time::Instant;
use storage::Store;
use storage::authority::Feature;

/// An area.
pub(crate) struct Entry {
    /// Its name.
    pub area: &'static str,
    /// How all of its paths begin.
    pub prefix: &'static str,
    /// What switches it off for whom the tenant's administrators say so.
    pub feature: Option<Feature>,
    /// Its operations.
    pub operations: fn(&mut Area),
}

const fn area(
    area: &'static str,
    prefix: &'static str,
    feature: Option<Feature>,
    operations: fn(&mut Area),
) -> Entry {
    Entry { area, prefix, feature, operations }
}

/// The areas. Busy ones come first.
#[rustfmt::skip]
pub(crate) const AREAS: &[Entry] = &[
    area("conversations", "/api/conversations", Some(Feature::Conversations), api::conversations::operations),
    area("chat", "/api/chat", Some(Feature::Chat), api::chat::operations),
    area("assistants", "/api/assistants", Some(Feature::Assistants), api::assistants::operations),
    area("automations", "/api/automations", Some(Feature::Automations), api::automations::operations),
    area("knowledge-bases", "/api/knowledge-bases", Some(Feature::KnowledgeBases), api::knowledge_bases::operations),
    area("workflows", "/api/workflows", Some(Feature::Workflows), api::workflows::operations),
    area("skills", "/api/skills", Some(Feature::Skills), api::skills::operations),
    area("audio", "/api/audio", Some(Feature::Audio), api::audio::operations),
    area("memories", "/api/memories", Some(Feature::Memories), api::memories::operations),
    area("utils", "/api/utils", Some(Feature::Utils), api::utils::operations),
    area("video", "/api/video", Some(Feature::Video), api::video::operations),
    area("projects", "/api/projects", Some(Feature::Projects), api::projects::operations),
    area("teams", "/api/teams", Some(Feature::Teams), api::teams::operations),
    area("auth", "/api/auth", None, api::auth::operations),
    area("users", "/api/users", None, api::users::operations),
    area("groups", "/api/groups", None, api::groups::operations),
    area("tenant-admin", "/api/tenant-admin", None, api::tenant_admin::operations),
    area("control-tower", "/api/control-tower", None, api::control_tower::operations),
    area("catalog", "/api/catalog", Some(Feature::Catalog), api::catalog::operations),
    area("notifications", "/api/notifications", None, api::notifications::operations),
    area("mcp", "/api/mcp/oauth", Some(Feature::Mcp), api::mcp::operations),
    area("external", "/api/external", Some(Feature::External), api::external::operations),
];

/// What every handler can reach, as `web::Data<App>`.
pub struct App {
    /// What stays.
    pub store: Store,
    /// What runs.
    pub actors: Actors,
    /// What runs by a schedule.
    pub automations: Automations,
    /// Directories that groups come from.
    pub directories: Directories,
    /// Notifications on their way out.
    pub deliveries: Deliveries,
    /// Packages.
    pub catalog: Catalog,
    /// Models.
    pub models: Arc<Models>,
    /// Where scripts run.
    pub sandbox: sandbox::Sandbox,
    /// What work may use, and handlers, too.
    pub run_context: Arc<RunContext>,
    /// What is under way in conversations beside their streams.
    pub progress: Arc<Progress>,
    /// Rung whenever assistants were disabled, for what works for them without a run.
    pub disabled: tokio::sync::Notify,
    /// Whether the server is about to stop.
    pub closing: tokio::sync::watch::Sender<bool>,
    /// The settings.
    pub config: Arc<Config>,
    /// Who a credential belongs to; users, sessions and tokens are changed through it.
    pub identity: Arc<Identity>,
    /// Passwords.
    pub passwords: Passwords,
    /// How often logging in may fail.
    pub throttle: LoginThrottle,
    /// How often anyone may sign up: counted apart, or else sign-ups under somebody's address, or from behind somebody's,
    /// would keep them from logging in.
    pub sign_ups: SignUpThrottle,
    /// Conversations that are read as a whole.
    pub whole_reads: Arc<WholeReads>,
    /// Rate limits.
    pub limits: Arc<Limits>,
    /// The cookies of browsers.
    pub cookies: Cookies,
    /// Letters.
    pub mailer: Arc<InvitationMailer>,
    /// When the server started.
    pub started_at: Instant,
}
