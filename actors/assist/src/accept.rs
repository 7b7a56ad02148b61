//! What accepting a run of any kind asks: was it accepted before, is another live, who may use the
//! assistant, which model.

use data_encoding::HEXLOWER;
use providers::Models;
use runs::{StartError, Terminal};
use storage::authority::{Feature, FeatureSet, Subject};
use storage::records::{
    Assistant, Conversation, IdempotencyKey, KnowledgeBase, Run, RunKind, RunState, Shared, Skill,
};
use storage::{Reader, Row, Scan, Store, TenantId, Timestamp, Tx};
use uuid::Uuid;

use crate::offer::ModelChoices;

/// The idempotency key of a request, if it has one.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    /// The tenant of the request.
    pub tenant: TenantId,
    /// Who asks.
    pub user: Uuid,
    /// The key, as the request has it.
    pub key: Option<&'a str>,
    /// SHA-256 of the request, in hex.
    pub request_sha256: &'a str,
}

impl Key<'_> {
    fn id(&self) -> Option<(Uuid, String)> {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.key?.as_bytes());
        Some((self.user, HEXLOWER.encode(digest.as_ref())))
    }

    /// Whether something was accepted under the key: that is asked before any limit, as what was
    /// accepted is not refused.
    pub async fn is_known(&self, store: &Store) -> Result<bool, StartError> {
        let Some(id) = self.id() else { return Ok(false) };
        let tenant = self.tenant;
        let known = store.read(move |reader| {
            let row = reader.get::<IdempotencyKey>(tenant, &id)?;
            let Some(row) = row.filter(|row| row.expires_at > Timestamp::now()) else { return Ok(false) };
            let run = reader.get::<Run>(tenant, &row.run_id)?;
            run.map_or(Ok(true), |run| holds(reader, tenant, &run))
        });
        known.await.map_err(StartError::Storage)
    }

    /// The run that was accepted under the key.
    pub fn known(&self, tx: &mut Tx) -> Result<Option<Row<Run>>, StartError> {
        let Some(id) = self.id() else { return Ok(None) };
        let Some(known) = tx.get::<IdempotencyKey>(self.tenant, &id)? else { return Ok(None) };
        if known.expires_at <= Timestamp::now() {
            tx.delete::<IdempotencyKey>(self.tenant, &id)?;
            return Ok(None);
        }
        if known.request_sha256 != self.request_sha256 {
            return Err(StartError::IdempotencyMismatch);
        }
        let run = tx.get::<Run>(self.tenant, &known.run_id)?.ok_or(StartError::Expired)?;
        if !holds(tx, self.tenant, &run)? {
            tx.delete::<IdempotencyKey>(self.tenant, &id)?;
            return Ok(None);
        }
        Ok(Some(run))
    }

    /// Remembers what was accepted.
    pub fn remember(&self, tx: &mut Tx, run_id: Uuid) -> Result<(), StartError> {
        let Some(id) = self.id() else { return Ok(()) };
        let key = IdempotencyKey {
            run_id,
            request_sha256: self.request_sha256.to_owned(),
            expires_at: Timestamp::now() + IdempotencyKey::LIFE,
            ..IdempotencyKey::default()
        };
        tx.insert(self.tenant, id, key)?;
        Ok(())
    }
}

/// Whether a run holds its key. One that stands in no conversation and ended before it said anything, for a
/// reason that may pass, does not: clients repeat such a request by themselves, and with the same key. In a
/// conversation the question itself would be added a second time.
fn holds(reader: &Reader, tenant: TenantId, run: &Row<Run>) -> storage::Result<bool> {
    if run.conversation_id.is_some() || run.kind != RunKind::Completion || !run.state.is_terminal() {
        return Ok(true);
    }
    let terminal = reader.terminal(tenant, run.id)?;
    let terminal = terminal.and_then(|json| serde_json::from_slice::<Terminal>(&json).ok());
    Ok(terminal.is_none_or(|terminal| terminal.partial || !may_pass(&terminal)))
}

fn may_pass(end: &Terminal) -> bool {
    let code = end.error.as_ref().map(|error| error.code.as_str());
    let passing = [
        "upstream_rate_limited",
        "upstream_unavailable",
        "upstream_timeout",
        "upstream_unreachable",
        "upstream_error",
        "upstream_protocol",
    ];
    end.status == RunState::Interrupted || code.is_some_and(|code| passing.contains(&code))
}

