//! Skills: bundles of instructions and functions.
//!
//! A [`bundle`] is read without executing any of its code. [`inspect`] executes its scripts in the sandbox to determine
//! their functions. [`execute`] calls a function, with the services that its skill requires and the assistant is
//! approved for.

pub mod bundle;
mod execute;
mod inspect;
mod load;
mod services;

pub use execute::{FunctionError, FunctionRan, execute};
pub use inspect::{BundleInspection, InspectError, inspect};
pub use storage::records::SkillFunction;

pub use load::{LoadedFunction, find, functions, instructions};
pub use services::Bill;
