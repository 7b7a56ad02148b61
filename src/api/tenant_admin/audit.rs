//! The audit record: who changed what.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use storage::records::{AuditRecord, User};
use storage::{Cursor, Reader, Row, Scan, TenantId, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::conversations::sift;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Caller, Faults, Json, Paging, Query, Validate, list_of, operations};

/// Which entries to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAudit {
    /// Only what this user did, in their own name or in another's.
    pub actor: Option<Uuid>,
    /// Only what was done in another's name, or only what was not.
    pub impersonated: Option<bool>,
    /// Only this action, such as `user.create`; `user.` for all that begin so.
    #[param(max_length = 100)]
    pub action: Option<String>,
    /// Only what was done to this, such as `user 0197…`.
    #[param(max_length = 200)]
    pub target: Option<String>,
    /// How many.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for ListAudit {
    fn default() -> Self {
        Self { actor: None, impersonated: None, action: None, target: None, limit: 50, cursor: None }
    }
}

impl Validate for ListAudit {
    fn validate(&self, faults: &mut Faults) {
        Paging { limit: self.limit, cursor: self.cursor.clone() }.validate(faults);
    }
}

impl ListAudit {
    fn wants(&self, record: &AuditRecord) -> bool {
        let by = |who: Uuid| record.actor == who || record.act == Some(who);
        let action = |wanted: &String| match wanted.ends_with('.') {
            true => record.action.starts_with(wanted.as_str()),
            false => record.action == *wanted,
        };
        self.actor.is_none_or(by)
            && self.impersonated.is_none_or(|wanted| record.act.is_some() == wanted)
            && self.action.as_ref().is_none_or(action)
            && self.target.as_ref().is_none_or(|target| record.target == *target)
    }
}

/// A change.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditResponse {
    /// The entry's id.
    pub id: Uuid,
    /// When.
    pub ts: Timestamp,
    /// Who; the nil id for the command line.
    pub actor: Uuid,
    /// How they are called; `null` for the command line.
    pub actor_name: Option<String>,
    /// Who really acted, if in the actor's name.
    pub act: Option<Uuid>,
    /// How they are called.
    pub act_name: Option<String>,
    /// What was done.
    pub action: String,
    /// To what: kind and id.
    pub target: String,
    /// What else is worth knowing; never a secret.
    #[schema(value_type = Object)]
    pub detail: Value,
}

/// What people are called, by their ids.
type Names = BTreeMap<Uuid, String>;

impl AuditResponse {
    fn of(row: Row<AuditRecord>, names: &Names) -> Self {
        let AuditRecord { ts, actor, act, action, target, detail } = row.body;
        let (actor_name, act_name) =
            (names.get(&actor).cloned(), act.and_then(|act| names.get(&act).cloned()));
        Self { id: row.id, ts, actor, actor_name, act, act_name, action, target, detail }
    }
}

list_of! {
    /// Changes, newest first.
    pub AuditList of AuditResponse
}

/// List who changed what in the tenant.
///
/// Newest first. What was done in another's name carries `act`, the user who really did it.
#[utoipa::path(
    get,
    path = "/api/tenant-admin/audit",
    operation_id = "tenant-admin.list_audit",
    params(ListAudit)
)]
async fn list_audit(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<ListAudit>,
) -> Api<Json<AuditList>> {
    let caller = auth.caller();
    app.store.read(move |reader| list(reader, &caller, &asked)).await.map(Json)
}

fn list(reader: &Reader, caller: &Caller, asked: &ListAudit) -> Api<AuditList> {
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let read = |after, limit| {
        reader.scan::<AuditRecord>(caller.tenant, Scan::table().reverse().after(after).limit(limit))
    };
    let wanted = |row: &Row<AuditRecord>| Ok(asked.wants(row));
    let page = sift(after, asked.limit as usize, read, wanted)?;
    let names = names(reader, &page.items)?;
    Ok(page.map(|row| AuditResponse::of(row, &names)).into())
}

/// What those who did these things are called.
fn names(reader: &Reader, rows: &[Row<AuditRecord>]) -> storage::Result<Names> {
    let mut names = Names::new();
    for id in rows.iter().flat_map(|row| [Some(row.actor), row.act]).flatten() {
        if let Entry::Vacant(entry) = names.entry(id)
            && let Some(user) = reader.get::<User>(TenantId::SYSTEM, &id)?
        {
            entry.insert(user.body.display_name);
        }
    }
    Ok(names)
}

operations!(list_audit);
