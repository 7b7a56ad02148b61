//! Who may what. One rule each for grants, audiences and features, over what is stored at this moment; the HTTP
//! layer asks here, and so does everything that runs on somebody's behalf.
//!
//! An answer comes with its reason: [`Ground`] for grants, [`Because`] for audiences.

mod feature;
mod grounds;
mod standing;

pub use feature::{Feature, FeatureSet, Resolved};
pub(crate) use grounds::grounds;
pub use grounds::{Because, Ground, Reason};
pub use standing::Subject;
