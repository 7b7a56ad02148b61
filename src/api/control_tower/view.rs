//! Representation of reports in responses.

use domain::control_tower::{Report, ReportRow, ReportedAssistant, ReportedUser};
use domain::principals;
use providers::Models;
use serde::Serialize;
use storage::records::activity::Activity;
use storage::records::{AssistantType, Role, UserKind, Visibility};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use super::query::PartQuery;
use crate::api::usage::{Period, Used};
use crate::http::Api;

/// Activity, and the usage that it caused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActivityFigures {
    /// Number of conversations that were started.
    pub conversations: u64,
    /// Number of messages: questions, and answers to them.
    pub messages: u64,
    /// Number of answers that failed, timed out, or were interrupted by a stop of the server.
    pub errors: u64,
    /// Number of tokens of requests and answers together.
    pub tokens: u64,
    /// Usage and cost of models.
    #[serde(flatten)]
    pub used: Used,
}

impl From<Activity> for ActivityFigures {
    fn from(Activity { spend, messages, conversations, errors }: Activity) -> Self {
        Self { conversations, messages, errors, tokens: spend.tokens(), used: spend.into() }
    }
}

/// The period of a report.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportSpan {
    /// Start of the period.
    pub from_date: Timestamp,
    /// End of the period.
    pub to_date: Timestamp,
    /// Time zone in which days are counted.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
}

impl From<&Period> for ReportSpan {
    fn from(period: &Period) -> Self {
        let span = &period.span;
        Self { from_date: span.start, to_date: span.end, time_zone: period.zone.name() }
    }
}

/// A user with email address and name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NamedUser {
    pub user_id: Uuid,
    /// Email address; `null` if the user is no longer a member.
    pub email: Option<String>,
    /// Display name; `null` if the user is no longer a member.
    pub display_name: Option<String>,
}

impl NamedUser {
    /// Loads the name of a member. Names of users who have left the tenant are not shown.
    fn read(reader: &Reader, tenant: TenantId, user_id: Uuid) -> storage::Result<Self> {
        let user = principals::member(reader, tenant, user_id)?;
        let (email, display_name) = user.map(|user| (user.email, user.display_name)).unzip();
        Ok(Self { user_id, email, display_name })
    }
}

/// An assistant, and how it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewItem {
    /// Id of the assistant; `null` for all activity without an assistant.
    pub assistant_id: Option<Uuid>,
    /// Name of the assistant; `null` if it was deleted permanently, and for activity without an assistant.
    pub name: Option<String>,
    /// Whether the assistant is a chat or a workflow.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// Owner of the assistant.
    pub owner: Option<NamedUser>,
    /// Who may see the assistant.
    pub visibility: Option<Visibility>,
    /// Whether the assistant responds.
    pub enabled: Option<bool>,
    /// Why the assistant is disabled.
    pub disabled_reason: Option<String>,
    /// When the assistant was created.
    pub created_at: Option<Timestamp>,
    /// When the assistant was moved to the bin.
    pub deleted_at: Option<Timestamp>,
    /// Number of users who used the assistant.
    pub users: u64,
    /// Activity of these users.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When the assistant was last used, inside or outside of the period.
    pub last_used_at: Option<Timestamp>,
}

/// A model, and how it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelReportItem {
    /// Full id of the model; `null` for answers of workflows, whose nodes' models are listed with their own usage.
    #[schema(example = "builtin/scribe")]
    pub model: Option<String>,
    /// Provider that offers the model.
    #[schema(example = "builtin")]
    pub provider: Option<String>,
    /// Name of the model; `null` if the model is no longer available.
    pub name: Option<String>,
    /// Number of users who used the model.
    pub users: u64,
    /// Activity of these users.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When the model was last used, inside or outside of the period.
    pub last_used_at: Option<Timestamp>,
}

