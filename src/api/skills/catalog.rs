//! Catalog metadata of skills.

use actix_web::web::Data;
use domain::skills;
use storage::records::{CatalogMetadata, Skill};
use storage::{Row, Tx};

use super::change;
use super::view::SkillDetailResponse;
use crate::App;
use crate::api::assistants::catalog::SetCatalogMetadataRequest;
use crate::http::scopes::SkillsWrite;
use crate::http::{Api, IfMatch, Json, Loaded, ToOwn, Versioned, operations};

/// Set the catalog metadata of a skill.
///
/// Requires an owner of the skill.
#[utoipa::path(put, path = "/api/skills/global/{skill_id}/catalog-metadata")]
async fn set_global_skill_catalog_metadata(
    skill: Loaded<Row<Skill>, SkillsWrite, ToOwn>,
    app: Data<App>,
    if_match: IfMatch,
    Json(request): Json<SetCatalogMetadataRequest>,
) -> Api<Versioned<SkillDetailResponse>> {
    let (caller, id) = (skill.auth.caller(), skill.id);
    let (precondition, metadata) = (if_match.precondition(), CatalogMetadata::from(request));
    let set = move |tx: &mut Tx| {
        let row = skills::set_catalog_metadata(tx, &caller, id, &precondition, metadata.clone())?;
        change::detail(tx, &caller, row)
    };
    app.store.run(set).await.map(Versioned)
}

operations!(set_global_skill_catalog_metadata);
