//! A server in this process. Startup order: data folder, models, actors, HTTP.

use crate::App;
use crate::app::{self, INDEX};
use crate::catalog::Catalog;
use crate::config::{Config, ConfigError};
use crate::control_socket::ControlSocket;
use crate::http::credentials::{Cookies, Identity, LoginThrottle, Passwords, SignUpThrottle, SigningKeys};
use crate::http::{HttpState, Limits, LiveConnections, Refusal, WholeReads, serving};
use crate::invitation_mailer::InvitationMailer;
use crate::liveness::{self, Workers};
use crate::reload::{Environment, reload};
use crate::service_manager::ServiceManager;
use crate::signals::{Request, Signals};
use crate::tls::Certificates;
use actix_web::dev::ServerHandle;
use actix_web::web::{Data, ServiceConfig};
use assist::RunContext;
use assist::connections::Connections;
use assist::library::Library;
use assist::message_search::MessageSearch;
use assist::tool_servers::ToolServers;
use domain::accounts;
use domain::accounts::first_start::{FirstStart, first_start};
use jobs::automation::{Automations, SystemClock};
use jobs::delivery::{Deliveries, DeliveryStartError};
use jobs::directory_sync::Directories;
use jobs::ingest::refetch_outdated_pages;
use providers::web::WebClient;
use socket2::SockRef;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use storage::{OpenError, RoomState, Store};
use tokio::task::JoinHandle;

/// Interval at which the server checks whether the store has failed.
const STORE_CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// Time limit for shutting down after the store has failed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit for sending the last frame of all sockets when the server stops.
const SOCKET_CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A running server.
pub struct Server {
    /// The socket address that the server listens on.
    pub addr: SocketAddr,
    /// The first administrator of the data folder, until their first login.
    pub first_start: Option<FirstStart>,
    app: Data<App>,
    workers: Arc<Workers>,
    certificates: Option<Arc<Certificates>>,
    http: ServerHandle,
    /// A second handle of the listening socket. It is shut down before the server stops.
    listening: TcpListener,
    tasks: Vec<JoinHandle<()>>,
    serving: JoinHandle<io::Result<()>>,
    /// The control socket through which the command line requests backups.
    control: Option<ControlSocket>,
    /// The exporter of traces and metrics, if telemetry export is configured.
    exporter: Option<telemetry::export::Exporter>,
}

