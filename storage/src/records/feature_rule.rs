//! Which users a feature is enabled for.

use super::{Governed, Tenant};
use crate::authority::{Audience, AudienceReason, Feature, FeatureSet, FeatureState, Subject};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::{Growth, Record};
use crate::scan::Scan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The rule that a tenant's administrators set for a feature. Its id is the feature's key. A feature without a
/// rule is enabled for everyone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct FeatureRule {
    /// The users who have the feature.
    pub audience: Audience,
}

impl Record for FeatureRule {
    type Id = String;
    const TABLE: [u8; 2] = *b"fr";
    const NAME: &'static str = "feature_rule";
    const GROWTH: Growth<Self> = Growth::OnePer("feature");
    const DECIDES: bool = true;
}

impl FeatureSet {
    /// Returns the features that are enabled for a member. If the tenant has no rules, nothing is read.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn load(reader: &Reader, governed: Governed, subject: &Subject) -> Result<Self> {
        if !governed.features {
            return Ok(Feature::ALL.iter().copied().collect());
        }
        let resolved = FeatureState::all(reader, subject)?;
        Ok(resolved.into_iter().filter(|one| one.because.shows()).map(|one| one.feature).collect())
    }

    /// Returns the features that are enabled for a member. Reads the tenant's row to find out whether it has
    /// rules.
    ///
    /// # Errors
    /// Returns an error if the store fails, and `NotFound` if the tenant does not exist.
    pub fn read(reader: &Reader, subject: &Subject) -> Result<Self> {
        let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &subject.tenant.0)?;
        Self::load(reader, tenant.governed, subject)
    }
}

impl FeatureState {
    /// Returns the state of every feature for a member, in the order of [`Feature::ALL`].
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn all(reader: &Reader, subject: &Subject) -> Result<Vec<Self>> {
        let rules = reader.scan::<FeatureRule>(subject.tenant, Scan::table())?.items;
        let because = |feature: Feature| {
            let rule = rules.iter().find(|rule| rule.id == feature.key());
            rule.map_or(AudienceReason::NoRule, |rule| AudienceReason::new(&rule.audience, subject))
        };
        Ok(Feature::ALL.iter().map(|one| Self { feature: *one, because: because(*one) }).collect())
    }
}
