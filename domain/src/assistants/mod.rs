//! Assistants: models with instructions and tools, or workflows, that respond in conversations.

pub mod access;
mod approvals;
mod bin;
mod change;
mod environment;
pub mod favourites;
mod list;
mod references;
mod server_keys;

pub use approvals::{approve, approve_requested, requested_services};
pub use bin::{Deletion, delete, put_into_bin, restore};
pub use change::{AssistantInput, change, create, set_catalog_metadata, set_picture};
pub use environment::{Environment, GraphUse, NodeTools, ReadGraph, Reference};
pub use list::{AssistantFilter, list, list_bin};
pub use server_keys::set_server_key;
