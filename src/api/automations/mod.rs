//! `/api/automations`: routes, schemas and views of assistants that run on a schedule, and of their runs.
//!
//! An automation belongs to its owner and acts with the owner's rights. Administrators of the tenant see the automations of other users
//! without their prompts and inputs, and may disable and delete them. The runs, and the conversations that they are in, are visible to the
//! owner only.

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
            // Administrators may see, disable and delete the automation, and change nothing else.
            false => vec![Ground { level: GrantLevel::Viewer, reason: Reason::Administers }],
        })
    }
}

impl Loadable for Row<AutomationRun> {
    const PARAM: &'static str = "automation_run_id";
    const NAME: &'static str = "automation run";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(automations::visible_run(reader, caller, id)?)
    }

    fn grounds(&self, _: &Reader, _: &Caller) -> Api<Vec<Ground>> {
        Ok(vec![Ground::OWN])
    }
}
