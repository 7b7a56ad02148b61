//! The `function` node: calls functions of skills with the node's inputs.

use assist::skills::{self, Bill, FunctionError};
use serde_json::Value;
use storage::records::SkillUsableIn;

use super::{NodeError, NodeMessage, NodeResult, Task, one, unavailable};
use crate::graph::FunctionConfig;

/// Calls a function of the assistant's skills. The console output of the function is logged even if the function fails.
pub(super) async fn run(config: &FunctionConfig, task: &Task) -> Result<NodeResult, NodeError> {
    let missing =
        || NodeError::new("not_found", format!("the assistant has no function {:?}", config.function));
    let (tenant, skill, name) = (task.tenant, config.skill_id, config.function.clone());
    let assistant = task.assistant_id.ok_or_else(missing)?;
    let place = SkillUsableIn::Workflow;
    let found = task
        .run_context
        .store
        .read(move |reader| skills::find(reader, tenant, assistant, skill, &name, place));
    let found = found.await.map_err(|why| NodeError::new("storage", why.to_string()))?;
    let loaded = found.ok_or_else(missing)?;
    let (caller, arguments) = (task.caller(), Value::Object(task.inputs.clone()));
    let (skill, bill) = (Some(loaded.skill_id), Bill::default());
    let ran = tokio::select! {
        biased;
        // Dropping the call kills the function's process.
        () = task.cancel.cancelled() => None,
        ran = skills::execute(&task.run_context, &caller, skill, &loaded.content, &config.function, &arguments, &bill) => Some(ran),
    };
    task.bill(bill.into_inner()).await;
    let ran = ran.ok_or_else(|| NodeError::new("cancelled", "the attempt was ended"))?;
    match ran {
        Ok(ran) => {
            task.log(ran.logs).await;
            Ok(NodeResult::with(one("result", ran.result)))
        }
        Err(why) => Err(failure(task, why).await),
    }
}

async fn failure(task: &Task, why: FunctionError) -> NodeError {
    let message = why.to_string();
    let code = match &why {
        FunctionError::Unavailable(_) => return unavailable(&message),
        FunctionError::InvalidArguments(_) => "invalid_input",
        FunctionError::Timeout { .. } => "timeout",
        FunctionError::NotFound(_) | FunctionError::Failed { .. } => why.code(),
    };
    if let FunctionError::Failed { logs, .. } | FunctionError::Timeout { logs, .. } = why {
        task.log(logs).await;
    }
    NodeError::new(code, message)
}

impl Task {
    async fn log(&self, lines: Vec<String>) {
        for line in lines {
            self.output_sender.say(NodeMessage::Log(line)).await;
        }
    }
}
