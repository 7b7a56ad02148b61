//! What a model may call in one run: the server's own tools, and the functions of skills.

mod names;
mod remember;

use std::sync::Arc;

use providers::ToolSpec;
use serde_json::Value;
use storage::TenantId;
use storage::records::SkillUsableIn;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::completion::tools;
use crate::library::Vectors;
use crate::means::Means;
use crate::skills::{self, Bill, Loaded};

pub use names::of as named;

/// On whose behalf tools are called.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// Whose run it is.
    pub tenant: TenantId,
    /// Whose rights it has.
    pub user: Uuid,
    /// The assistant that works.
    pub assistant_id: Option<Uuid>,
    /// The conversation it works in.
    pub conversation_id: Option<Uuid>,
    /// The run.
    pub run_id: Option<Uuid>,
    /// Conversation or workflow; [`SkillUsableIn::Both`] is neither and anything.
    pub place: SkillUsableIn,
}

/// What may be called.
pub struct Toolbox {
    means: Arc<Means>,
    caller: Caller,
    named: Vec<String>,
    functions: Vec<(String, Loaded)>,
    remembers: bool,
    spent: Bill,
}

impl Toolbox {
    /// The tools of these names, the functions of these skills that can be used where the caller is, and the one
    /// that writes memories down where the user wants that. Names of tools that there are not are passed over.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn open(
        means: Arc<Means>,
        caller: Caller,
        named: &[String],
        skills: &[Uuid],
    ) -> storage::Result<Self> {
        let mut known: Vec<String> = Vec::new();
        for name in named.iter().filter(|name| tools::find(name).is_some()) {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
        let (named, skills) = (known, skills.to_vec());
        let read = means.store.read(move |reader| {
            let loaded = skills::functions(reader, caller.tenant, &skills, caller.place)?;
            Ok::<_, storage::Error>((loaded, remember::is_wanted(reader, &caller)?))
        });
        let (loaded, remembers) = read.await?;
        let mut taken = named.clone();
        taken.extend(remembers.then(|| remember::NAME.to_owned()));
        let functions = names::of(loaded, taken);
        Ok(Self { means, caller, named, functions, remembers, spent: Bill::default() })
    }

    /// Only those of these names.
    ///
    /// # Errors
    /// The first name that is none of a tool here.
    pub fn only(mut self, names: &[String]) -> Result<Self, String> {
        let specs = self.specs();
        if let Some(missing) = names.iter().find(|name| !specs.iter().any(|spec| spec.name == **name)) {
            return Err(missing.clone());
        }
        self.named.retain(|name| names.contains(name));
        self.functions.retain(|(name, _)| names.contains(name));
        self.remembers &= names.iter().any(|name| name == remember::NAME);
        Ok(self)
    }

    /// What models are told of them.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let own = self.named.iter().filter_map(|name| tools::find(name)).map(|tool| tool.spec());
        let remember = self.remembers.then(remember::spec);
        let functions = self.functions.iter().map(|(name, loaded)| ToolSpec {
            name: name.clone(),
            description: loaded.function.description.clone(),
            parameters: Value::Object(loaded.function.parameters.clone()),
            ..ToolSpec::default()
        });
        own.chain(remember).chain(functions).collect()
    }

    /// Calls one; its output, or an error that the model can read. A function that runs is killed when `cancel`
    /// fires or the future is dropped.
    pub async fn call(
        &self,
        name: &str,
        arguments: &Value,
        cancel: &CancellationToken,
    ) -> Result<Value, String> {
        if self.remembers && name == remember::NAME {
            return remember::call(&self.means.store, &self.caller, arguments).await;
        }
        let Some((_, loaded)) = self.functions.iter().find(|(known, _)| known == name) else {
            return tools::call(&self.named, name, arguments);
        };
        let (function, skill) = (&loaded.function.name, Some(loaded.skill_id));
        let ran = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err("the call was cancelled".to_owned()),
            ran = skills::execute(&self.means, &self.caller, skill, &loaded.content, function, arguments, &self.spent) => ran,
        };
        ran.map(|ran| ran.result).map_err(|why| why.to_string())
    }

    /// What the searches of functions took since this was asked last, by model; without the vectors.
    pub fn spent(&self) -> Vec<Vectors> {
        std::mem::take(&mut *self.spent.lock())
    }
}
