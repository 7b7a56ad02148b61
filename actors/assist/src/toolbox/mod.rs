//! The tools that a model may call in one run: built-in tools, functions of skills, and tools of tool servers.

pub(crate) mod builtin;
mod names;
mod observed;
mod remember;
mod servers;

use std::sync::Arc;

use providers::ToolSpec;
use providers::mcp::Progress;
use runs::Caller;
use runs::event::tool::ToolServerIssue;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::library::Vectors;
use crate::run_context::RunContext;
use crate::skills::{self, Bill, LoadedFunction};
use observed::CallMetrics;
use servers::Servers;

pub use builtin::{BUILTIN_TOOLS, BuiltinTool};
pub use names::named;

/// An update about a call in progress.
#[derive(Clone, Debug, PartialEq)]
pub enum CallUpdate {
    /// The call reports its progress.
    Progress(Progress),
    /// The call's tool server has a problem or cannot be used.
    Server(ToolServerIssue),
}

/// Receives the updates of a call.
pub type CallObserver<'a> = &'a (dyn Fn(CallUpdate) + Send + Sync);

/// Why a call returned no output, in a form that the model can read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Stable code: `tool`, `login_required`, `timeout`, `cancelled`, ...
    pub code: &'static str,
    /// Message for models and people, without secrets.
    pub message: String,
    /// Whether it is certain that nothing was sent to another server.
    pub unsent: bool,
}

impl ToolError {
    fn unsent(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), unsent: true }
    }
}

impl From<String> for ToolError {
    fn from(message: String) -> Self {
        Self { code: "tool", message, unsent: false }
    }
}

/// A call to a tool server that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingCall {
    /// Name of the server in the assistant.
    pub server: String,
    /// Name of the tool on its server.
    pub tool: String,
    /// Whether the server declares that repeating the same call is safe.
    pub repeatable: bool,
}

/// The tools that may be called.
pub struct Toolbox {
    run_context: Arc<RunContext>,
    caller: Caller,
    named: Vec<String>,
    functions: Vec<(String, LoadedFunction)>,
    remembers: bool,
    servers: Option<Servers>,
    spent: Bill,
}

