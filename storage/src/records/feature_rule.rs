//! Whom a feature is for.

use super::{Governed, Tenant};
use crate::authority::{Audience, AudienceReason, Feature, FeatureSet, FeatureState, Subject};
use crate::error::Result;
use crate::ids::TenantId;
use crate::reader::Reader;
use crate::record::{Growth, Record};
use crate::scan::Scan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a tenant's administrators decided on a feature. Its id is the feature's key; a feature without a rule is
/// everyone's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct FeatureRule {
    /// Who has it.
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
    /// Those that are switched on for a member. Where nothing was decided, nothing is read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn load(reader: &Reader, governed: Governed, standing: &Subject) -> Result<Self> {
        if !governed.features {
            return Ok(Feature::ALL.iter().copied().collect());
        }
        let resolved = FeatureState::all(reader, standing)?;
        Ok(resolved.into_iter().filter(|one| one.because.shows()).map(|one| one.feature).collect())
    }

    /// Those that are switched on for a member, by what the tenant's row says of its rules.
    ///
    /// # Errors
    /// Those of the store; `NotFound` where there is no such tenant.
    pub fn read(reader: &Reader, standing: &Subject) -> Result<Self> {
        let tenant = reader.require::<Tenant>(TenantId::SYSTEM, &standing.tenant.0)?;
        Self::load(reader, tenant.governed, standing)
    }
}

impl FeatureState {
    /// Of every feature, in the order of the table.
    ///
    /// # Errors
    /// Those of the store.
    pub fn all(reader: &Reader, standing: &Subject) -> Result<Vec<Self>> {
        let rules = reader.scan::<FeatureRule>(standing.tenant, Scan::table())?.items;
        let because = |feature: Feature| {
            let rule = rules.iter().find(|rule| rule.id == feature.key());
            rule.map_or(AudienceReason::NoRule, |rule| AudienceReason::new(&rule.audience, standing))
        };
        Ok(Feature::ALL.iter().map(|one| Self { feature: *one, because: because(*one) }).collect())
    }
}
