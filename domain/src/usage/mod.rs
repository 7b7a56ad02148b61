//! Reports on the usage of models and its cost. All reports are sums of the entries of one ledger.

mod costs;
mod moment_or_day;
mod own;
mod period;
mod report;
mod tally;

pub use costs::{Costs, CostsQuery, TenantSpend, costs};
pub use moment_or_day::MomentOrDay;
pub use own::{MonthUsage, Summary, first_month, month, summary};
pub use period::{Period, check_day, check_moments, check_month, day_asked, zone_of};
pub use report::{GroupUsageBy, Report, ReportPart, ReportQuery, report};
pub use tally::{Filter, Tally};
