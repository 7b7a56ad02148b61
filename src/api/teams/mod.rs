//! `/api/teams`: routes, schemas and views of teams.

mod routes;
mod schema;
mod view;

use domain::teams;
use storage::authority::Ground;
use storage::records::Team;
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable, operations};

operations!(mod routes);

impl Loadable for Row<Team> {
    const PARAM: &'static str = "team_id";
    const NAME: &'static str = "team";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(teams::visible(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(teams::grounds(self, caller))
    }
}
