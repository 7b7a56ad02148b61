//! Automations: assistants that run on a schedule.

mod change;

pub use change::{
    AutomationInput, InputFault, Scheduling, audit_admin, change, check_run, create, default_time_zone,
    visible,
};
