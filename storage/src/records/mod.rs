//! The persisted types, one file each, and the list of every table.
//!
//! A new record: a file here, a line in [`each`], and its two key bytes. Key bytes of a record
//! that is no more go to [`RETIRED`] and are never used again: old data folders hold them.

pub mod activity;
mod api_token;
mod assistant;
mod audit_record;
mod automation;
mod automation_run;
mod budget;
mod budget_notice;
mod catalog_metadata;
mod chunk;
mod client_registration;
mod conversation;
mod data_count;
mod data_item;
mod debug_session;
mod delivery;
mod directory;
mod document;
mod favourites;
mod feature_rule;
mod group;
mod idempotency_key;
mod installation;
mod invitation;
mod join_request;
mod knowledge_base;
pub mod ledger;
mod login_flow;
mod membership;
mod memory;
mod memory_mark;
mod message;
mod model_rule;
mod notice;
mod notice_box;
mod notification_endpoint;
mod notification_preferences;
mod password_hash;
mod price_list;
mod project;
mod provider_key;
mod revocation;
mod run;
mod run_blob;
mod run_input;
mod service_connection;
mod session;
mod skill;
mod skill_draft;
mod subject;
mod team;
mod tenant;
mod upload;
pub mod usage;
mod usage_record;
mod user;
mod video_job;

pub use api_token::ApiToken;
pub use assistant::{Assistant, AssistantType, ToolServer};
pub use audit_record::AuditRecord;
pub use automation::{
    Automation, AutomationSchedule, CatchUp, CatchUpPolicy, LastRun, Overlap, PausedReason, Trigger,
    TriggerKind,
};
pub use automation_run::{AutomationRun, AutomationRunState, SkipReason};
pub use budget::{Budget, Exhausted, Measure};
pub use budget_notice::BudgetNotice;
pub use catalog_metadata::CatalogMetadata;
pub use chunk::{Chunk, ChunkKey, ChunkVectors, VECTOR_BLOCK};
pub use client_registration::ClientRegistration;
pub use conversation::{Conversation, TitleSource};
pub use data_count::DataCount;
pub use data_item::DataItem;
pub use debug_session::{BreakWhen, Breakpoint, DebugSession};
pub use delivery::{Delivery, DeliveryQueue};
pub use directory::{DirectoryGroup, DirectoryPerson, DirectorySource, GroupListing, GroupSync, SyncCounts};
pub use document::{Build, Coming, Document, DocumentError, DocumentSource, DocumentStatus, Draft};
pub use favourites::Favourites;
pub use feature_rule::FeatureRule;
pub use group::{Group, GroupMember};
pub use idempotency_key::IdempotencyKey;
pub use installation::{
    Installation, InstallationOrigin, InstalledResource, PackageKind, RequiredInstallation, ResourceKind,
};
pub use invitation::Invitation;
pub use join_request::JoinRequest;
pub use knowledge_base::{KnowledgeBase, Rebuild};
pub use login_flow::LoginFlow;
pub use membership::{Membership, MembershipOrigin};
pub use memory::{Memory, MemorySource};
pub use memory_mark::MemoryMark;
pub use message::{
    Attachment, Feedback, Message, MessageError, MessageRole, MessageStatus, Part, Rating, Source,
    SourcePlace, ToolCall, Usage,
};
pub use model_rule::ModelRule;
pub use notice::{Notice, Severity};
pub use notice_box::{NoticeBox, NoticeChange, NoticeEvent, NoticePlace};
pub use notification_endpoint::{EndpointKind, NotificationEndpoint};
pub use notification_preferences::{ChannelChoice, Channels, NotificationPreferences};
pub use password_hash::PasswordHash;
pub use price_list::{ListedPrice, PriceList};
pub use project::{Project, ProjectCount, ProjectKind};
pub use provider_key::ProviderKey;
pub use revocation::Revocation;
pub use run::{AwaitingRun, Recovery, Run, RunKind, RunState};
pub use run_blob::RunBlob;
pub use run_input::RunInput;
pub use service_connection::ServiceConnection;
pub use session::Session;
pub use skill::{Skill, SkillContent, SkillFunction, SkillUsableIn, SkillVersion};
pub use skill_draft::{SkillDraft, SkillDraftState, SkillTrial};
pub use team::Team;
pub use tenant::{Governed, Logo, Provisioning, Tenant};
pub use upload::Upload;
pub use usage_record::UsageRecord;
pub use user::{User, UserKind, UserPreferences};
pub use video_job::{VideoError, VideoJob, VideoJobState, VideoOperation, VideoResult};

