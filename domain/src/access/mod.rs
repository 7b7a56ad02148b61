//! Who may do what: the caller, scopes, and what an operation requires.

mod caller;
pub mod policy;
mod scope;

pub use caller::Caller;
pub use scope::{Scope, ScopeSet};
