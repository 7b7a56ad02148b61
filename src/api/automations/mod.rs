//! Automations: assistants that run by a schedule, and the ledger of their runs.
//!
//! An automation belongs to its owner and acts with the owner's rights. Administrators of the
//! tenant see those of others without what they ask, and may switch them off and delete them; the
//! runs, and the conversations they live in, are the owner's alone.

pub mod change;
pub(super) mod list;
mod routes;
mod runs;
pub mod schema;
mod view;

use domain::automations;
use storage::authority::{Ground, Reason};
use storage::records::{Automation, AutomationRun, GrantLevel};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable, operations};

operations!(mod routes, runs);

impl Loadable for Row<Automation> {
    const PARAM: &'static str = "automation_id";
    const NAME: &'static str = "automation";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(automations::visible(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(match self.owner == caller.user {
            true => vec![Ground::OWN],
            // They see it, switch it off and delete it, and change nothing else.
            false => vec![Ground { level: GrantLevel::Viewer, reason: Reason::Administers }],
        })
    }
}

impl Loadable for Row<AutomationRun> {
    const PARAM: &'static str = "automation_run_id";
    const NAME: &'static str = "automation run";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<AutomationRun>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.owner == caller.user))
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}