pub use crate::authority::{
    Audience, Grant, GrantLevel, Principal, PrincipalKind, Role, Shared, Sharing, Visibility,
};
use crate::record::Record;
pub use crate::tables::{RETIRED, TABLES};

/// Something to be done for every kind of record.
pub(crate) trait Visit {
    /// What can go wrong with one.
    type Error;
    /// Visits one record type.
    fn visit<T: Record>(&mut self) -> Result<(), Self::Error>;
}

/// Does it for every kind of record.
pub(crate) fn each<V: Visit>(to: &mut V) -> Result<(), V::Error> {
    to.visit::<ApiToken>()?;
    to.visit::<Assistant>()?;
    to.visit::<AuditRecord>()?;
    to.visit::<Automation>()?;
    to.visit::<AutomationRun>()?;
    to.visit::<AutomationSchedule>()?;
    to.visit::<Budget>()?;
    to.visit::<BudgetNotice>()?;
    to.visit::<Chunk>()?;
    to.visit::<ChunkVectors>()?;
    to.visit::<ClientRegistration>()?;
    to.visit::<Conversation>()?;
    to.visit::<DataCount>()?;
    to.visit::<DataItem>()?;
    to.visit::<DebugSession>()?;
    to.visit::<Delivery>()?;
    to.visit::<DeliveryQueue>()?;
    to.visit::<DirectoryGroup>()?;
    to.visit::<DirectoryPerson>()?;
    to.visit::<DirectorySource>()?;
    to.visit::<Document>()?;
    to.visit::<Favourites>()?;
    to.visit::<FeatureRule>()?;
    to.visit::<Group>()?;
    to.visit::<GroupListing>()?;
    to.visit::<GroupMember>()?;
    to.visit::<GroupSync>()?;
    to.visit::<IdempotencyKey>()?;
    to.visit::<Installation>()?;
    to.visit::<Invitation>()?;
    to.visit::<JoinRequest>()?;
    to.visit::<KnowledgeBase>()?;
    to.visit::<LoginFlow>()?;
    to.visit::<Membership>()?;
    to.visit::<Memory>()?;
    to.visit::<MemoryMark>()?;
    to.visit::<Message>()?;
    to.visit::<ModelRule>()?;
    to.visit::<Notice>()?;
    to.visit::<NoticeBox>()?;
    to.visit::<NoticeEvent>()?;
    to.visit::<NotificationEndpoint>()?;
    to.visit::<NotificationPreferences>()?;
    to.visit::<PasswordHash>()?;
    to.visit::<Project>()?;
    to.visit::<ProjectCount>()?;
    to.visit::<PriceList>()?;
    to.visit::<ProviderKey>()?;
    to.visit::<Revocation>()?;
    to.visit::<Run>()?;
    to.visit::<RunBlob>()?;
    to.visit::<RunInput>()?;
    to.visit::<ServiceConnection>()?;
    to.visit::<Session>()?;
    to.visit::<Skill>()?;
    to.visit::<SkillContent>()?;
    to.visit::<SkillDraft>()?;
    to.visit::<Team>()?;
    to.visit::<Tenant>()?;
    to.visit::<Upload>()?;
    to.visit::<UsageRecord>()?;
    to.visit::<User>()?;
    to.visit::<VideoJob>()
}
