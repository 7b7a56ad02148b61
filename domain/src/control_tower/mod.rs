//! The control tower: how a tenant uses its assistants and models, and what administrators do to many assistants at once.
//!
//! Every assistant of the tenant is listed here, private ones too: its name, its owner, and how much it was used.
//! Administrators are responsible for what the tenant spends, so they have to see on what, and be able to stop it. The
//! instructions and the knowledge of an assistant, and the conversations with it, stay with those it is shared with.

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
