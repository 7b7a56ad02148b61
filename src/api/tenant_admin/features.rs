//! Features: what is switched on, for whom, and why.

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
    /// Whom a feature is to be switched on for.
    FeatureVisibilityRequest
}

/// A feature, and whom it is switched on for.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeatureVisibilityResponse {
    /// Its key, which is the name of its area.
    #[schema(value_type = String)]
    pub key: &'static str,
    #[schema(value_type = String)]
    pub description: &'static str,
    /// For whom it is.
    #[serde(flatten)]
    pub audience: AudienceResponse,
    /// How often it was decided on; 0 where it never was.
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

/// What may be switched off.
#[derive(Debug, Serialize, ToSchema)]
pub struct ManageableFeaturesResponse {
    /// By the order of their keys.
    pub items: Vec<FeatureVisibilityResponse>,
}

/// A feature as it is for a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedFeature {
    #[schema(value_type = String)]
    pub key: &'static str,
    #[schema(value_type = String)]
    pub description: &'static str,
    /// Whether it is switched on for them.
    pub enabled: bool,
    /// Why.
    pub because: AudienceReason,
    /// Why, in words.
    pub why: String,
}

impl From<FeatureState> for ResolvedFeature {
    fn from(FeatureState { feature, because }: FeatureState) -> Self {
        let (enabled, why) = (because.shows(), because.sentence());
        Self { key: feature.key(), description: feature.sentence(), enabled, because, why }
    }
}

/// A model with a rule, as it is for a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedModel {
    /// The model's full id.
    pub model_id: String,
    /// Whether they see it.
    pub enabled: bool,
    /// Why.
    pub because: AudienceReason,
    /// Why, in words.
    pub why: String,
}

/// What a member has.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedFeaturesResponse {
    /// The member.
    pub user_id: Uuid,
    /// Every feature.
    pub items: Vec<ResolvedFeature>,
    /// The models that have a rule; all others are everyone's.
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

/// List what may be switched off, and for whom it is switched on.
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

/// Show whom a feature is switched on for.
#[utoipa::path(get, path = "/api/tenant-admin/features/{feature_key}/visibility",
    params(("feature_key" = String, Path, description = "The feature's key.")))]
async fn get_feature_visibility(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(key): Path<String>,
) -> Api<Versioned<FeatureVisibilityResponse>> {
    let (tenant, feature) = (auth.tenant, named(&key)?);
    app.store.read(move |reader| show(reader, tenant, feature)).await.map(Versioned)
}

/// Say whom a feature is switched on for.
///
/// For all others every operation of its area answers 403 `feature_disabled` from then on, whatever credentials
/// they use; administrators are no exception, and can switch it on again here. What runs goes on to its end.
#[utoipa::path(put, path = "/api/tenant-admin/features/{feature_key}/visibility",
    params(("feature_key" = String, Path, description = "The feature's key.")))]
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

/// Show what a member has, and why.
///
/// Every feature, and the models that have a rule. 404 for disabled members: they have nothing.
#[utoipa::path(get, path = "/api/tenant-admin/users/{user_id}/resolved-features",
    params(("user_id" = Uuid, Path, description = "The member.")))]
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
