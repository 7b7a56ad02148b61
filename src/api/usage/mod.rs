//! Responses about usage and its cost, shared by all areas that report on it.

mod export;
mod view;

pub use domain::usage::{MomentOrDay, Period, check_moments};
pub use export::stream;
pub use view::{AssistantUsed, DayUsed, KindUsed, ModelUsed, TenantUsed, Used, UserUsed, assistants, list};
