//! What the catalog tells of a skill.

use actix_web::web::Data;
use storage::records::{CatalogMetadata, GrantLevel, Skill};
use storage::{Row, Tx};
use uuid::Uuid;

use super::change;
use super::view::SkillDetailResponse;
use crate::App;
use crate::api::assistants::catalog::SetCatalogMetadataRequest;
use crate::http::scopes::SkillsWrite;
use crate::http::{Api, Area, Caller, Found, IfMatch, Json, ToOwn, Versioned, operations};
use domain::sharing;

/// Set what the catalog tells of a skill.
///
/// Only its owners may.
#[utoipa::path(put, path = "/api/skills/global/{skill_id}/catalog-metadata",
    operation_id = "skills.set_global_skill_catalog_metadata",
    responses((status = 200, description = "The skill as it is now.", body = SkillDetailResponse)))]
async fn set_global_skill_catalog_metadata(
    skill: Found<Row<Skill>, SkillsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(asked): Json<SetCatalogMetadataRequest>,
) -> Api<Versioned<SkillDetailResponse>> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let asked = CatalogMetadata::from(asked);
    app.store.run(move |tx| set(tx, &caller, id, &if_match, &asked)).await.map(Versioned)
}

/// Says it, in a transaction of the caller's.
pub fn set(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    if_match: &IfMatch,
    asked: &CatalogMetadata,
) -> Api<SkillDetailResponse> {
    let mut row = sharing::at_least::<Skill>(tx, caller, id, GrantLevel::Owner)?;
    if_match.check(row.version)?;
    row.catalog = Some(asked.clone());
    let row = tx.update(caller.tenant, row)?;
    change::detail(tx, caller, row)
}

/// The operations of this file.
pub fn operations(area: &mut Area) {
    operations!(area; set_global_skill_catalog_metadata);
}
