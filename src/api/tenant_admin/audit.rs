//! The audit record: who changed what.

use actix_web::web::Data;
use domain::administration::{self, AuditFilter, AuditPage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use storage::records::AuditRecord;
use storage::{Cursor, Reader, Row, Timestamp};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Faults, Json, Paging, Query, Validate, list_of, operations};

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
    fn filter(self) -> Api<AuditFilter> {
        let Self { actor, impersonated, action, target, limit, cursor } = self;
        let after = cursor.as_deref().map(Cursor::parse).transpose()?;
        Ok(AuditFilter { actor, impersonated, action, target, limit: limit as usize, after })
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

impl AuditResponse {
    fn from_row(row: Row<AuditRecord>, names: &BTreeMap<Uuid, String>) -> Self {
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
#[utoipa::path(get, path = "/api/tenant-admin/audit", params(ListAudit))]
async fn list_audit(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(params): Query<ListAudit>,
) -> Api<Json<AuditList>> {
    let (caller, filter) = (auth.caller(), params.filter()?);
    let read = move |reader: &Reader| administration::list_audit(reader, &caller, &filter);
    let AuditPage { page, names } = app.store.read(read).await?;
    Ok(Json(page.map(|row| AuditResponse::from_row(row, &names)).into()))
}

operations!(list_audit);
