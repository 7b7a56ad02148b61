//! What a model may call in one run: the server's own tools, the functions of skills, and the tools of tool servers.

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

/// What is heard of a call while it is under way.
#[derive(Clone, Debug, PartialEq)]
pub enum CallUpdate {
    /// How far it has come.
    Progress(Progress),
    /// Its tool server cannot be used as it should be.
    Server(ToolServerIssue),
}

/// Who listens to a call.
pub type CallObserver<'a> = &'a (dyn Fn(CallUpdate) + Send + Sync);

/// Why a call gave nothing, in words that the model can read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Stable code: `tool`, `login_required`, `timeout`, `cancelled`, ...
    pub code: &'static str,
    /// For models and people, without secrets.
    pub message: String,
    /// Whether surely nothing has reached another server.
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

/// A call of a tool server's tool that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingCall {
    /// The assistant's name for the server.
    pub server: String,
    /// The server's name for the tool.
    pub tool: String,
    /// Whether the server says that the same call once more does no harm.
    pub repeatable: bool,
}

/// What may be called.
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
    /// The tools of these names, the functions of these skills that can be used where the caller is, and the one
    /// that writes memories down where the user wants that. Names of tools that there are not are passed over.
    ///
    /// # Errors
    /// Those of storage.
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
        // On this thread: it serves runs only, and a few rows are mostly in memory.
        let (loaded, remembers) = run_context.store.read_now(|reader| {
            let loaded = skills::functions(reader, caller.tenant, skills, caller.place)?;
            Ok::<_, storage::Error>((loaded, remember::is_wanted(reader, &caller)?))
        })?;
        let mut taken = named.clone();
        taken.extend(remembers.then(|| remember::NAME.to_owned()));
        let functions = names::named(loaded, taken);
        Ok(Self { run_context, caller, named, functions, remembers, servers: None, spent: Bill::default() })
    }

    /// With the tools of the tool servers that the caller's assistant is connected to and approved for: those that
    /// `wanted` names (`server/tool`, `server/*`), or all. A server that does not answer within a few seconds is not
    /// waited for; see [`Toolbox::troubles`].
    ///
    /// # Errors
    /// Those of storage.
    pub async fn with_servers(mut self, wanted: Option<&[String]>) -> storage::Result<Self> {
        let mut servers = Servers::open(&self.run_context, self.caller, wanted).await?;
        servers.name(self.specs().into_iter().map(|spec| spec.name).collect());
        self.servers = Some(servers);
        Ok(self)
    }

    /// The tool servers that cannot be used as they should be.
    pub fn troubles(&self) -> &[ToolServerIssue] {
        self.servers.as_ref().map_or(&[], |servers| &servers.troubles)
    }

    /// Only those of these names.
    ///
    /// # Errors
    /// The first name that is none of a tool here.
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

    /// Their descriptions for models.
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

    /// What a call of this name would call at a tool server; none for all other tools.
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

    /// Calls one; its output, or an error that the model can read. `ear` hears how far a tool of a tool server has come.
    /// What runs is stopped when `cancel` fires or the future is dropped: a function is killed, a tool server told.
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

    /// Where the tool of a name comes from.
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

    /// What the searches of functions took since this was asked last, by model; without the vectors.
    pub fn take_spent(&self) -> Vec<Vectors> {
        std::mem::take(&mut *self.spent.lock())
    }
}

fn cancelled() -> ToolError {
    ToolError { code: "cancelled", message: "the call was cancelled".to_owned(), unsent: false }
}
