//! Automations: assistants that run on a schedule.

mod change;
mod list;

pub use change::{
    AutomationInput, InputFault, Scheduling, audit_admin, change, check_run, create, default_time_zone,
    visible,
};
pub use list::{AutomationFilter, RunFilter, list, list_runs, visible_run};
