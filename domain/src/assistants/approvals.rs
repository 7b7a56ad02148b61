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

/// Replaces the approved services of an assistant that the caller owns. A caller who acts as another person is refused:
/// an approval opens that person's logins. `version` is the version that the request itself names.
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
            format!("no skill of it requests {service:?}, and it has no tool server of that name"),
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

/// Approves, in addition to what is approved, those of `services` that an assistant requests, and returns them.
///
/// # Errors
/// As those of [`approve`].
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

/// The services that the skills of an assistant, its graph and its tool servers need.
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
