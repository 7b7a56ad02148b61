//! Authorization: one rule each for grants, audiences and features, evaluated for a [`Subject`]. Requests and runs use
//! the same rules. The rows that a decision needs are read in [`records`](crate::records).
//!
//! A decision includes its reason: [`Ground`] for grants, [`AudienceReason`] for audiences.

mod audience;
mod feature;
mod grounds;
mod role;
mod sharing;
mod subject;

pub use audience::Audience;
pub use feature::{Feature, FeatureSet, FeatureState};
pub use grounds::{AudienceReason, Ground, Reason};
pub use role::Role;
pub use sharing::{Grant, GrantLevel, Principal, PrincipalKind, Shared, Sharing, Visibility};
pub use subject::Subject;
