//! How reports are shown.

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

/// What was done, and what it took.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActivityFigures {
    /// Conversations that began.
    pub conversations: u64,
    /// Questions, and answers to them.
    pub messages: u64,
    /// Answers that failed, took too long, or broke off with the server.
    pub errors: u64,
    /// Tokens of requests and answers together.
    pub tokens: u64,
    /// What models used.
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
    /// When it begins.
    pub from_date: Timestamp,
    /// When it ends.
    pub to_date: Timestamp,
    /// The time zone of its days.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
}

impl From<&Period> for ReportSpan {
    fn from(period: &Period) -> Self {
        let span = &period.span;
        Self { from_date: span.start, to_date: span.end, time_zone: period.zone.name() }
    }
}

/// A user by name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NamedUser {
    pub user_id: Uuid,
    /// The address; `null` for a user who is not a member any more.
    pub email: Option<String>,
    /// The name shown; `null` for a user who is not a member any more.
    pub display_name: Option<String>,
}

impl NamedUser {
    /// A user with the name of a member. Names of users who have left the tenant are not shown.
    fn read(reader: &Reader, tenant: TenantId, user_id: Uuid) -> storage::Result<Self> {
        let user = principals::member(reader, tenant, user_id)?;
        let (email, display_name) = user.map(|user| (user.email, user.display_name)).unzip();
        Ok(Self { user_id, email, display_name })
    }
}

/// An assistant, and how it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewItem {
    /// The assistant; `null` for all that was done without one.
    pub assistant_id: Option<Uuid>,
    /// Its name; `null` for one that was deleted for good, and without one.
    pub name: Option<String>,
    /// Chat or workflow.
    #[serde(rename = "type")]
    pub kind: Option<AssistantType>,
    /// Whose it is.
    pub owner: Option<NamedUser>,
    /// Who may see it.
    pub visibility: Option<Visibility>,
    /// Whether it answers.
    pub enabled: Option<bool>,
    /// Why it does not.
    pub disabled_reason: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// When it was put into the bin.
    pub deleted_at: Option<Timestamp>,
    /// How many users did something with it.
    pub users: u64,
    /// What they did.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When it was last used, in the span or not.
    pub last_used_at: Option<Timestamp>,
}

/// A model, and how it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelReportItem {
    /// Its full id; `null` for answers of workflows, whose nodes' models are listed with their own usage.
    #[schema(example = "builtin/scribe")]
    pub model: Option<String>,
    /// Whose it is.
    #[schema(example = "builtin")]
    pub provider: Option<String>,
    /// Its name; `null` where it is not there any more.
    pub name: Option<String>,
    /// How many users used it.
    pub users: u64,
    /// What they did.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When it was last used, in the span or not.
    pub last_used_at: Option<Timestamp>,
}

/// A user, and what they did.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserReportItem {
    /// Who.
    #[serde(flatten)]
    pub user: NamedUser,
    /// Person or program; `null` for a user who is not a member any more.
    pub kind: Option<UserKind>,
    /// What they may do; `null` for a user who is not a member any more.
    pub role: Option<Role>,
    /// Whether they are disabled.
    pub disabled: Option<bool>,
    /// What they did.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When they last did anything, in the span or not.
    pub last_used_at: Option<Timestamp>,
    /// Bytes that are stored for them now, as `limits.stored_mib_per_user` limits them.
    pub stored_bytes: u64,
}

impl OverviewItem {
    /// A row of a report, with the name of the assistant's owner.
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
    /// A row of a report, with the model's name.
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
            /// How many rows there are in all.
            pub total: u64,
            /// The sum of all rows, including those of other parts.
            pub totals: ActivityFigures,
            /// The period.
            #[serde(flatten)]
            pub span: ReportSpan,
        }

        impl $name {
            /// A part of a report, each of its rows shown by `item`.
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
    /// How assistants were used.
    OverviewResponse of OverviewItem
}
report! {
    /// How models were used.
    ModelReportResponse of ModelReportItem
}
report! {
    /// What users did.
    UserReportResponse of UserReportItem
}
