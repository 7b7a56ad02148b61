//! The audit log of administrative changes.

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

/// The entries to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ListAudit {
    /// Returns only changes that this user made, as themselves or while impersonating another user.
    pub actor: Option<Uuid>,
    /// Returns only changes made (`true`) or not made (`false`) by an impersonating user.
    pub impersonated: Option<bool>,
    /// Returns only this action, such as `user.create`. A trailing period matches a prefix: `user.` matches all
    /// user actions.
    #[param(max_length = 100)]
    pub action: Option<String>,
    /// Returns only changes to this object, such as `user 0197…`.
    #[param(max_length = 200)]
    pub target: Option<String>,
    /// The maximum number of items to return.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
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

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditResponse {
    /// The entry's id.
    pub id: Uuid,
    /// When the change was made.
    pub ts: Timestamp,
    /// The user who made the change. The nil id stands for the command line.
    pub actor: Uuid,
    /// The name of that user. `null` for the command line.
    pub actor_name: Option<String>,
    /// The user who impersonated the actor, if any.
    pub act: Option<Uuid>,
    /// The name of the impersonating user.
    pub act_name: Option<String>,
    /// The action, such as `user.create`.
    pub action: String,
    /// The object that was changed: its kind and id.
    pub target: String,
    /// Additional details. Never contains a secret.
    #[schema(value_type = Value)]
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
    /// Entries of the audit log, newest first.
    pub AuditList of AuditResponse
}

/// List the changes in the audit log of the tenant.
///
/// Returns the newest entries first. For a change made by an impersonating user, `act` names that user.
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
