//! Features: which are enabled, for whom, and why.

use actix_web::web::Data;
use domain::administration::{self, ResolvedFeatures};
use serde::Serialize;
use storage::authority::{AudienceReason, Feature, FeatureState};
use storage::records::{Audience, FeatureRule};
use storage::{Reader, Row, TenantId, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::audience::{AudienceResponse, audience_request};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{Admin, Api, Auth, HasVersion, IfMatch, Json, Path, Refusal, Versioned, operations};

audience_request! {
    /// The audience for which to enable a feature.
    FeatureVisibilityRequest
}

/// A feature and the audience for which it is enabled.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeatureVisibilityResponse {
    /// The key of the feature, which is the name of its area.
    #[schema(value_type = String)]
    pub key: &'static str,
    #[schema(value_type = String)]
    pub description: &'static str,
    /// The audience for which the feature is enabled.
    #[serde(flatten)]
    pub audience: AudienceResponse,
    /// The version of the rule. 0 if no rule has been set.
    pub version: u64,
}

impl FeatureVisibilityResponse {
    fn from_rule(feature: Feature, rule: Option<Row<FeatureRule>>) -> Self {
        let (version, audience) = rule.map(|row| (row.version, row.body.audience)).unwrap_or_default();
        Self { key: feature.key(), description: feature.sentence(), audience: audience.into(), version }
    }
}

impl HasVersion for FeatureVisibilityResponse {
    fn version(&self) -> u64 {
        self.version
    }
}

/// The features that can be disabled.
#[derive(Debug, Serialize, ToSchema)]
pub struct ManageableFeaturesResponse {
    /// The features, sorted by key.
    pub items: Vec<FeatureVisibilityResponse>,
}

/// The state of a feature for a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedFeature {
    #[schema(value_type = String)]
    pub key: &'static str,
    #[schema(value_type = String)]
    pub description: &'static str,
    /// Whether the feature is enabled for the member.
    pub enabled: bool,
    /// The rule that decided.
    pub because: AudienceReason,
    /// An explanation of the decision.
    pub why: String,
}

impl From<FeatureState> for ResolvedFeature {
    fn from(FeatureState { feature, because }: FeatureState) -> Self {
        let (enabled, why) = (because.shows(), because.sentence());
        Self { key: feature.key(), description: feature.sentence(), enabled, because, why }
    }
}

/// A model with a visibility rule, and its state for a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedModel {
    /// The model's full id.
    pub model_id: String,
    /// Whether the model is visible to the member.
    pub enabled: bool,
    /// The rule that decided.
    pub because: AudienceReason,
    /// An explanation of the decision.
    pub why: String,
}

/// The features and models that are available to a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedFeaturesResponse {
    /// The member.
    pub user_id: Uuid,
    /// All features that exist, enabled or not.
    pub items: Vec<ResolvedFeature>,
    /// The models that have a visibility rule. All other models are visible to everyone.
    pub models: Vec<ResolvedModel>,
}

impl ResolvedFeaturesResponse {
    fn new(user_id: Uuid, resolved: ResolvedFeatures) -> Self {
        let model = |(model_id, because): (String, AudienceReason)| {
            let (enabled, why) = (because.shows(), because.sentence());
            ResolvedModel { model_id, enabled, because, why }
        };
        let items = resolved.features.into_iter().map(ResolvedFeature::from).collect();
        Self { user_id, items, models: resolved.models.into_iter().map(model).collect() }
    }
}

/// List the features that can be disabled, with their audiences.
#[utoipa::path(get, path = "/api/tenant-admin/features")]
async fn list_manageable_features(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
) -> Api<Json<ManageableFeaturesResponse>> {
    let tenant = auth.tenant;
    let read = app.store.read(move |reader| {
        let all = Feature::ALL.iter().map(|one| show(reader, tenant, *one));
        Api::Ok(ManageableFeaturesResponse { items: all.collect::<Api<_>>()? })
    });
    read.await.map(Json)
}

/// Retrieve the audience of a feature.
#[utoipa::path(get, path = "/api/tenant-admin/features/{feature_key}/visibility",
    params(("feature_key" = String, Path, description = "The key of the feature.")))]
async fn get_feature_visibility(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(key): Path<String>,
) -> Api<Versioned<FeatureVisibilityResponse>> {
    let (tenant, feature) = (auth.tenant, named(&key)?);
    app.store.read(move |reader| show(reader, tenant, feature)).await.map(Versioned)
}

/// Set the audience of a feature.
///
/// For all other users, every operation of the feature's area immediately returns 403 `feature_disabled`, with
/// any credential. This includes administrators, who can enable the feature again here. Running work is not
/// interrupted.
#[utoipa::path(put, path = "/api/tenant-admin/features/{feature_key}/visibility",
    params(("feature_key" = String, Path, description = "The key of the feature.")))]
async fn update_feature_visibility(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(key): Path<String>,
    seen: IfMatch,
    Json(new): Json<FeatureVisibilityRequest>,
) -> Api<Versioned<FeatureVisibilityResponse>> {
    let (caller, feature) = (auth.caller(), named(&key)?);
    let (precondition, audience) = (seen.precondition(), Audience::from(new.0));
    let set =
        move |tx: &mut Tx| administration::set_feature(tx, &caller, feature, &precondition, audience.clone());
    let rule = app.store.run(set).await?;
    Ok(Versioned(FeatureVisibilityResponse::from_rule(feature, Some(rule))))
}

/// Retrieve the features and models that are available to a member, and why.
///
/// Returns all features, and the models that have a visibility rule. Returns 404 for a disabled member, who has
/// no access to anything.
#[utoipa::path(get, path = "/api/tenant-admin/users/{user_id}/resolved-features",
    params(("user_id" = Uuid, Path, description = "The id of the member.")))]
async fn get_user_resolved_features(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(user): Path<Uuid>,
) -> Api<Json<ResolvedFeaturesResponse>> {
    let caller = auth.caller();
    let resolved =
        app.store.read(move |reader| administration::resolve_features(reader, &caller, user)).await?;
    Ok(Json(ResolvedFeaturesResponse::new(user, resolved)))
}

fn named(key: &str) -> Api<Feature> {
    Feature::parse(key).ok_or_else(|| Refusal::not_found("feature"))
}

fn show(reader: &Reader, tenant: TenantId, feature: Feature) -> Api<FeatureVisibilityResponse> {
    let rule = administration::feature_rule(reader, tenant, feature)?;
    Ok(FeatureVisibilityResponse::from_rule(feature, rule))
}

operations!(
    list_manageable_features,
    get_feature_visibility,
    update_feature_visibility,
    get_user_resolved_features
);
