//! The control tower: how a tenant uses its assistants and models, and changes that administrators make to many
//! assistants at once.
//!
//! Every assistant of the tenant is listed here, even if it is private: its name, its owner, and its usage.
//! Administrators are responsible for the tenant's spending, so they have to see what causes it and be able to stop it.
//! The instructions and the knowledge of an assistant, and the conversations with it, remain visible only to the users it
//! is shared with.

mod assistants;
mod candidates;
mod change;
mod key_figures;
mod models;
mod query;
mod report;
mod transfer;
mod users;

pub use assistants::{
    AssistantSummary, ReportedAssistant, assistant_of_tenant, assistant_report, assistant_usage,
};
pub use candidates::{OwnershipCandidate, list_candidates, may_own};
pub use change::{AssistantChange, ChangeOutcome, ChangeStatus, change_assistants};
pub use key_figures::{KeyFigures, Kpi, key_figures};
pub use models::model_report;
pub use query::{ReportQuery, SortBy, SortOrder, recent_period};
pub use report::{Report, ReportRow};
pub use users::{ReportedMember, ReportedUser, has_report, user_report};
