//! The state shared by all operations.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use assist::RunContext;
use assist::message_search::MessageSearch;
use jobs::automation::Automations;
use jobs::delivery::Deliveries;
use jobs::directory_sync::Directories;
use providers::Models;
use runs::Actors;

use crate::catalog::Catalog;
use crate::config::BrandingLogo;
use crate::http::credentials::{LoginThrottle, Passwords, SignUpThrottle};
use crate::http::encodings::Progress;
use crate::http::{HttpState, Index, LiveConnections, WholeReads};
use crate::invitation_mailer::InvitationMailer;

/// The state that every handler can access, as `web::Data<App>`.
pub struct App {
    /// The index of all operations.
    pub index: &'static Index,
    /// The state of the HTTP layer; [`App`] dereferences to it.
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
    /// Finds messages by their words.
    pub message_search: MessageSearch,
    /// Runs scripts in child processes.
    pub sandbox: sandbox::Sandbox,
    /// The resources that the work of runs uses: models, documents, the web, connections.
    pub run_context: Arc<RunContext>,
    /// Progress in conversations that is not part of their streams.
    pub progress: Arc<Progress>,
    /// Notified whenever assistants are disabled, for work on their behalf that is not a run.
    pub disabled: tokio::sync::Notify,
    /// Whether the server is shutting down.
    pub closing: tokio::sync::watch::Sender<bool>,
    /// Whether the server no longer waits for runs, so that the remaining sockets close.
    pub drained: tokio::sync::watch::Sender<bool>,
    /// Hashes and verifies passwords, a bounded number at once.
    pub passwords: Passwords,
    /// Limits failed logins.
    pub throttle: LoginThrottle,
    /// Limits sign-ups. They are counted separately from logins. Otherwise sign-ups with a user's address, or from the
    /// same network, would prevent that user from logging in.
    pub sign_ups: SignUpThrottle,
    /// Limits the live connections of each user.
    pub live_connections: Arc<LiveConnections>,
    /// Limits reads of whole conversations.
    pub whole_reads: Arc<WholeReads>,
    /// The logo of the installation.
    pub logo: Option<BrandingLogo>,
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
