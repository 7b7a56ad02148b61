//! How much the caller has here.

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

/// Conversations that are read at once.
const PAGE: usize = 200;

/// How much a user has here, and has done.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct UserStatsResponse {
    pub conversations: u64,
    /// Those of them that are put away.
    pub archived_conversations: u64,
    /// Messages in them, on all branches.
    pub messages: u64,
    pub assistants: u64,
    pub knowledge_bases: u64,
    pub automations: u64,
    pub memories: u64,
    /// Bytes that are stored for them in this tenant.
    pub stored_bytes: u64,
    /// How many there may be; `null` for no limit.
    pub stored_bytes_limit: Option<u64>,
    /// Uses of models.
    pub requests: u64,
    /// Tokens of requests and answers.
    pub tokens: u64,
    /// The quarter of an hour in which they first used a model.
    pub first_used_at: Option<Timestamp>,
}

/// Count what one has here, and what one has done.
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

/// How many things of a kind the caller owns; they are counted, and not read.
fn owned<T: Record<Id = Uuid>>(reader: &Reader, caller: &Caller) -> Api<u64> {
    Ok(reader.count::<T>(caller.tenant, Scan::index("by_owner").prefix(own(caller)))?)
}

fn own(caller: &Caller) -> Vec<u8> {
    IndexKey::new().id(&caller.user).done()
}

/// Conversations know how many messages they have, so that no message is read.
fn conversations(reader: &Reader, caller: &Caller, stats: &mut UserStatsResponse) -> Api<()> {
    let mut cursor = None;
    loop {
        let scan = Scan::index("by_owner_updated").prefix(own(caller)).limit(PAGE).after(cursor);
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
