//! Reads graphs and turns them into plans that can be executed.
//!
//! A graph is read in steps. Each step covers the whole graph, so that all faults are reported at once: the shape (`read`,
//! `node`, `settings`), the connections between nodes (`joints`), the order of nodes (`order`), and references (`scope`,
//! `references`). A step that could only repeat the faults of an earlier step is skipped.

mod catalog;
mod config;
mod config_specs;
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
mod schema;
mod scope;
mod settings;

pub use catalog::{FieldSpec, NODE_TYPES, TypeSpec};
pub use config::*;
pub use plan::{EdgeIx, InputSpec, Limits, NodeIx, Plan, PlanEdge, PlanNode, VarSpec};
pub use plans::Plans;
pub use policy::{Effect, OnError, Policy, Retry};
pub use runs::event::{FormAction, FormField, ValueType};
pub use schema::{GRAPH_SCHEMA, graph_schema};
