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

use storage::authority::{Ground, Reason};
use storage::records::{GrantLevel, PrincipalKind, Project, Shared, UserKind};
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

/// What lets the caller read what is said in a project. To administer the tenant is no reason. Nor is a group or a team to
/// those who can put themselves into any: administrators, and the programs whose tokens they hand out, have to be named.
pub fn reading_grounds(project: &Project, caller: &Caller) -> Vec<Ground> {
    let by_name_alone = caller.is_admin() || caller.kind == UserKind::ServiceAccount;
    let counts = |ground: &Ground| match &ground.reason {
        Reason::Administers => false,
        Reason::Granted(principal) => !by_name_alone || principal.kind == PrincipalKind::User,
        Reason::Owns | Reason::TenantWide => true,
    };
    project.grounds_of(caller).into_iter().filter(counts).collect()
}

/// Refuses, with 403, somebody who is no member of the level, though they may manage the project.
fn as_member(project: &Project, caller: &Caller, least: GrantLevel) -> Api<()> {
    match reading_grounds(project, caller).into_iter().map(|ground| ground.level).max() {
        Some(level) if level >= least => Ok(()),
        level => Err(lacking(least, level)),
    }
}
