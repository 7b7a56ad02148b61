//! Projects: conversations that belong together, with instructions for all of them, and the people who read them.

mod change;
mod conversations;
mod list;
mod members;
mod people;
mod promote;
mod routes;
mod schema;
mod view;

use storage::authority::Ground;
use storage::records::{GrantLevel, Project, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::api::sharing;
use crate::http::{Api, Area, Caller, Loadable, lacking};

pub use conversations::placeable;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    members::operations(area);
    conversations::operations(area);
    promote::operations(area);
}

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

/// Refuses, with 403, somebody who is no member of the level, though they may manage the project.
fn as_member(project: &Project, caller: &Caller, least: GrantLevel) -> Api<()> {
    match project.member_level(caller) {
        Some(level) if level >= least => Ok(()),
        level => Err(lacking(least, level)),
    }
}
