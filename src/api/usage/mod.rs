//! What was used and what it cost, as users and administrators are told of it: all reports are made here, of the
//! one ledger.

mod asked;
mod export;
mod period;
mod tally;
mod view;

pub use asked::MomentOrDay;
pub use export::stream;
pub use period::{Period, check_day, check_moments, check_month, day_asked, zone_of};
pub use tally::{Filter, Tally};
pub use view::{AssistantUsed, DayUsed, KindUsed, ModelUsed, TenantUsed, Used, UserUsed, assistants, list};
