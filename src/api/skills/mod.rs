//! Skills: instructions and functions that assistants and conversations can use, and the builder that writes
//! them.

mod avatar;
mod builder;
mod bundle;
mod catalog;
mod change;
mod drafts;
mod list;
pub mod received;
mod routes;
pub mod schema;
mod usage;
mod view;

use storage::authority::Ground;
use storage::records::{Shared, Skill};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable, operations};
use domain::sharing;

/// The path of the skills API.
pub const PATH: &str = "/api/skills/global";

operations!(mod avatar, routes, usage, catalog, bundle, builder);

impl Loadable for Row<Skill> {
    const PARAM: &'static str = "skill_id";
    const NAME: &'static str = "skill";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(sharing::visible(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.body.grounds_of(caller))
    }
}
