//! How reports look.

use serde::Serialize;
use storage::records::activity::{Activity, Counted};
use storage::records::{AssistantType, Membership, Role, User, UserKind, Visibility};
use storage::{Reader, TenantId, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::usage::{Period, Used};

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

/// What a report is about.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportSpan {
    /// When what counts begins.
    pub from_date: Timestamp,
    /// When it ends.
    pub to_date: Timestamp,
    /// Whose days they are.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: &'static str,
}

impl From<&Period> for ReportSpan {
    fn from(period: &Period) -> Self {
        let span = &period.span;
        Self { from_date: span.start, to_date: span.end, time_zone: period.zone.name() }
    }
}

/// Somebody by name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NamedUser {
    /// The user.
    pub user_id: Uuid,
    /// The address; `null` for a user who is not a member any more.
    pub email: Option<String>,
    /// The name shown; `null` for a user who is not a member any more.
    pub display_name: Option<String>,
}

impl NamedUser {
    /// What the tenant knows of a user.
    pub fn of(reader: &Reader, tenant: TenantId, user_id: Uuid) -> storage::Result<Self> {
        let member = reader.get::<Membership>(TenantId::SYSTEM, &(user_id, tenant.0))?;
        let user = if member.is_some() { reader.get::<User>(TenantId::SYSTEM, &user_id)? } else { None };
        let (email, display_name) = user.map(|row| (row.body.email, row.body.display_name)).unzip();
        Ok(Self { user_id, email, display_name })
    }
}

/// An assistant, and how it was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewItem {
    /// Which; `null` for all that was done without one.
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
    /// Its full id; `null` for answers of workflows, as the models that their nodes asked stand with what they used.
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
    /// Whether they are kept out.
    pub disabled: Option<bool>,
    /// What they did.
    #[serde(flatten)]
    pub figures: ActivityFigures,
    /// When they last did anything, in the span or not.
    pub last_used_at: Option<Timestamp>,
    /// Bytes that are stored for them now, as `limits.stored_mib_per_user` limits them.
    pub stored_bytes: u64,
}

macro_rules! report {
    ($(#[$meta:meta])* $name:ident of $item:ty) => {
        $(#[$meta])*
        #[derive(Debug, Serialize, ToSchema)]
        pub struct $name {
            /// The lines of this part.
            pub items: Vec<$item>,
            /// How many lines there are in all.
            pub total: u64,
            /// What all lines come to, those of other parts too.
            pub totals: ActivityFigures,
            /// What it is about.
            #[serde(flatten)]
            pub span: ReportSpan,
        }
    };
}
report! {
    /// Assistants, and how they were used.
    OverviewResponse of OverviewItem
}
report! {
    /// Models, and how they were used.
    ModelReportResponse of ModelReportItem
}
report! {
    /// Users, and what they did.
    UserReportResponse of UserReportItem
}

/// What was counted, without the users, of which several lines may have the same.
pub fn total<'a>(counted: impl IntoIterator<Item = &'a Counted>) -> ActivityFigures {
    let sum = counted.into_iter().fold(Activity::default(), |sum, one| sum.plus(one.activity));
    sum.into()
}
