//! Notifies the owner of an automation about failures and recoveries.

use serde_json::{Map, json};
use storage::records::{Automation, AutomationRun, Notice, Severity};
use storage::{Row, TenantId, Tx, notices};

/// An event that the owner is notified about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AutomationNotice {
    /// The first failure, or the first failure after a success.
    Failed,
    /// The automation was switched off after too many consecutive failures.
    Paused {
        /// Number of consecutive failures.
        failures: u32,
    },
    /// The first success after failures.
    Recovered,
}

/// Notifies the owner, in the transaction of the change.
pub(super) fn notify(
    tx: &mut Tx,
    tenant: TenantId,
    automation: &Row<Automation>,
    line: &Row<AutomationRun>,
    notice: AutomationNotice,
) -> storage::Result<()> {
    if !automation.notify {
        return Ok(());
    }
    let name = &automation.name;
    let why = line.error.as_ref().map(|error| format!(" {}", error.message)).unwrap_or_default();
    let (kind, severity, title, body) = match notice {
        AutomationNotice::Failed => {
            ("automation.failed", Severity::Warning, format!("{name} failed"), format!("A run failed.{why}"))
        }
        AutomationNotice::Paused { failures } => (
            "automation.paused",
            Severity::Error,
            format!("{name} was switched off"),
            format!("{failures} runs in a row failed. It stays off until you switch it on again.{why}"),
        ),
        AutomationNotice::Recovered => (
            "automation.recovered",
            Severity::Info,
            format!("{name} works again"),
            "A run succeeded after earlier ones had failed.".to_owned(),
        ),
    };
    let mut data = Map::new();
    data.insert("automation_id".into(), json!(automation.id));
    data.insert("automation_run_id".into(), json!(line.id));
    data.insert("conversation_id".into(), json!(line.conversation_id));
    let notice = Notice {
        user: automation.owner,
        kind: kind.to_owned(),
        severity,
        title,
        body,
        link: Some(format!("/automations/{}", automation.id)),
        data,
        ..Notice::default()
    };
    notices::notify(tx, tenant, notice).map(drop)
}
