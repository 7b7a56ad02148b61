//! Who may do what: the caller, scopes, and what an operation requires.

mod caller;
mod level;
pub mod policy;
mod scope;

pub use caller::Caller;
pub use level::{lacking, level_name};
pub use scope::{Scope, ScopeSet};
