//! Users who may become the owner of an assistant.

use actix_web::web::Data;
use domain::control_tower::{OwnershipCandidate, list_candidates};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::query::PartQuery;
use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Json, Query, Validate, operations};

/// Query parameters of the list of candidates.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct CandidatesQuery {
    /// Only users whose name or email address contains all of these words, in any order and case.
    #[param(max_length = 200)]
    pub search: Option<String>,
}

impl Validate for CandidatesQuery {}

/// Users who may become the owner of an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnershipCandidateList {
    /// The requested part of the candidates, sorted by name.
    pub items: Vec<OwnershipCandidate>,
    /// Total number of candidates.
    pub total: u64,
}

/// List the users who may become the owner of an assistant.
///
/// Returns the editors and administrators of the tenant who are people and are not disabled, sorted by name. Only they are accepted as new
/// owners.
#[utoipa::path(get, path = "/api/control-tower/ownership-candidates", params(CandidatesQuery, PartQuery))]
async fn get_ownership_candidates(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(query): Query<CandidatesQuery>,
    Query(part): Query<PartQuery>,
) -> Api<Json<OwnershipCandidateList>> {
    let tenant = auth.tenant;
    let read = app.store.read(move |reader| list_candidates(reader, tenant, query.search.as_deref()));
    let all = read.await?;
    Ok(Json(OwnershipCandidateList { total: all.len() as u64, items: part.select(all).collect() }))
}

operations!(get_ownership_candidates);
