//! How use and its cost are shown, for all areas that report about it.

mod export;
mod view;

pub use domain::usage::{MomentOrDay, Period, check_moments};
pub use export::stream;
pub use view::{AssistantUsed, DayUsed, KindUsed, ModelUsed, TenantUsed, Used, UserUsed, assistants, list};
