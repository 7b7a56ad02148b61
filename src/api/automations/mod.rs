//! Automations: assistants that run by a schedule, and the ledger of their runs.
//!
//! An automation belongs to its owner and acts with the owner's rights. Administrators of the
//! tenant see those of others without what they ask, and may switch them off and delete them; the
//! runs, and the conversations they live in, are the owner's alone.

mod change;
mod list;
mod routes;
mod runs;
mod schema;
mod view;

use storage::records::{Automation, AutomationRun, Role};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Area, Caller, Loadable};

/// The operations of this area.
pub fn operations(area: &mut Area) {
    routes::operations(area);
    runs::operations(area);
}

/// The operation that stands in the area of assistants.
pub fn operations_of_assistants(area: &mut Area) {
    list::operations(area);
}

impl Loadable for Row<Automation> {
    const PARAM: &'static str = "automation_id";
    const NAME: &'static str = "automation";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<Automation>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.owner == caller.user || caller.role == Role::TenantAdmin))
    }
}

impl Loadable for Row<AutomationRun> {
    const PARAM: &'static str = "automation_run_id";
    const NAME: &'static str = "automation run";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        let row = reader.get::<AutomationRun>(caller.tenant, &id)?;
        Ok(row.filter(|row| row.owner == caller.user))
    }
}
