//! Access control: the caller, scopes, and the requirements of operations.

mod caller;
mod level;
pub mod policy;
mod scope;

pub use caller::Caller;
pub use level::{lacking, level_name};
pub use scope::{Scope, ScopeSet};
