//! The objects that assistants and their graphs may refer to.
//!
//! References from before a change may stay: users who share an assistant need not share everything that it uses. When
//! the assistant runs, the permissions of the user who runs it are checked.

use std::collections::HashSet;

use storage::records::{Assistant, KnowledgeBase, Shared, Skill, ToolServer};
use storage::{Reader, Record, Row};
use uuid::Uuid;

use super::access;
use super::change::AssistantInput;
use super::environment::{Environment, GraphUse, Reference};
use crate::{Caller, Faults, Result, sharing};

/// Checks that everything that an input refers to exists, and that the caller may see the new references.
///
/// # Errors
/// `invalid` with every fault.
pub(super) fn check(
    reader: &Reader,
    caller: &Caller,
    environment: &dyn Environment,
    input: &AssistantInput,
    before: &Assistant,
) -> Result<()> {
    let mut faults = Faults::new("body");
    let mut missing = |field: &str, at: Option<usize>, what: &str| {
        let at = at.map(|at| at.to_string());
        let loc = std::iter::once(field).chain(at.as_deref());
        faults.add(loc, format!("there is no such {what}"), "not_found");
    };
    if let Some(model) = input.model.as_set().filter(|model| before.model.as_ref() != Some(*model))
        && !environment.offered_models(reader, caller, &[model])?.contains(model)
    {
        missing("model", None, "model");
    }
    for (at, tool) in input.tools.as_set().into_iter().flatten().enumerate() {
        if !environment.is_builtin_tool(tool) {
            missing("tools", Some(at), "tool");
        }
    }
    for (at, skill) in input.skills.as_set().into_iter().flatten().enumerate() {
        if reachable::<Skill>(reader, caller, *skill, &before.skills)?.is_none() {
            missing("skills", Some(at), "skill");
        }
    }
    for (at, base) in input.knowledge_bases.as_set().into_iter().flatten().enumerate() {
        let found = reachable::<KnowledgeBase>(reader, caller, *base, &before.knowledge_bases)?;
        // An assistant's own knowledge can only be used by that assistant.
        if found.is_none_or(|base| base.assistant_id.is_some()) {
            missing("knowledge_bases", Some(at), "knowledge base");
        }
    }
    for (at, server) in input.tool_servers.as_set().into_iter().flatten().enumerate() {
        if !environment.is_private(&server.url) {
            let why = "begins with http:// and is not allowed by the settings (web.allow)";
            faults.add(["tool_servers", &at.to_string(), "url"], why, "not_private");
        }
    }
    // A graph that does not parse has already been refused.
    if let Some(graph) = input.workflow.as_set().and_then(|graph| environment.read_graph(graph)) {
        let before = before.workflow.as_ref().and_then(|graph| environment.read_graph(graph));
        check_graph(reader, caller, environment, &graph, before.as_ref(), &mut faults)?;
    }
    let grants = input.grants.as_set().map_or(&[][..], Vec::as_slice);
    sharing::check_grants(reader, caller.tenant, &before.grants, grants, &mut faults)?;
    faults.into_result()
}

/// Returns the object with this id, if the assistant already refers to it or the caller may see it.
fn reachable<T>(
    reader: &Reader,
    caller: &Caller,
    id: Uuid,
    already: &[Uuid],
) -> storage::Result<Option<Row<T>>>
where
    T: Record<Id = Uuid> + Shared,
{
    match already.contains(&id) {
        true => reader.get::<T>(caller.tenant, &id),
        false => sharing::visible::<T>(reader, caller, id),
    }
}

/// Adds a fault for each new reference of a graph to an object that the caller cannot see.
fn check_graph(
    reader: &Reader,
    caller: &Caller,
    environment: &dyn Environment,
    graph: &GraphUse,
    before: Option<&GraphUse>,
    faults: &mut Faults,
) -> Result<()> {
    let known: HashSet<&Reference> =
        before.iter().flat_map(|graph| &graph.references).map(|(_, reference)| reference).collect();
    let new = graph.references.iter().filter(|(_, reference)| !known.contains(reference));
    let new: Vec<_> = new.collect();
    let models: Vec<&str> = new
        .iter()
        .filter_map(|(_, reference)| match reference {
            Reference::Model(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let offered = match models.is_empty() {
        true => HashSet::new(),
        false => environment.offered_models(reader, caller, &models)?,
    };
    for (loc, reference) in new {
        let exists = match reference {
            Reference::KnowledgeBase(id) => {
                let base = sharing::visible::<KnowledgeBase>(reader, caller, *id)?;
                base.is_some_and(|base| base.assistant_id.is_none())
            }
            Reference::Assistant(id) => access::visible(reader, caller, *id)?.is_some(),
            Reference::Skill(id) => sharing::visible::<Skill>(reader, caller, *id)?.is_some(),
            Reference::Model(name) => offered.contains(name),
        };
        if !exists {
            let loc = ["workflow", "nodes"].into_iter().chain(loc.iter().map(String::as_str));
            faults.add(loc, format!("there is no such {}", reference.name()), "not_found");
        }
    }
    Ok(())
}

/// Checks that the assistant is connected to each tool server that its graph refers to, and may use the tool.
///
/// # Errors
/// `invalid` with a fault for each node.
pub(super) fn check_graph_tools(assistant: &Assistant, graph: &GraphUse) -> Result<()> {
    let mut faults = Faults::new("body");
    for tools in &graph.tools {
        let is_known = |name: &&String| match name.split_once('/') {
            Some((server, tool)) => {
                let lets = |it: &ToolServer| it.lets(tool) || (tool == "*" && tools.allows_wildcard);
                assistant.tool_servers.iter().any(|it| it.name == server && lets(it))
            }
            None => true,
        };
        if let Some(name) = tools.names.iter().find(|name| !is_known(name)) {
            let why = format!("no tool server of the assistant has the tool {name:?}");
            faults.add(["workflow", "nodes", &tools.node, "config", tools.field], why, "not_found");
        }
    }
    faults.into_result()
}
