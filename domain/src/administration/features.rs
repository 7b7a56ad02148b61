//! Features and the users for whom they are enabled.

use serde_json::json;
use storage::authority::{AudienceReason, Feature, FeatureState, Subject};
use storage::records::{Audience, FeatureRule, ModelRule};
use storage::{Reader, Row, Scan, TenantId, Tx};
use uuid::Uuid;

use super::{audience, decide, tenant};
use crate::{Caller, Precondition, Refusal, Result};

/// The features and models that are available to a member.
#[derive(Clone, Debug)]
pub struct ResolvedFeatures {
    /// Every feature.
    pub features: Vec<FeatureState>,
    /// Full ids of the models that have a rule. All others are available to everyone.
    pub models: Vec<(String, AudienceReason)>,
}

/// Returns the rule of a feature; `None` if none was ever set.
///
/// # Errors
/// Returns an error if storage fails.
pub fn feature_rule(
    reader: &Reader,
    tenant: TenantId,
    feature: Feature,
) -> storage::Result<Option<Row<FeatureRule>>> {
    reader.get::<FeatureRule>(tenant, &feature.key().to_owned())
}

/// Sets for whom a feature is enabled. A rule for everyone is stored as well, so that its version only grows.
///
/// # Errors
/// `invalid` for users and groups that do not exist; `stale` for another version (0 if no rule was set).
pub fn set_feature(
    tx: &mut Tx,
    caller: &Caller,
    feature: Feature,
    precondition: &Precondition,
    audience: Audience,
) -> Result<Row<FeatureRule>> {
    audience::require_existence(tx, caller.tenant, &audience)?;
    let rule = feature_rule(tx, caller.tenant, feature)?;
    precondition.check(rule.as_ref().map_or(0, |rule| rule.version))?;
    let rule = match rule {
        Some(mut rule) => {
            rule.audience = audience;
            tx.update(caller.tenant, rule)?
        }
        None => tx.insert(caller.tenant, feature.key().to_owned(), FeatureRule { audience })?,
    };
    // The row is read before the scan: rows that a scan does not find are not dependencies of the transaction, but
    // this row is.
    let mut row = tenant(tx, caller)?;
    let rules = tx.scan::<FeatureRule>(caller.tenant, Scan::table())?.items;
    row.governed.features = rules.iter().any(|rule| rule.audience != Audience::Everyone);
    let (target, detail) = (format!("feature {}", feature.key()), json!(rule.audience));
    decide(tx, caller, row, "feature.visibility", target, detail)?;
    Ok(rule)
}

/// Returns the features and models that are available to a member, and why.
///
/// # Errors
/// `not_found` for users who are not members or are disabled.
pub fn resolve_features(reader: &Reader, caller: &Caller, user: Uuid) -> Result<ResolvedFeatures> {
    let subject = Subject::read(reader, caller.tenant, user)?;
    let subject = subject.ok_or_else(|| Refusal::not_found("user"))?;
    let features = FeatureState::all(reader, &subject)?;
    let rules = reader.scan::<ModelRule>(caller.tenant, Scan::table())?.items;
    let because = |rule: Row<ModelRule>| {
        let because = AudienceReason::new(&rule.audience, &subject);
        (rule.id, because)
    };
    Ok(ResolvedFeatures { features, models: rules.into_iter().map(because).collect() })
}
