//! Assistants: a model with instructions and tools, or a workflow, that answers conversations.

pub mod access;
mod change;
mod list;
mod routes;
mod schema;
mod view;

use storage::records::Assistant;
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Area, Caller, Loadable};

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    crate::api::automations::operations_of_assistants(area);
}

impl Loadable for Row<Assistant> {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(access::visible(reader, caller, id)?)
    }
}
