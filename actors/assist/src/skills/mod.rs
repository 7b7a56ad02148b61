//! Skills: bundles of instructions and functions.
//!
//! A [`bundle`] is read without running anything of it; [`inspect`] asks its scripts, in the sandbox, what
//! functions they have; [`execute`] calls one of them, with the services that its skill asks for and the assistant
//! is approved for.

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
