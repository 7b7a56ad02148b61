//! Automations: assistants that run on a schedule.
//!
//! The definition alone determines the ticks: [`Schedule`] is a pure function of it. Therefore a restart arms nothing twice, and
//! a run never arms the next one. The scheduler looks for due ticks at start-up, on a change notification, when the nearest tick
//! is due, and at a fixed interval of a few seconds. Each tick gets one ledger entry in one transaction, together with the run
//! that executes it or the reason why it does not run. The key of the entry is the tick, so a tick runs at most once. The run
//! starts an assistant in a separate conversation and waits for it.

mod ask;
mod by_hand;
mod child;
mod clock;
mod cron;
mod due;
mod ledger;
mod notices;
mod pass;
mod remove;
mod rights;
mod run;
mod schedule;
mod scheduler;
mod settle;
mod start;
mod working_time;

pub use ask::{AskFault, InputFaults, check as check_ask};
pub use by_hand::RunNowError;
pub use clock::{Clock, ManualClock, SystemClock};
pub use ledger::{arm, set_anchor};
pub use remove::RemoveError;
pub use run::AutomationKind;
pub use schedule::{MIN_INTERVAL_S, Schedule, TriggerFault};
pub use scheduler::{AutomationSettings, Automations};
pub use start::Ask;
