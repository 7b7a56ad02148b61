//! Statistics about the caller's objects and usage in a tenant.

use actix_web::web::Data;
use serde::Serialize;
use storage::records::usage::Spend;
use storage::records::{Assistant, Automation, Conversation, KnowledgeBase, Memory, ledger};
use storage::{IndexKey, Reader, Record, Scan, Stored, Timestamp};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::App;
use crate::http::scopes::UsageRead;
use crate::http::{Api, Auth, Caller, Json, operations};

/// The number of conversations that are read at a time.
const PAGE: usize = 200;

/// The number of a user's objects in a tenant, and their usage.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct UserStatsResponse {
    pub conversations: u64,
    /// The number of conversations that are archived.
    pub archived_conversations: u64,
    /// The number of messages in these conversations, on all branches.
    pub messages: u64,
    pub assistants: u64,
    pub knowledge_bases: u64,
    pub automations: u64,
    pub memories: u64,
    /// The number of bytes stored for the user in this tenant.
    pub stored_bytes: u64,
    /// The maximum number of stored bytes. `null` if there is no limit.
    pub stored_bytes_limit: Option<u64>,
    /// The number of model calls.
    pub requests: u64,
    /// The number of tokens in requests and responses.
    pub tokens: u64,
    /// The quarter of an hour in which the user first used a model.
    pub first_used_at: Option<Timestamp>,
}

/// Retrieve statistics about the caller's objects and usage.
#[utoipa::path(get, path = "/api/users/stats")]
async fn get_user_stats(auth: Auth<UsageRead>, app: Data<App>) -> Api<Json<UserStatsResponse>> {
    let caller = auth.caller();
    let limit = Some(app.config.limits.stored().user_bytes).filter(|limit| *limit > 0);
    let stats = app.store.read(move |reader| stats(reader, &caller)).await?;
    Ok(Json(UserStatsResponse { stored_bytes_limit: limit, ..stats }))
}

fn stats(reader: &Reader, caller: &Caller) -> Api<UserStatsResponse> {
    let (tenant, user) = (caller.tenant, caller.user);
    let spend = Spend::ever(reader, tenant, user)?;
    let memories = Scan::table().prefix(user.as_bytes().to_vec());
    let mut stats = UserStatsResponse {
        assistants: owned::<Assistant>(reader, caller)?,
        knowledge_bases: owned::<KnowledgeBase>(reader, caller)?,
        automations: owned::<Automation>(reader, caller)?,
        memories: reader.count::<Memory>(tenant, memories)?,
        stored_bytes: Stored::of_user(reader, tenant, user)?.bytes,
        requests: spend.requests,
        tokens: spend.tokens(),
        first_used_at: ledger::first(reader, tenant, user, false)?.map(|entry| entry.quarter),
        ..UserStatsResponse::default()
    };
    conversations(reader, caller, &mut stats)?;
    Ok(stats)
}

/// Counts the records of a type that the caller owns, without reading them.
fn owned<T: Record<Id = Uuid>>(reader: &Reader, caller: &Caller) -> Api<u64> {
    Ok(reader.count::<T>(caller.tenant, Scan::index("by_owner").prefix(owner_key(caller)))?)
}

fn owner_key(caller: &Caller) -> Vec<u8> {
    IndexKey::new().id(&caller.user).done()
}

/// Counts conversations and messages. Each conversation stores its number of messages, so no message is read.
fn conversations(reader: &Reader, caller: &Caller, stats: &mut UserStatsResponse) -> Api<()> {
    let mut cursor = None;
    loop {
        let scan = Scan::index("by_owner_updated").prefix(owner_key(caller)).limit(PAGE).after(cursor);
        let page = reader.scan::<Conversation>(caller.tenant, scan)?;
        for row in page.items.iter().filter(|row| !row.is_system) {
            stats.conversations += 1;
            stats.archived_conversations += u64::from(row.archived);
            stats.messages += row.message_count;
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

operations!(get_user_stats);
