//! Features: what is switched on, for whom, and why.

use actix_web::web::Data;
use serde::Serialize;
use serde_json::json;
use storage::authority::{Because, Feature, FeatureState, Subject};
use storage::records::{Audience, FeatureRule, ModelRule};
use storage::{Reader, Row, Scan, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::audience::{self, AudienceResponse, audience_request};
use super::{decide, note, tenant_of};
use crate::App;
use crate::http::scopes::{AdminRead, AdminWrite};
use crate::http::{
    Admin, Api, Auth, Caller, HasVersion, IfMatch, Json, Path, Refusal, Versioned, operations,
};

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
    /// What it is.
    #[schema(value_type = String)]
    pub description: &'static str,
    /// For whom it is.
    #[serde(flatten)]
    pub audience: AudienceResponse,
    /// How often it was decided on; 0 where it never was.
    pub version: u64,
}

impl FeatureVisibilityResponse {
    fn of(feature: Feature, rule: Option<Row<FeatureRule>>) -> Self {
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
    /// Its key.
    #[schema(value_type = String)]
    pub key: &'static str,
    /// What it is.
    #[schema(value_type = String)]
    pub description: &'static str,
    /// Whether it is switched on for them.
    pub enabled: bool,
    /// Why.
    pub because: Because,
    /// Why, in words.
    pub why: String,
}

impl From<FeatureState> for ResolvedFeature {
    fn from(FeatureState { feature, because }: FeatureState) -> Self {
        let (enabled, why) = (because.shows(), because.sentence());
        Self { key: feature.key(), description: feature.sentence(), enabled, because, why }
    }
}

/// A model that somebody decided on, as it is for a member.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedModel {
    /// The model's full id.
    pub model_id: String,
    /// Whether they see it.
    pub enabled: bool,
    /// Why.
    pub because: Because,
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
    /// The models that somebody decided on; all others are everyone's.
    pub models: Vec<ResolvedModel>,
}

/// List what may be switched off, and for whom it is switched on.
#[utoipa::path(
    get,
    path = "/api/tenant-admin/features",
    operation_id = "tenant-admin.list_manageable_features"
)]
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
    operation_id = "tenant-admin.get_feature_visibility",
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
    operation_id = "tenant-admin.update_feature_visibility",
    params(("feature_key" = String, Path, description = "The feature's key.")))]
async fn update_feature_visibility(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    Path(key): Path<String>,
    seen: IfMatch,
    Json(new): Json<FeatureVisibilityRequest>,
) -> Api<Versioned<FeatureVisibilityResponse>> {
    let (caller, feature) = (auth.caller(), named(&key)?);
    app.store.run(move |tx| set(tx, &caller, feature, &seen, new.0.clone().into())).await.map(Versioned)
}

/// Show what a member has, and why.
///
/// Every feature, and the models that somebody decided on. 404 for those who are kept out: they have nothing.
#[utoipa::path(get, path = "/api/tenant-admin/users/{user_id}/resolved-features",
    operation_id = "tenant-admin.get_user_resolved_features",
    params(("user_id" = Uuid, Path, description = "The member.")))]
async fn get_user_resolved_features(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Path(user): Path<Uuid>,
) -> Api<Json<ResolvedFeaturesResponse>> {
    let caller = auth.caller();
    app.store.read(move |reader| resolve(reader, &caller, user)).await.map(Json)
}

fn named(key: &str) -> Api<Feature> {
    Feature::parse(key).ok_or_else(|| Refusal::not_found("feature"))
}

fn show(reader: &Reader, tenant: storage::TenantId, feature: Feature) -> Api<FeatureVisibilityResponse> {
    let rule = reader.get::<FeatureRule>(tenant, &feature.key().to_owned())?;
    Ok(FeatureVisibilityResponse::of(feature, rule))
}

/// Rules stay when all have the feature again, so that their versions only grow.
fn set(
    tx: &mut Tx,
    caller: &Caller,
    feature: Feature,
    seen: &IfMatch,
    audience: Audience,
) -> Api<FeatureVisibilityResponse> {
    audience::check(tx, caller.tenant, &audience)?;
    let (tenant, key) = (caller.tenant, feature.key().to_owned());
    let rule = tx.get::<FeatureRule>(tenant, &key)?;
    seen.check(rule.as_ref().map_or(0, |rule| rule.version))?;
    let rule = match rule {
        Some(mut rule) => {
            rule.audience = audience;
            tx.update(tenant, rule)?
        }
        None => tx.insert(tenant, key, FeatureRule { audience })?,
    };
    // Before one looks at the others: what a look did not find is not watched, and this row is.
    let mut row = tenant_of(tx, caller)?;
    let rules = tx.scan::<FeatureRule>(tenant, Scan::table())?.items;
    note(&mut row, |governed| {
        governed.features = rules.iter().any(|rule| rule.audience != Audience::Everyone)
    });
    let (target, detail) = (format!("feature {}", feature.key()), json!(rule.audience));
    decide(tx, caller, row, "feature.visibility", target, detail)?;
    Ok(FeatureVisibilityResponse::of(feature, Some(rule)))
}

fn resolve(reader: &Reader, caller: &Caller, user: Uuid) -> Api<ResolvedFeaturesResponse> {
    let standing = Subject::read(reader, caller.tenant, user)?;
    let standing = standing.ok_or_else(|| Refusal::not_found("user"))?;
    let items = FeatureState::all(reader, &standing)?.into_iter().map(ResolvedFeature::from).collect();
    let rules = reader.scan::<ModelRule>(caller.tenant, Scan::table())?.items;
    let model = |rule: Row<ModelRule>| {
        let because = Because::of(&rule.audience, &standing);
        let (enabled, why) = (because.shows(), because.sentence());
        ResolvedModel { model_id: rule.id, enabled, because, why }
    };
    let models = rules.into_iter().map(model).collect();
    Ok(ResolvedFeaturesResponse { user_id: user, items, models })
}

operations!(
    list_manageable_features,
    get_feature_visibility,
    update_feature_visibility,
    get_user_resolved_features
);
