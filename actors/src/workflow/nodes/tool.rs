//! Tools that are called with a node's inputs.

use serde_json::Value;
use storage::records::{Assistant, SkillUsableIn};

use super::{Done, NodeError, Said, Task, one, unavailable};
use crate::library::Vectors;
use crate::toolbox::{Caller, Toolbox};
use crate::workflow::graph::ToolConfig;

/// Calls one of the server's own tools, or a function of the assistant's skills. Those of tool servers join them when
/// their area is built.
pub(super) async fn run(config: &ToolConfig, task: &Task) -> Result<Done, NodeError> {
    let tools = open(task, std::slice::from_ref(&config.tool)).await?;
    let arguments = Value::Object(task.inputs.clone());
    let result = tools.call(&config.tool, &arguments, &task.cancel).await;
    task.bill(tools.spent()).await;
    if task.cancel.is_cancelled() {
        return Err(NodeError::new("cancelled", "the attempt was ended"));
    }
    result.map(|result| Done::with(one("result", result))).map_err(|why| NodeError::new("tool", why))
}

/// The tools of these names, each of which has to be there.
pub(super) async fn open(task: &Task, names: &[String]) -> Result<Toolbox, NodeError> {
    if let Some(name) = names.iter().find(|name| name.contains('/')) {
        return Err(unavailable(&format!("the tool {name:?} belongs to a tool server, and none is set up")));
    }
    let failed = |why: storage::Error| NodeError::new("storage", why.to_string());
    let (tenant, assistant) = (task.tenant, task.assistant_id);
    let skills = task.means.store.read(move |reader| match assistant {
        Some(id) => Ok(reader.get::<Assistant>(tenant, &id)?.map(|row| row.body.skills)),
        None => Ok::<_, storage::Error>(None),
    });
    let skills = skills.await.map_err(failed)?.unwrap_or_default();
    let all = Toolbox::open(task.means.clone(), task.caller(), names, &skills).await.map_err(failed)?;
    all.only(names).map_err(|name| NodeError::new("not_found", format!("there is no tool {name:?}")))
}

impl Task {
    /// On whose behalf its tools are called.
    pub(super) fn caller(&self) -> Caller {
        Caller {
            tenant: self.tenant,
            user: self.user,
            assistant_id: self.assistant_id,
            conversation_id: None,
            run_id: None,
            place: SkillUsableIn::Workflow,
        }
    }

    /// Tells what searches took.
    pub(super) async fn bill(&self, spent: Vec<Vectors>) {
        for spent in spent.into_iter().filter(|spent| spent.usage != Default::default()) {
            let Vectors { model, usage, cost_nanos, estimated, .. } = spent;
            self.voice.say(Said::Usage { model, usage, cost_nanos, estimated }).await;
        }
    }
}
