//! Graphs: what their author writes, and what is made of it.
//!
//! Reading goes in steps, each over the whole graph, so that all faults are reported at once: the shape
//! (`read`, `node`, `settings`), how nodes are joined (`joints`), in which order they come (`order`), and what
//! they refer to (`scope`, `references`). A step that could only repeat what an earlier one found is left out.

mod catalog;
mod config;
mod digest;
mod faults;
mod forms;
mod inputs;
mod joints;
mod limits;
mod node;
mod order;
mod plan;
mod plans;
mod policies;
mod policy;
mod reach;
mod read;
mod references;
mod scope;
mod settings;

pub use catalog::{FieldSpec, NODE_TYPES, TypeSpec};
pub use config::*;
pub use plan::{EdgeIx, InputSpec, Limits, NodeIx, Plan, PlanEdge, PlanNode, VarSpec};
pub use plans::Plans;
pub use policy::{Effect, OnError, Policy, Retry};
pub use runs::event::{FormAction, FormField, ValueType};