impl Toolbox {
    /// Opens the built-in tools with these names, the functions of these skills that can be used in the caller's place,
    /// and the tool that stores memories if the user wants it. Names of unknown tools are ignored.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn open(
        run_context: Arc<RunContext>,
        caller: Caller,
        named: &[String],
        skills: &[Uuid],
    ) -> storage::Result<Self> {
        let mut known: Vec<String> = Vec::new();
        for name in named.iter().filter(|name| builtin::find(name).is_some()) {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
        let named = known;
        // On this thread: it executes only runs, and a few rows are usually cached in memory.
        let (loaded, remembers) = run_context.store.read_now(|reader| {
            let loaded = skills::functions(reader, caller.tenant, skills, caller.place)?;
            Ok::<_, storage::Error>((loaded, remember::is_wanted(reader, &caller)?))
        })?;
        let mut taken = named.clone();
        taken.extend(remembers.then(|| remember::NAME.to_owned()));
        let functions = names::named(loaded, taken);
        Ok(Self { run_context, caller, named, functions, remembers, servers: None, spent: Bill::default() })
    }

    /// Adds the tools of the tool servers that the caller's assistant is connected to and approved for: those that
    /// `wanted` names (`server/tool`, `server/*`), or all. A server that does not respond within a few seconds is
    /// skipped; see [`Toolbox::issues`].
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn with_servers(mut self, wanted: Option<&[String]>) -> storage::Result<Self> {
        let mut servers = Servers::open(&self.run_context, self.caller, wanted).await?;
        servers.name(self.specs().into_iter().map(|spec| spec.name).collect());
        self.servers = Some(servers);
        Ok(self)
    }

    /// Problems with tool servers, including those that cannot be used.
    pub fn issues(&self) -> &[ToolServerIssue] {
        self.servers.as_ref().map_or(&[], |servers| &servers.issues)
    }

    /// Restricts the toolbox to the tools with these names.
    ///
    /// # Errors
    /// The first name that matches no tool.
    pub fn only(mut self, names: &[String]) -> Result<Self, String> {
        let specs = self.specs();
        let is_here = |name: &String| {
            specs.iter().any(|spec| spec.name == *name)
                || self
                    .servers
                    .as_ref()
                    .is_some_and(|all| all.calls.iter().any(|call| all.is_named(call, name)))
        };
        if let Some(missing) = names.iter().find(|name| !is_here(name)) {
            return Err(missing.clone());
        }
        if let Some(mut servers) = self.servers.take() {
            let mut calls = std::mem::take(&mut servers.calls);
            calls.retain(|call| names.iter().any(|name| servers.is_named(call, name)));
            servers.calls = calls;
            self.servers = Some(servers);
        }
        self.named.retain(|name| names.contains(name));
        self.functions.retain(|(name, _)| names.contains(name));
        self.remembers &= names.iter().any(|name| name == remember::NAME);
        Ok(self)
    }

    /// The descriptions of the tools for models.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let own = self.named.iter().filter_map(|name| builtin::find(name)).map(|tool| tool.spec());
        let remember = self.remembers.then(remember::spec);
        let functions = self.functions.iter().map(|(name, loaded)| ToolSpec {
            name: name.clone(),
            description: loaded.function.description.clone(),
            parameters: Value::Object(loaded.function.parameters.clone()),
            ..ToolSpec::default()
        });
        let servers = self.servers.iter().flat_map(|all| all.calls.iter().map(|call| all.spec(call)));
        own.chain(remember).chain(functions).chain(servers).collect()
    }

    /// The tool server and tool that a call with this name would reach. `None` for all other tools.
    pub fn outward(&self, name: &str) -> Option<OutgoingCall> {
        let servers = self.servers.as_ref()?;
        let (server, tool, repeatable) = servers.about(self.of_server(name)?);
        Some(OutgoingCall { server, tool, repeatable })
    }

    fn of_server(&self, name: &str) -> Option<&servers::ServerCall> {
        let servers = self.servers.as_ref()?;
        let by_name = servers.calls.iter().find(|call| call.name == name || servers.full_name(call) == name);
        by_name
            .or_else(|| servers.calls.iter().find(|call| name.contains('/') && servers.is_named(call, name)))
    }

    /// Calls a tool. Returns its output, or an error that the model can read. `ear` receives progress updates of a tool
    /// server. The call is stopped when `cancel` fires or the future is dropped: a function is terminated, and a tool
    /// server is notified.
    pub async fn call(
        &self,
        name: &str,
        arguments: &Value,
        cancel: &CancellationToken,
        ear: CallObserver<'_>,
    ) -> Result<Value, ToolError> {
        let observed = CallMetrics::begin(self.kind_of(name), name, arguments);
        observed.around(self.call_unobserved(name, arguments, cancel, ear)).await
    }

    /// Whether a tool is a built-in tool, a function of a skill, or a tool of a tool server.
    fn kind_of(&self, name: &str) -> &'static str {
        if self.of_server(name).is_some() {
            "server"
        } else if self.functions.iter().any(|(known, _)| known == name) {
            "function"
        } else {
            "builtin"
        }
    }

    async fn call_unobserved(
        &self,
        name: &str,
        arguments: &Value,
        cancel: &CancellationToken,
        ear: CallObserver<'_>,
    ) -> Result<Value, ToolError> {
        if self.remembers && name == remember::NAME {
            return Ok(remember::call(&self.run_context.store, &self.caller, arguments).await?);
        }
        if let (Some(servers), Some(call)) = (&self.servers, self.of_server(name)) {
            return tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                result = servers.call(call, arguments, ear) => result,
            };
        }
        let Some((_, loaded)) = self.functions.iter().find(|(known, _)| known == name) else {
            return Ok(builtin::call(&self.named, name, arguments)?);
        };
        let (function, skill) = (&loaded.function.name, Some(loaded.skill_id));
        let ran = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            ran = skills::execute(&self.run_context, &self.caller, skill, &loaded.content, function, arguments, &self.spent) => ran,
        };
        Ok(ran.map(|ran| ran.result).map_err(|why| why.to_string())?)
    }

    /// Returns the usage of functions' searches since the last call, by model, without the vectors.
    pub fn take_spent(&self) -> Vec<Vectors> {
        std::mem::take(&mut *self.spent.lock())
    }
}

fn cancelled() -> ToolError {
    ToolError { code: "cancelled", message: "the call was cancelled".to_owned(), unsent: false }
}
