//! Automations: assistants that run by a schedule.
//!
//! The definition alone determines the ticks: [`Schedule`] is a pure function of it, so
//! a restart arms nothing twice and a run never arms the next. The scheduler looks for due ticks
//! when it starts, when a bell rings, when the nearest tick has come, and every few seconds in any
//! case. Each tick gets one line in the ledger, together with the run that works it off or the
//! reason why none does, in one transaction; the line's key is the tick, so it runs at most once.
//! The run starts an assistant in a conversation of its own and waits for it.

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
pub use schedule::{SHORTEST_INTERVAL_S, Schedule, TriggerFault};
pub use scheduler::{AutomationSettings, Automations};
pub use start::Ask;
