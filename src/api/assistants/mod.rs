//! Assistants: a model with instructions and tools, or a workflow, that answers conversations.

mod approvals;
mod avatar;
pub mod catalog;
mod change;
mod closed;
pub(crate) mod content;
pub(crate) mod data;
mod environment;
mod favourites;
mod files;
mod functions;
mod graph;
mod knowledge;
mod lifecycle;
pub mod links;
mod list;
mod loadable;
mod routes;
pub mod schema;
pub mod scripts;
mod server_keys;
mod tool_servers;
mod view;

pub use environment::RunEnvironment;
pub use graph::read_graph;

use storage::authority::Ground;
use storage::records::{Assistant, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable, operations};
use domain::assistants::access;

operations!(mod
    routes, lifecycle, favourites, avatar, catalog, approvals, files, content, knowledge, links, data, functions,
    server_keys, tool_servers, super::automations::list
);

impl Loadable for Row<Assistant> {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(access::visible(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.body.grounds_of(caller))
    }
}
