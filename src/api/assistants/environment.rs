//! Supplies the rules for assistants with models, tools and graphs of the run layer.

use std::collections::HashSet;

use assist::RunContext;
use assist::data::{self, Schema};
use assist::offer::ModelChoices;
use assist::toolbox::BUILTIN_TOOLS;
use domain::Caller;
use domain::assistants::{Environment, GraphUse};
use serde_json::Value;
use storage::{Reader, TenantId};
use uuid::Uuid;

use super::graph;

/// The models, tools and web addresses that runs of this server use.
pub struct RunEnvironment<'a>(pub &'a RunContext);

impl Environment for RunEnvironment<'_> {
    fn offered_models(
        &self,
        reader: &Reader,
        caller: &Caller,
        names: &[&str],
    ) -> storage::Result<HashSet<String>> {
        let choices = ModelChoices::read(reader, caller.tenant, caller.user)?;
        let offered = names.iter().filter(|name| choices.find(&self.0.models, name).is_some());
        Ok(offered.map(|name| (*name).to_owned()).collect())
    }

    fn is_builtin_tool(&self, name: &str) -> bool {
        BUILTIN_TOOLS.iter().any(|tool| tool.name == name)
    }

    fn is_private(&self, url: &str) -> bool {
        self.0.web.is_private(url)
    }

    fn read_graph(&self, graph: &Value) -> Option<GraphUse> {
        graph::read_graph(graph)
    }

    fn mismatching_items(
        &self,
        reader: &Reader,
        tenant: TenantId,
        assistant: Uuid,
        schema: &Value,
        limit: usize,
    ) -> storage::Result<Vec<(Uuid, String)>> {
        let Ok(schema) = Schema::read(schema) else { return Ok(Vec::new()) };
        let items = data::breaking(reader, tenant, assistant, &schema, limit)?;
        Ok(items.into_iter().map(|(item, fault)| (item, fault.to_string())).collect())
    }
}
