//! `/api/projects`: routes, schemas and views of projects.

mod conversations;
mod members;
mod promote;
mod routes;
mod schema;
mod view;

use domain::sharing;
use storage::authority::Ground;
use storage::records::{Project, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable, operations};

operations!(mod routes, members, conversations, promote);

impl Loadable for Row<Project> {
    const PARAM: &'static str = "project_id";
    const NAME: &'static str = "project";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(sharing::visible(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.grounds_of(caller))
    }
}
