//! Business rules over [`storage`], without HTTP and without runs.
//!
//! A rule is a function of a transaction, the [`Caller`] and its input: `fn(&mut Tx, &Caller, Input) -> Result<T>`.
//! It returns the stored row or a plain value; the calling interface decides which parts of it are shown. HTTP, the
//! catalog, the command line and runs use the same rules.

#![forbid(unsafe_code)]

pub mod access;
pub mod accounts;
pub mod administration;
pub mod assistants;
pub mod audit;
pub mod automations;
mod code;
pub mod control_tower;
pub mod conversations;
pub mod credentials;
mod fault;
mod faults;
pub mod groups;
pub mod knowledge_bases;
pub mod memories;
pub mod notifications;
pub mod paging;
mod patch;
mod precondition;
pub mod principals;
pub mod projects;
mod refusal;
pub mod sharing;
pub mod skills;
pub mod teams;
pub mod usage;
pub mod video;

pub use access::{Caller, Scope, ScopeSet};
pub use code::Code;
pub use fault::{Fault, Step};
pub use faults::{Faults, NAME_LENGTH, UNFIT_FOR_NAMES, Validate, is_unfit_for_names, is_unseen};
pub use patch::Patch;
pub use precondition::Precondition;
pub use refusal::{PROVIDER_CODE, Refusal};

/// What a rule returns.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;
