//! Teams: users and groups that share things as one. Whoever is in a team sees it, and so do administrators of the
//! tenant; its owners and they manage it.

mod change;
mod list;
mod remove;
mod routes;
mod schema;
mod view;

use storage::authority::{Ground, Reason};
use storage::records::{GrantLevel, Principal, Team};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Area, Caller, Loadable, Refusal, lacking};

pub use change::insert;

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
}

impl Loadable for Row<Team> {
    const PARAM: &'static str = "team_id";
    const NAME: &'static str = "team";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Team>(caller.tenant, &id)?;
        Ok(row.filter(|row| !grounds(row, caller).is_empty()))
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(grounds(self, caller))
    }
}

/// Why somebody may see a team, or manage it.
fn grounds(team: &Team, caller: &Caller) -> Vec<Ground> {
    let administers = Ground { level: GrantLevel::Owner, reason: Reason::Administers };
    let of = |level, principals: &[Principal]| {
        let own = principals.iter().filter(|principal| caller.is(principal));
        own.map(|principal| Ground { level, reason: Reason::Granted(principal.clone()) }).collect::<Vec<_>>()
    };
    let named = [of(GrantLevel::Owner, &team.owners), of(GrantLevel::Viewer, &team.members)].concat();
    caller.is_admin().then_some(administers).into_iter().chain(named).collect()
}

fn may_manage(team: &Team, caller: &Caller) -> bool {
    grounds(team, caller).iter().any(|ground| ground.level == GrantLevel::Owner)
}

/// A team that the caller manages: 404 where they may not see it, 403 where they are only in it.
fn managed(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Row<Team>> {
    let row = Row::<Team>::load(reader, caller, id)?.ok_or_else(|| Refusal::not_found("team"))?;
    match may_manage(&row, caller) {
        true => Ok(row),
        false => Err(lacking(GrantLevel::Owner, Some(GrantLevel::Viewer))),
    }
}
