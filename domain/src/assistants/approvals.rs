//! External services that an assistant and its skills may use.

use std::collections::HashSet;

use serde_json::json;
use storage::records::{Assistant, GrantLevel, Skill, ToolServer};
use storage::{Reader, Row, Tx};
use uuid::Uuid;

use super::access;
use super::environment::ReadGraph;
use crate::audit::{Actor, audit};
use crate::{Caller, Faults, Precondition, Result};

/// Replaces the approved services of an assistant that the caller owns. Callers who act as another person are refused,
/// because an approval gives access to that person's logins. `version` is the version in the request itself.
///
/// # Errors
/// `impersonation_limited`, `not_found`, `not_allowed`, `stale`; `invalid` for each service that the assistant does not
/// request.
pub fn approve(
    tx: &mut Tx,
    caller: &Caller,
    read_graph: ReadGraph,
    id: Uuid,
    (precondition, version): (&Precondition, Option<u64>),
    services: &[String],
) -> Result<Row<Assistant>> {
    caller.require_in_person()?;
    let mut row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    precondition.check_both(version, "assistant", row.version)?;
    let requested = requested_services(tx, caller, read_graph, &row)?;
    let mut faults = Faults::new("body");
    for (at, service) in services.iter().enumerate().filter(|(_, service)| !requested.contains(*service)) {
        faults.add(
            ["services", &at.to_string()],
            format!("none of its skills requests {service:?}, and it has no tool server with that name"),
            "not_asked",
        );
    }
    faults.into_result()?;
    let mut services = services.to_vec();
    services.sort();
    services.dedup();
    let by = (!services.is_empty()).then_some(caller.user);
    if (&row.approved_external_services, row.approved_by) != (&services, by) {
        let detail = json!({"before": row.approved_external_services, "now": services});
        let target = format!("assistant {id}");
        audit(tx, caller.tenant, Actor::from(caller), "assistant.approve_services", target, detail)?;
        (row.approved_external_services, row.approved_by) = (services, by);
        row = tx.update(caller.tenant, row)?;
    }
    Ok(row)
}

/// Additionally approves those of `services` that an assistant requests, and returns them.
///
/// # Errors
/// The errors of [`approve`].
pub fn approve_requested(
    tx: &mut Tx,
    caller: &Caller,
    read_graph: ReadGraph,
    id: Uuid,
    services: &[String],
) -> Result<Vec<String>> {
    let row = access::at_least(tx, caller, id, GrantLevel::Owner)?;
    let requested = requested_services(tx, caller, read_graph, &row)?;
    let granted: Vec<String> =
        services.iter().filter(|service| requested.contains(*service)).cloned().collect();
    if !granted.is_empty() {
        let all: Vec<String> = row.approved_external_services.iter().chain(&granted).cloned().collect();
        approve(tx, caller, read_graph, id, (&Precondition::Any, None), &all)?;
    }
    Ok(granted)
}

/// Returns the services that the skills, the graph and the tool servers of an assistant need.
pub fn requested_services(
    reader: &Reader,
    caller: &Caller,
    read_graph: ReadGraph,
    assistant: &Assistant,
) -> storage::Result<HashSet<String>> {
    let mut requested: HashSet<String> = assistant.tool_servers.iter().map(ToolServer::service).collect();
    if let Some(graph) = assistant.workflow.as_ref().and_then(read_graph) {
        requested.extend(graph.logins.iter().map(|name| format!("service:{name}")));
        requested.extend(graph.searches_knowledge.then(|| "knowledge".to_owned()));
    }
    for skill in &assistant.skills {
        let skill = reader.get::<Skill>(caller.tenant, skill)?;
        requested.extend(skill.into_iter().flat_map(|row| row.body.services));
    }
    Ok(requested)
}