/// A user, and the user's activity.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserReportItem {
    /// The user whose activity is reported.
    #[serde(flatten)]
    pub user: NamedUser,
    /// Whether the user is a person or a program; `null` if the user is no longer a member.
    pub kind: Option<UserKind>,
    /// Role of the user; `null` if the user is no longer a member.
    pub role: Option<Role>,
    /// Whether the user is disabled.
    pub disabled: Option<bool>,
    /// Activity of the user in the period.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When the user was last active, inside or outside of the period.
    pub last_used_at: Option<Timestamp>,
    /// Bytes that are currently stored for the user, which `limits.stored_mib_per_user` limits.
    pub stored_bytes: u64,
}

impl OverviewItem {
    /// Converts a row of a report, and adds the name of the assistant's owner.
    pub fn new(
        reader: &Reader,
        tenant: TenantId,
        row: ReportRow<ReportedAssistant>,
    ) -> storage::Result<Self> {
        let ReportedAssistant { id, summary } = row.subject;
        let owner =
            summary.as_ref().map(|summary| NamedUser::read(reader, tenant, summary.owner)).transpose()?;
        Ok(Self {
            assistant_id: id,
            kind: summary.as_ref().map(|summary| summary.kind),
            owner,
            visibility: summary.as_ref().map(|summary| summary.visibility),
            enabled: summary.as_ref().map(|summary| summary.enabled),
            created_at: summary.as_ref().map(|summary| summary.created_at),
            deleted_at: summary.as_ref().and_then(|summary| summary.deleted_at),
            disabled_reason: summary.as_ref().and_then(|summary| summary.disabled_reason.clone()),
            name: summary.map(|summary| summary.name),
            users: row.counted.users,
            figures: row.counted.activity.into(),
            last_used_at: row.last_used_at,
        })
    }
}

impl ModelReportItem {
    /// Converts a row of a report, and adds the name of the model.
    pub fn new(models: &Models, row: ReportRow<Option<String>>) -> Self {
        let model = row.subject;
        let name = |id: &String| {
            let chat = models.find(id).map(|model| model.info.name.clone());
            chat.or_else(|| models.find_embedder(id).map(|model| model.info.name.clone()))
        };
        Self {
            provider: model.as_deref().and_then(|id| id.split('/').next()).map(str::to_owned),
            name: model.as_ref().and_then(name),
            model,
            users: row.counted.users,
            figures: row.counted.activity.into(),
            last_used_at: row.last_used_at,
        }
    }
}

impl From<ReportRow<ReportedUser>> for UserReportItem {
    fn from(row: ReportRow<ReportedUser>) -> Self {
        let ReportedUser { user_id, member, stored_bytes } = row.subject;
        let shown = member.as_ref();
        let (kind, role) = (shown.map(|member| member.kind), shown.map(|member| member.role));
        let disabled = shown.map(|member| member.disabled);
        let (email, display_name) = member.map(|member| (member.email, member.display_name)).unzip();
        Self {
            user: NamedUser { user_id, email, display_name },
            kind,
            role,
            disabled,
            figures: row.counted.activity.into(),
            last_used_at: row.last_used_at,
            stored_bytes,
        }
    }
}

macro_rules! report {
    ($(#[$meta:meta])* $name:ident of $item:ty) => {
        $(#[$meta])*
        #[derive(Debug, Serialize, ToSchema)]
        pub struct $name {
            /// The rows of this part.
            pub items: Vec<$item>,
            /// Total number of rows.
            pub total: u64,
            /// Sum of all rows, including those of other parts.
            pub totals: ActivityFigures,
            /// Period of the report.
            #[serde(flatten)]
            pub span: ReportSpan,
        }

        impl $name {
            /// Builds a part of a report, with each row converted by `item`.
            pub fn new<T>(
                report: Report<T>,
                part: PartQuery,
                item: impl Fn(ReportRow<T>) -> Api<$item>,
            ) -> Api<Self> {
                let (total, totals) = (report.rows.len() as u64, report.total().into());
                let items = part.select(report.rows).map(item).collect::<Api<_>>()?;
                Ok(Self { items, total, totals, span: ReportSpan::from(&report.period) })
            }
        }
    };
}
report! {
    /// Usage of assistants.
    OverviewResponse of OverviewItem
}
report! {
    /// Usage of models.
    ModelReportResponse of ModelReportItem
}
report! {
    /// Activity of users.
    UserReportResponse of UserReportItem
}
