//! The `tool` node: calls tools with the node's inputs.

use assist::library::Vectors;
use assist::toolbox::{CallUpdate, ToolError, Toolbox};
use providers::mcp::Progress;
use runs::Caller;
use runs::event::tool::ToolServerIssue;
use serde_json::Value;
use storage::records::{Assistant, SkillUsableIn};

use super::{NodeError, NodeMessage, NodeResult, Task, one};
use crate::graph::ToolConfig;

/// Calls a built-in tool, a function of the assistant's skills, or the tool `server/tool` of a tool server.
pub(super) async fn run(config: &ToolConfig, task: &Task) -> Result<NodeResult, NodeError> {
    let tools = open(task, std::slice::from_ref(&config.tool)).await?;
    let arguments = Value::Object(task.inputs.clone());
    let result = tools.call(&config.tool, &arguments, &task.cancel, &task.ear(&config.tool)).await;
    task.bill(tools.take_spent()).await;
    if task.cancel.is_cancelled() {
        return Err(NodeError::new("cancelled", "the attempt was ended"));
    }
    result.map(|result| NodeResult::with(one("result", result))).map_err(|why| why.into())
}

/// Opens the tools with these names. Returns an error if any of them does not exist.
pub(super) async fn open(task: &Task, names: &[String]) -> Result<Toolbox, NodeError> {
    let failed = |why: storage::Error| NodeError::new("storage", why.to_string());
    let (tenant, assistant) = (task.tenant, task.assistant_id);
    let skills = task.run_context.store.read(move |reader| match assistant {
        Some(id) => Ok(reader.get::<Assistant>(tenant, &id)?.map(|row| row.body.skills)),
        None => Ok::<_, storage::Error>(None),
    });
    let skills = skills.await.map_err(failed)?.unwrap_or_default();
    let all = Toolbox::open(task.run_context.clone(), task.caller(), names, &skills).await.map_err(failed)?;
    let outward: Vec<String> = names.iter().filter(|name| name.contains('/')).cloned().collect();
    let all = all.with_servers(Some(&outward)).await.map_err(failed)?;
    let issues = all.issues().to_vec();
    all.only(names).map_err(|name| missing(&name, &issues))
}

/// Explains why a tool does not exist: the problem of its tool server, if there is one.
fn missing(name: &str, issues: &[ToolServerIssue]) -> NodeError {
    let server = name.split_once('/').map(|(server, _)| server);
    match issues.iter().find(|trouble| Some(trouble.server.as_str()) == server) {
        Some(trouble) => NodeError {
            unsent: true,
            ..NodeError::new(
                &trouble.code,
                format!("the tool server {:?}: {}", trouble.server, trouble.message),
            )
        },
        None => {
            NodeError { unsent: true, ..NodeError::new("not_found", format!("there is no tool {name:?}")) }
        }
    }
}

impl From<ToolError> for NodeError {
    fn from(why: ToolError) -> Self {
        Self { unsent: why.unsent, ..Self::new(why.code, why.message) }
    }
}

impl Task {
    /// The principal on whose behalf tools are called.
    pub(super) fn caller(&self) -> Caller {
        Caller {
            tenant: self.tenant,
            user: self.user,
            assistant_id: self.assistant_id,
            conversation_id: None,
            run_id: None,
            place: SkillUsableIn::Workflow,
            fence: self.fence,
        }
    }

    /// Returns a callback that logs the progress of a tool call.
    pub(super) fn ear<'a>(&'a self, tool: &'a str) -> impl Fn(CallUpdate) + Send + Sync + 'a {
        move |heard| {
            let line = match heard {
                CallUpdate::Progress(Progress { progress, total, message }) => {
                    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
                    let words = message.map(|message| format!(": {message}")).unwrap_or_default();
                    format!("{tool} is at {progress}{of}{words}")
                }
                CallUpdate::Server(ToolServerIssue { server, code, message }) => {
                    format!("{server}: {code}: {message}")
                }
            };
            self.output_sender.send_without_waiting(NodeMessage::Log(line));
        }
    }

    /// Reports the usage of embedding models by searches.
    pub(super) async fn bill(&self, spent: Vec<Vectors>) {
        for spent in spent.into_iter().filter(|spent| spent.usage != Default::default()) {
            let Vectors { model, usage, cost_nanos, estimated, .. } = spent;
            self.output_sender.say(NodeMessage::Usage { model, usage, cost_nanos, estimated }).await;
        }
    }
}
