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
    /// The supervisor of all runs: starts, attaches, cancels.
    pub actors: Actors,
    /// Starts the runs of automations by their schedules.
    pub automations: Automations,
    /// Synchronises groups with their directories.
    pub directories: Directories,
    /// Delivers notifications by mail, webhook and push.
    pub deliveries: Deliveries,
    /// The packages that can be installed.
    pub catalog: Catalog,
    /// The models of all providers.
    pub models: Arc<Models>,
    /// Runs scripts in child processes.
    pub sandbox: sandbox::Sandbox,
    /// What the work of runs uses: models, documents, the web, connections.
    pub run_context: Arc<RunContext>,
    /// Progress in conversations that is not part of their streams.
    pub progress: Arc<Progress>,
    /// Notified whenever assistants are disabled, for work that is done for them without a run.
    pub disabled: tokio::sync::Notify,
    /// Whether the server is about to stop.
    pub closing: tokio::sync::watch::Sender<bool>,
    /// Hashes and verifies passwords, a bounded number at once.
    pub passwords: Passwords,
    /// Limits failed logins.
    pub throttle: LoginThrottle,
    /// Limits sign-ups. Counted apart from logins, or else sign-ups with a user's address, or from behind the same network,
    /// would keep that user from logging in.
    pub sign_ups: SignUpThrottle,
    /// Limits reads of whole conversations.
    pub whole_reads: Arc<WholeReads>,
    /// Sends invitations, confirmations and password links.
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
