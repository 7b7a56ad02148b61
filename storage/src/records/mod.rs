//! The persisted types, one file each, and the list of all tables.
//!
//! To add a record, add a file here, add its name to the list at the end, and choose two key bytes. When a
//! record is removed, move its key bytes to [`RETIRED`] and never use them again: old data folders still
//! contain such keys.

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
mod kind;
mod knowledge_base;
pub mod ledger;
mod login_flow;
mod membership;
mod memory;
mod memory_mark;
mod message;
mod message_node;
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
pub use message_node::MessageNode;
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
pub use crate::tables::{RETIRED, TABLES};
pub(crate) use kind::{Entries, Kind};

/// Lists all kinds of records.
macro_rules! records {
    ($($record:ident),* $(,)?) => {
        /// Returns all kinds of records.
        pub(crate) fn kinds() -> Vec<Kind> {
            vec![$(Kind::of::<$record>()),*]
        }

        /// Returns the names of all kinds with the JSON of a record that has only default values.
        #[cfg(test)]
        pub(crate) fn defaults() -> Vec<(&'static str, serde_json::Value)> {
            use crate::record::{Record, StoredForm};
            vec![$((
                <$record as Record>::NAME,
                <$record as StoredForm>::from_stored(b"{}").map_or(serde_json::Value::Null, |it| serde_json::to_value(it).expect("JSON")),
            )),*]
        }

        $(crate::record::stored_as_json!($record);)*
    };
}

records! {
    ApiToken, Assistant, AuditRecord, Automation, AutomationRun, AutomationSchedule, Budget, BudgetNotice,
    Chunk, ChunkVectors, ClientRegistration, Conversation, DataCount, DataItem, DebugSession, Delivery,
    DeliveryQueue, DirectoryGroup, DirectoryPerson, DirectorySource, Document, Favourites, FeatureRule,
    Group, GroupListing, GroupMember, GroupSync, IdempotencyKey, Installation, Invitation, JoinRequest,
    KnowledgeBase, LoginFlow, Membership, Memory, MemoryMark, Message, MessageNode, ModelRule, Notice, NoticeBox,
    NoticeEvent, NotificationEndpoint, NotificationPreferences, PasswordHash, Project, ProjectCount,
    PriceList, ProviderKey, Revocation, Run, RunBlob, RunInput, ServiceConnection, Session, Skill,
    SkillContent, SkillDraft, Team, Tenant, Upload, UsageRecord, User, VideoJob,
}
