//! What all operations share.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use assist::RunContext;
use jobs::automation::Automations;
use jobs::delivery::Deliveries;
use jobs::directory_sync::Directories;
use providers::Models;
use runs::Actors;

use crate::catalog::Catalog;
use crate::http::credentials::{LoginThrottle, Passwords, SignUpThrottle};
use crate::http::encodings::Progress;
use crate::http::{HttpState, Index, WholeReads};
use crate::invitation_mailer::InvitationMailer;

/// What every handler can reach, as `web::Data<App>`.
pub struct App {
    /// All operations.
    pub index: &'static Index,
    /// What the HTTP layer needs; [`App`] dereferences to it.
    pub http: Arc<HttpState>,
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
    /// Passwords.
    pub passwords: Passwords,
    /// How often logging in may fail.
    pub throttle: LoginThrottle,
    /// How often anyone may sign up: counted apart, or else sign-ups under somebody's address, or from behind somebody's,
    /// would keep them from logging in.
    pub sign_ups: SignUpThrottle,
    /// Conversations that are read as a whole.
    pub whole_reads: Arc<WholeReads>,
    /// Letters.
    pub mailer: Arc<InvitationMailer>,
    /// When the server started.
    pub started_at: Instant,
}

impl Deref for App {
    type Target = HttpState;

    fn deref(&self) -> &HttpState {
        &self.http
    }
}