/// Why a server failed to start. The messages are written for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings contradict each other or refer to something that is not usable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The data folder cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The settings of a model provider are invalid.
    #[error("configuration of providers: {0}")]
    Providers(providers::ConfigError),
    /// The mail settings are invalid.
    #[error("configuration: {0}")]
    Mail(#[from] providers::mail::MailConfigError),
    /// The key that signs tokens cannot be read.
    #[error("signing key: {0}")]
    SigningKey(io::Error),
    /// The cost parameters of password hashing are invalid.
    #[error("auth.password_*: {0}")]
    Passwords(String),
    /// The server cannot listen on the address.
    #[error("cannot listen on {addr}: {source}{}", advice(source))]
    Listen {
        /// The configured address.
        addr: SocketAddr,
        /// The error reported by the operating system.
        source: io::Error,
    },
    /// The telemetry settings are invalid.
    #[error("configuration: {0}")]
    Telemetry(String),
    /// The store failed during startup.
    #[error("storage: {0}")]
    Storage(#[from] storage::Error),
    /// The delivery of notifications could not be started.
    #[error("notifications: {0}")]
    Notifications(#[from] DeliveryStartError),
    /// The environment variables for the first administrator are invalid, or the account could not be created.
    #[error("first administrator: {}", .0.shown_detail())]
    FirstStart(Refusal),
    /// The certificate cannot be used.
    #[error("{0}")]
    Certificate(String),
}

impl Server {
    /// Starts a server. Must be called within an actix system.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        telemetry::metrics::install();
        // Verify before anything is created: a start that fails because of a setting leaves no trace.
        config.verify()?;
        let config = Arc::new(config);
        let addr = config.server.listen;
        // Bind before the data folder is touched: a port in use is the most common mistake.
        let listen = || -> io::Result<(TcpListener, SocketAddr)> {
            let listener = TcpListener::bind(addr)?;
            let addr = listener.local_addr()?;
            Ok((listener, addr))
        };
        let (listener, addr) = listen().map_err(|source| StartError::Listen { addr, source })?;
        let tls = config.server.tls.as_ref();
        let certificates = tls.map(Certificates::read).transpose().map_err(StartError::Certificate)?;
        let mailer = Arc::new(InvitationMailer::new(&config, addr)?);
        let store = Store::open(config.store()?)?;
        let keys = SigningKeys::open(store.dir()).map_err(StartError::SigningKey)?;
        let hasher = config.auth.password_hasher();
        let hasher = hasher.map_err(|error| StartError::Passwords(error.to_string()))?;
        let first_start = first_start(&store, &hasher).map_err(StartError::FirstStart)?;
        let passwords = Passwords::new(hasher, config.auth.password_hashes_at_once as usize);
        let models = providers::Models::load(&config.providers()).await.map_err(StartError::Providers)?;
        crate::prices::load(&store, &models)?;
        let sandbox = sandbox::Sandbox::new(config.sandbox.sandbox());
        let web = WebClient::new(&config.web()).map_err(StartError::Providers)?;
        let connections = Connections::new(store.clone(), web.clone(), config.connections(addr)?);
        let run_context = Arc::new(RunContext {
            store: store.clone(),
            connections: connections.clone(),
            models: models.clone(),
            sandbox: sandbox.clone(),
            tool_servers: ToolServers::new(
                web.clone(),
                Arc::new(connections.clone()),
                config.tool_servers.settings(),
            ),
            web,
            library: Library::new(
                store.clone(),
                models.clone(),
                config.knowledge.library(store.dir(), config.limits.upload_bytes),
            ),
            max_turns: config.actors().max_turns,
        });
        // Start the exporter before the first run is recovered so that its spans are recorded too.
        let served = Arc::new(OnceLock::new());
        let exporter = start_telemetry(&config, served.clone())?;
        let handlers = crate::run_kinds::run_handlers(&config.run_kinds(), &run_context);
        let actors = runs::Actors::start(config.actors(), handlers, store.clone()).await?;
        let clock = Arc::new(SystemClock);
        let automations =
            Automations::start(runs::Runs::clone(&actors), clock, config.automations.settings());
        let clock = Arc::new(SystemClock);
        let directories =
            Directories::start(runs::Runs::clone(&actors), clock, config.directories.settings());
        let sending = config.notifications.settings(config.server.public_url.as_deref());
        let deliveries =
            Deliveries::start(store.clone(), run_context.web.clone(), mailer.mailer(), sending).await?;
        let message_search = MessageSearch::new(store.clone(), store.dir().join("message-index"));
        let http = HttpState {
            identity: Arc::new(Identity::new(store.clone(), keys)),
            limits: Arc::new(Limits::new(&config.limits)),
            cookies: Cookies::new(&config),
            store,
            config: config.clone(),
        };
        let app = Data::new(App {
            index: &INDEX,
            http: Arc::new(http),
            automations,
            directories,
            deliveries,
            passwords,
            throttle: LoginThrottle::new(&config.auth),
            sign_ups: SignUpThrottle::new(&config.auth),
            live_connections: Arc::new(LiveConnections::new(config.limits.live_connections)),
            whole_reads: Arc::new(WholeReads::new(config.limits.conversation_reads)),
            message_search: message_search.clone(),
            logo: config.branding.logo().map_err(ConfigError::from)?,
            mailer,
            started_at: Instant::now(),
            progress: Arc::default(),
            disabled: tokio::sync::Notify::new(),
            closing: tokio::sync::watch::Sender::new(false),
            drained: tokio::sync::watch::Sender::new(false),
            catalog: Catalog::new(
                &config.catalog.folders,
                config.catalog.index.as_deref(),
                run_context.web.clone(),
            ),
            actors,
            models,
            sandbox,
            run_context,
        });
        // Hold only a weak reference: the exporter must not keep the data folder open.
        let _ = served.set(Arc::downgrade(&app.clone().into_inner()));
        let fresh = app.config.knowledge.refetch_links().map(|after| {
            tasks::spawn(refetch_outdated_pages(runs::Runs::clone(&app.actors), Arc::new(SystemClock), after))
        });
        let mut tasks = vec![
            tasks::spawn(app.identity.clone().keep_last_used()),
            tasks::spawn(app.limits.clone().drop_idle_callers()),
            tasks::spawn(crate::metrics::upkeep()),
            tasks::spawn(sweep_blobs(app.store.clone())),
            tasks::spawn(watch_room(app.store.clone())),
            tasks::spawn(sweep_links(app.store.clone())),
            tasks::spawn(message_search.keep_up()),
            tasks::spawn(connections.tidy()),
        ];
        tasks.extend(fresh);
        let listening = listener.try_clone().map_err(|source| StartError::Listen { addr, source })?;
        let workers = Arc::new(Workers::default());
        let tls = certificates.as_ref().map(Certificates::server_config).transpose();
        let tls = tls.map_err(|error| StartError::Certificate(format!("TLS: {error}")))?;
        let shared = app.clone();
        let configure = move |config: &mut ServiceConfig| app::routes(config.app_data(shared.clone()));
        let server = serving::serve(Data::from(app.http.clone()), configure, workers.clone(), listener, tls)
            .map_err(|source| StartError::Listen { addr, source })?;
        let http = server.handle();
        let serving = tasks::spawn(server);
        let control = ControlSocket::listen(app.store.clone())
            .inspect_err(|error| tracing::warn!(%error, "no backup can be made while the server runs"))
            .ok();
        Ok(Self {
            addr,
            first_start,
            app,
            workers,
            certificates,
            http,
            listening,
            tasks,
            serving,
            control,
            exporter,
        })
    }

    /// The base URL of the server, without a trailing slash.
    pub fn base(&self) -> String {
        self.app.config.base(self.addr)
    }

    /// The URL of the listener itself. If the server listens on all addresses, this is one that the local machine can
    /// connect to.
    pub fn local_url(&self) -> String {
        let scheme = self.app.config.server.scheme();
        match self.addr.ip().is_unspecified() {
            true => format!("{scheme}://localhost:{}", self.addr.port()),
            false => format!("{scheme}://{}", self.addr),
        }
    }

    /// The state that all handlers share.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Stops the server: refuses new connections and new work, gives runs `grace` to finish, leaves the remaining runs
    /// to the recovery of the next start, and closes the data folder.
    pub async fn stop(self, grace: Duration) {
        self.app.actors.refuse();
        self.stop_accepting().await;
        // Streams that only wait for notifications end at once; streams of runs continue as long as their runs may
        // work.
        self.app.closing.send_replace(true);
        self.app.automations.stop();
        self.app.directories.stop();
        self.app.deliveries.stop();
        let remaining = self.app.actors.drain(grace).await;
        if remaining > 0 {
            tracing::info!(runs = remaining, "left for the next start");
        }
        self.close_sockets().await;
        // Cut off the remaining streams. Their readers attach again after the restart.
        self.http.stop(false).await;
        for task in &self.tasks {
            task.abort();
        }
        if let Ok(Err(error)) = self.serving.await {
            tracing::error!(%error, "the HTTP server failed");
        }
        self.app.identity.write_last_used().await;
        self.app.actors.stop().await;
        if let Some(control) = self.control {
            control.stop().await;
        }
        if let Some(exporter) = self.exporter {
            exporter.shutdown(self.app.config.telemetry.shutdown()).await;
        }
        self.app.store.close();
    }

    /// Refuses new connections at once so that clients can go to another server instead of waiting here until they time
    /// out.
    async fn stop_accepting(&self) {
        self.http.pause().await;
        if let Err(error) = SockRef::from(&self.listening).shutdown(Shutdown::Both) {
            tracing::debug!(%error, "connections are still accepted, but not served");
        }
    }

    /// Informs the clients of sockets that the server stops, and waits until they have received it. A client that does
    /// not read is not waited for any longer than [`SOCKET_CLOSE_TIMEOUT`].
    async fn close_sockets(&self) {
        self.app.drained.send_replace(true);
        let closed = tokio::time::timeout(SOCKET_CLOSE_TIMEOUT, self.app.drained.closed());
        if closed.await.is_err() {
            tracing::debug!("the client of a socket does not read that the server stops");
        }
    }

    /// Serves until a signal stops the server, and handles the other signals; see [`Signals`]. Informs the service
    /// manager when the server is ready, reloads and stops, and sends watchdog signals if the service manager expects
    /// them.
    ///
    /// # Errors
    /// The data folder rejected further writes, and the server stopped by itself. Its memory no longer matches the
    /// disk, and only a restart resolves this.
    pub async fn run(self, mut signals: Signals, around: &dyn Environment) -> io::Result<()> {
        let manager = Arc::new(ServiceManager::from_environment());
        let status = format!("Serving at {}", self.base());
        let watchdog = manager.watchdog().map(|period| {
            let (workers, store) = (self.workers.clone(), self.app.store.clone());
            tasks::spawn(keep_watchdog(manager.clone(), workers, store, period))
        });
        manager.ready(&status);
        let (store, actors) = (self.app.store.clone(), self.app.actors.clone());
        let mut config = Config::clone(&self.app.config);
        let end = loop {
            let request = tokio::select! {
                request = signals.next() => request,
                failure = failure_of(&store) => {
                    break End::Failed(format!("the data folder accepts no more writes: {failure}"));
                }
                why = actors.failed() => break End::Failed(why.to_owned()),
            };
            match request {
                Request::Stop(signal) => break End::Stopped(signal),
                Request::StopAtOnce(signal) => break End::StoppedAtOnce(signal),
                Request::Reload => {
                    manager.reloading();
                    match reload(&self.app, self.certificates.as_ref(), around, &mut config).await {
                        Ok(()) => manager.ready(&status),
                        Err(_) => manager.ready(&format!("{status}; the last reload failed, see the log")),
                    }
                }
            }
        };
        let grace = match &end {
            End::Failed(error) => {
                tracing::error!(%error, "stopping after a failure, to be restarted");
                Duration::ZERO
            }
            End::Stopped(signal) => {
                let grace = Duration::from_secs(config.runs.shutdown_grace_seconds);
                tracing::info!(signal, grace_seconds = grace.as_secs(), "stopping");
                grace
            }
            End::StoppedAtOnce(signal) => {
                tracing::info!(signal, "stopping without waiting for runs");
                Duration::ZERO
            }
        };
        manager.stopping("Stopping");
        around.listener_shuts();
        let failed = matches!(end, End::Failed(_));
        tokio::select! {
            () = self.stop(grace) => tracing::info!("stopped"),
            () = asked_to_stop(&mut signals) => tracing::warn!("stopped at once"),
            () = tokio::time::sleep(SHUTDOWN_TIMEOUT), if failed => tracing::warn!("stopped at once"),
        }
        if let Some(watchdog) = watchdog {
            watchdog.abort();
        }
        match end {
            End::Failed(error) => Err(io::Error::other(error)),
            End::Stopped(_) | End::StoppedAtOnce(_) => Ok(()),
        }
    }
}

/// Why the server stops.
enum End {
    /// The store has failed, with the reason.
    Failed(String),
    /// A signal requested a graceful stop; the name of the signal.
    Stopped(&'static str),
    /// A signal requested a stop without waiting for runs; the name of the signal.
    StoppedAtOnce(&'static str),
}

/// Waits for another signal that requests a stop.
async fn asked_to_stop(signals: &mut Signals) {
    while signals.next().await == Request::Reload {
        tracing::info!("the configuration is not reloaded while the server stops");
    }
}

/// Sends watchdog signals to the service manager at twice the required rate, as long as the liveness check passes.
async fn keep_watchdog(manager: Arc<ServiceManager>, workers: Arc<Workers>, store: Store, period: Duration) {
    loop {
        match liveness::check(&workers, &store, period / 4).await {
            Ok(()) => manager.alive(),
            Err(why) => tracing::error!(why, "the service manager is not notified"),
        }
        tokio::time::sleep(period / 2).await;
    }
}

/// Waits until the store has failed, and returns the reason.
async fn failure_of(store: &Store) -> String {
    loop {
        if let Some(error) = store.failure() {
            return error.to_owned();
        }
        tokio::time::sleep(STORE_CHECK_INTERVAL).await;
    }
}

/// Starts the export of traces and metrics if a receiver is configured. Metrics are exported once the application
/// exists.
fn start_telemetry(
    config: &Config,
    app: Arc<OnceLock<Weak<App>>>,
) -> Result<Option<telemetry::export::Exporter>, StartError> {
    let settings = config.telemetry.settings(&|name| std::env::var(name).ok());
    let Some(settings) = settings.map_err(StartError::Telemetry)? else { return Ok(None) };
    let render = move || app.get().and_then(Weak::upgrade).and_then(|app| crate::metrics::current(&app));
    let (traces, metrics) = (settings.traces.clone(), settings.metrics.clone());
    let exporter = telemetry::export::start(settings, Box::new(render));
    let exporter = exporter.map_err(|why| StartError::Telemetry(why.to_string()))?;
    match &exporter {
        Some(_) => tracing::info!(traces, metrics, "exporting telemetry"),
        None => tracing::warn!("another server of this process exports telemetry; this one does not"),
    }
    Ok(exporter)
}

/// A hint for the operator when the server cannot listen on its address.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; stop the program that listens there, or name another port with --listen"
        }
        io::ErrorKind::AddrNotAvailable => "; this machine has no such address",
        io::ErrorKind::PermissionDenied => "; use a port from 1024 on, with a proxy on the lower one",
        _ => "",
    }
}