/// The live run of a conversation. Starting one updates the conversation's row in the same
/// transaction, so two at once meet a conflict and the second sees the first.
pub fn live_run(tx: &mut Tx, tenant: TenantId, conversation: Uuid) -> storage::Result<Option<Uuid>> {
    let prefix = conversation.as_bytes().to_vec();
    let scan = Scan::index("live_by_conversation").prefix(prefix).limit(1);
    Ok(tx.scan::<Run>(tenant, scan)?.items.first().map(|row| row.id))
}

/// A conversation of the user's.
pub fn conversation(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    id: Uuid,
) -> Result<Row<Conversation>, StartError> {
    let found = tx.get::<Conversation>(tenant, &id)?.filter(|row| row.owner == user);
    found.ok_or(StartError::NotFound("conversation"))
}

/// An assistant that the user may see and that answers.
pub fn assistant(tx: &mut Tx, tenant: TenantId, user: Uuid, id: Uuid) -> Result<Row<Assistant>, StartError> {
    let standing = Subject::read(tx, tenant, user)?.ok_or(StartError::NotFound("assistant"))?;
    let visible = |row: &Row<Assistant>| row.level_of(&standing).is_some();
    let found = tx.get::<Assistant>(tenant, &id)?;
    let found = found.filter(|row| row.deleted_at.is_none() && visible(row));
    let found = found.ok_or(StartError::NotFound("assistant"))?;
    has_feature(tx, &standing, Feature::of(found.kind))?;
    enabled(&found)?;
    Ok(found)
}

/// Refuses an assistant that was disabled.
pub fn enabled(assistant: &Assistant) -> Result<(), StartError> {
    match assistant.enabled {
        true => Ok(()),
        false => Err(StartError::AssistantDisabled(assistant.disabled_reason.clone())),
    }
}

/// Refuses what is switched off for the user, by whichever interface it is requested.
fn has_feature(tx: &Tx, standing: &Subject, feature: Feature) -> Result<(), StartError> {
    match FeatureSet::read(tx, standing)?.contains(feature) {
        true => Ok(()),
        false => Err(StartError::FeatureDisabled(feature)),
    }
}

/// Skills and knowledge bases that a request names: they have to be visible to the user.
pub fn named(
    tx: &mut Tx,
    tenant: TenantId,
    user: Uuid,
    skills: Option<&[Uuid]>,
    bases: &[Uuid],
) -> Result<(), StartError> {
    if skills.is_none_or(<[Uuid]>::is_empty) && bases.is_empty() {
        return Ok(());
    }
    let standing = Subject::read(tx, tenant, user)?.ok_or(StartError::NotFound("membership"))?;
    if skills.is_some_and(|skills| !skills.is_empty()) {
        has_feature(tx, &standing, Feature::Skills)?;
    }
    if !bases.is_empty() {
        has_feature(tx, &standing, Feature::KnowledgeBases)?;
    }
    for id in skills.unwrap_or_default() {
        let skill = tx.get::<Skill>(tenant, id)?;
        let visible = skill.is_some_and(|row| row.level_of(&standing).is_some());
        visible.then_some(()).ok_or(StartError::NotFound("skill"))?;
    }
    for id in bases {
        let base = tx.get::<KnowledgeBase>(tenant, id)?.filter(|row| row.assistant_id.is_none());
        let visible = base.is_some_and(|row| row.level_of(&standing).is_some());
        visible.then_some(()).ok_or(StartError::NotFound("knowledge base"))?;
    }
    Ok(())
}

/// Refuses where the user may spend no more on models. The request's model, else the conversation's (`named`, in this order), the assistant's, the
/// user's, the tenant's, else the default of the installation. Only the first is the user's own choice:
/// one of the others that is not there any more, or not for this user, is passed over.
pub fn model(
    tx: &mut Tx,
    models: &Models,
    tenant: TenantId,
    user: Uuid,
    [asked, kept]: [Option<&str>; 2],
    assistant: Option<&Row<Assistant>>,
) -> Result<String, StartError> {
    let terms = ModelChoices::read(tx, tenant, user)?;
    let model = match asked {
        Some(named) => {
            let found = terms.find(models, named);
            found.ok_or_else(|| StartError::UnknownModel {
                model: named.to_owned(),
                omission: providers::omission(named),
            })?
        }
        None => {
            let named = [kept, assistant.and_then(|row| row.model.as_deref())];
            let found = named.into_iter().flatten().find_map(|name| terms.find(models, name));
            found.unwrap_or_else(|| terms.default(models).0)
        }
    };
    terms.within_budget()?;
    Ok(model.info.id.clone())
}
