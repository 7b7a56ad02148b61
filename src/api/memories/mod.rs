//! `/api/memories`: routes, schemas and views of memories.

mod routes;
mod schema;

use domain::memories;
use storage::authority::Ground;
use storage::records::Memory;
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable};

pub(crate) use routes::operations;

impl Loadable for Row<Memory> {
    const PARAM: &'static str = "memory_id";
    const NAME: &'static str = "memory";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(memories::own(reader, caller.tenant, caller.user, id)?)
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}