/// Deletes files that no message refers to. Runs every hour.
async fn sweep_blobs(store: Store) {
    loop {
        tokio::time::sleep(Duration::from_secs(60 * 60)).await;
        match store.sweep_blobs().await {
            Ok(swept) if swept.is_empty() => {}
            Ok(swept) => tracing::info!(files = swept.len(), "deleted unreferenced files"),
            Err(why) => {
                telemetry::metrics::table::SWEEP_FAILURES.add(["blobs"], 1);
                tracing::warn!(%why, "unreferenced files could not be searched for");
            }
        }
    }
}

/// Logs when the disk of the data folder is nearly full or full, and when it has free space again.
async fn watch_room(store: Store) {
    let level = |room: RoomState| (room.is_low, room.is_exhausted);
    let mut known = (false, false);
    loop {
        let room = store.room();
        if level(room) != known {
            known = level(room);
            let free_mib = room.free >> 20;
            match known {
                (_, true) => {
                    tracing::error!(free_mib, "the disk is full: nothing is written until space is freed")
                }
                (true, false) => {
                    tracing::warn!(free_mib, "the disk is nearly full: new runs and uploads are refused");
                }
                (false, false) => tracing::info!(free_mib, "the disk has free space again"),
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// Deletes invitations and sign-ups that expired long ago. Runs every hour.
async fn sweep_links(store: Store) {
    loop {
        match accounts::sweep(&store).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "deleted expired invitations and sign-ups"),
            Err(why) => {
                telemetry::metrics::table::SWEEP_FAILURES.add(["invitations"], 1);
                tracing::warn!(%why, "expired invitations could not be deleted");
            }
        }
        tokio::time::sleep(Duration::from_secs(60 * 60)).await;
    }
}
