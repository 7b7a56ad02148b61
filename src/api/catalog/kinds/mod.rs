//! What packages consist of, each kind in a file: which fields it has, how it is made and changed. All of it goes
//! through the functions that the requests of its own area go through.

mod assistant;
mod automation;
mod knowledge_base;
mod skill;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use storage::authority::{Feature, Subject};
use storage::records::{
    Assistant, Automation, GrantLevel, Installation, InstalledResource, KnowledgeBase, ResourceKind, Role,
    Shared, Skill, Visibility,
};
use storage::{Reader, TenantId, Tx};
use utoipa::ToSchema;
use uuid::Uuid;

use super::making::Making;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller, Scope, Validate, read_json};
use domain::access::policy::Requirement;

pub use assistant::approve;

/// Fields by their names.
pub type Fields = Map<String, Value>;

/// The state of an installed resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceState {
    /// As it was installed.
    Present,
    /// Changed since.
    Edited,
    /// In the bin.
    Binned,
    /// Deleted, or no longer the installer's to change.
    Missing,
}

/// What making one asks of the caller.
pub fn demand(kind: ResourceKind) -> Requirement {
    let (scope, feature) = match kind {
        ResourceKind::Assistant => (Scope::AssistantsWrite, Feature::Assistants),
        ResourceKind::Skill => (Scope::SkillsWrite, Feature::Skills),
        ResourceKind::KnowledgeBase => (Scope::KnowledgeWrite, Feature::KnowledgeBases),
        ResourceKind::Automation => (Scope::AutomationsWrite, Feature::Automations),
    };
    Requirement { scope: Some(scope), feature: Some(feature), role: Role::Editor, ..Requirement::default() }
}

/// The value of a field that is not given.
pub fn default_of(kind: ResourceKind, field: &str) -> Value {
    let whole = match kind {
        ResourceKind::Assistant => serde_json::to_value(Assistant::default()),
        ResourceKind::Automation => serde_json::to_value(Automation::default()),
        ResourceKind::KnowledgeBase => serde_json::to_value(KnowledgeBase::default()),
        ResourceKind::Skill => serde_json::to_value(Skill::default()),
    };
    whole.ok().and_then(|mut whole| Some(whole.get_mut(field)?.take())).unwrap_or_default()
}

/// Whether a field is set at installation only: how a knowledge base splits documents into passages must not change
/// once users have added documents of their own.
pub fn is_settled(kind: ResourceKind, field: &str) -> bool {
    kind == ResourceKind::KnowledgeBase && matches!(field, "chunk_tokens" | "overlap")
}

/// Fields in the form in which the record holds them, all rules of the request that makes one checked.
pub fn normal(kind: ResourceKind, fields: &Fields) -> Api<Fields> {
    let whole = match kind {
        ResourceKind::Assistant => assistant::normal(fields)?,
        ResourceKind::Automation => automation::normal(fields)?,
        ResourceKind::KnowledgeBase => knowledge_base::normal(fields)?,
        ResourceKind::Skill => Value::Object(fields.clone()),
    };
    Ok(picked(&whole, fields.keys()))
}

/// The fields of one that the caller may change, as they are now; none where it is gone, binned or not theirs.
/// `documents` are those by whose content documents are looked for.
pub fn current(
    reader: &Reader,
    caller: &Caller,
    kind: ResourceKind,
    id: Uuid,
    documents: &[&Fields],
) -> Api<Option<Fields>> {
    match level(reader, caller, kind, id)? >= Some(GrantLevel::Editor) {
        true => content(reader, caller.tenant, kind, id, documents),
        false => Ok(None),
    }
}

/// The current fields of a resource, without a check of who owns it.
fn content(
    reader: &Reader,
    tenant: TenantId,
    kind: ResourceKind,
    id: Uuid,
    documents: &[&Fields],
) -> Api<Option<Fields>> {
    let whole = match kind {
        ResourceKind::Assistant => assistant::load(reader, tenant, id)?,
        ResourceKind::Automation => automation::load(reader, tenant, id)?,
        ResourceKind::KnowledgeBase => knowledge_base::load(reader, tenant, id, documents)?,
        ResourceKind::Skill => skill::load(reader, tenant, id)?,
    };
    Ok(whole.and_then(|whole| match whole {
        Value::Object(fields) => Some(fields),
        _ => None,
    }))
}

/// The fields of an installed resource that differ from what was installed, without a check of who owns it; `None`
/// if the resource is gone.
pub fn edited(reader: &Reader, tenant: TenantId, resource: &InstalledResource) -> Api<Option<Vec<String>>> {
    let InstalledResource { kind, id, base, .. } = resource;
    let Some(current) = content(reader, tenant, *kind, *id, &[base])? else { return Ok(None) };
    let differs = |(field, was): &(&String, &Value)| {
        !is_settled(*kind, field) && current.get(*field).unwrap_or(&Value::Null) != *was
    };
    Ok(Some(base.iter().filter(differs).map(|(field, _)| field.clone()).collect()))
}

/// What stands outside of a thing's fields.
pub struct Outline {
    pub name: String,
    /// Whose it is.
    pub owner: Uuid,
    /// Whether it is in the bin.
    pub is_binned: bool,
}

/// The outline of a resource, without a check of who owns it; `None` if there is none.
pub fn outline(
    reader: &Reader,
    tenant: TenantId,
    kind: ResourceKind,
    id: Uuid,
) -> storage::Result<Option<Outline>> {
    let there = |name: String, owner: Uuid| Outline { name, owner, is_binned: false };
    Ok(match kind {
        ResourceKind::Assistant => reader.get::<Assistant>(tenant, &id)?.map(|row| Outline {
            is_binned: row.deleted_at.is_some(),
            ..there(row.body.name, row.body.owner)
        }),
        ResourceKind::Automation => {
            reader.get::<Automation>(tenant, &id)?.map(|row| there(row.body.name, row.body.owner))
        }
        ResourceKind::KnowledgeBase => {
            reader.get::<KnowledgeBase>(tenant, &id)?.map(|row| there(row.body.name, row.body.owner))
        }
        ResourceKind::Skill => {
            reader.get::<Skill>(tenant, &id)?.map(|row| there(row.body.name, row.body.owner))
        }
    })
}

/// Who may see what the caller has installed: those who may see the first of its things that can be seen by others.
pub fn visibility_of(reader: &Reader, caller: &Caller, row: &Installation) -> Api<Visibility> {
    for resource in &row.resources {
        if let Some(fields) = current(reader, caller, resource.kind, resource.id, &[])?
            && let Some(visibility) = fields.get("visibility")
        {
            return Ok(serde_json::from_value(visibility.clone()).unwrap_or_default());
        }
    }
    Ok(Visibility::Private)
}

/// What a member of the tenant may do with one; none where they may not even see it, or it is in the bin.
pub fn level(
    reader: &Reader,
    who: &Subject,
    kind: ResourceKind,
    id: Uuid,
) -> storage::Result<Option<GrantLevel>> {
    let tenant = who.tenant;
    Ok(match kind {
        ResourceKind::Assistant => {
            let row = reader.get::<Assistant>(tenant, &id)?.filter(|row| row.deleted_at.is_none());
            row.and_then(|row| row.body.level_of(who))
        }
        ResourceKind::KnowledgeBase => {
            let row = reader.get::<KnowledgeBase>(tenant, &id)?.filter(|row| row.assistant_id.is_none());
            row.and_then(|row| row.body.level_of(who))
        }
        ResourceKind::Skill => reader.get::<Skill>(tenant, &id)?.and_then(|row| row.body.level_of(who)),
        // An automation acts for its owner, so only they can build upon it.
        ResourceKind::Automation => {
            let row = reader.get::<Automation>(tenant, &id)?.filter(|row| row.owner == who.user);
            row.map(|_| GrantLevel::Owner)
        }
    })
}

/// The caller's own that have this name.
pub fn of_name(reader: &Reader, caller: &Caller, kind: ResourceKind, name: &str) -> Api<Vec<Uuid>> {
    match kind {
        ResourceKind::Assistant => assistant::of_name(reader, caller, name),
        ResourceKind::Automation => automation::of_name(reader, caller, name),
        ResourceKind::KnowledgeBase => knowledge_base::of_name(reader, caller, name),
        ResourceKind::Skill => skill::of_name(reader, caller, name),
    }
}

/// Makes one of the caller's.
pub fn create(
    tx: &mut Tx,
    making: &mut Making<'_>,
    resource: &ResourceManifest,
    fields: Fields,
) -> Api<Uuid> {
    match resource.kind {
        ResourceKind::Assistant => assistant::create(tx, making, &fields),
        ResourceKind::Automation => automation::create(tx, making, &fields),
        ResourceKind::KnowledgeBase => knowledge_base::create(tx, making, &resource.key, &fields),
        ResourceKind::Skill => skill::create(tx, making, &resource.key, &fields),
    }
}

/// Changes some fields of one. `base` is what a document's place held before.
pub fn change(
    tx: &mut Tx,
    making: &mut Making<'_>,
    resource: &ResourceManifest,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    match resource.kind {
        ResourceKind::Assistant => assistant::change(tx, making, id, changed),
        ResourceKind::Automation => automation::change(tx, making, id, ours, changed),
        ResourceKind::KnowledgeBase => knowledge_base::change(tx, making, &resource.key, id, ours, changed),
        ResourceKind::Skill => skill::change(tx, making, &resource.key, id, ours, changed),
    }
}

/// Says on an assistant, or a skill, which package it is from.
pub fn label(tx: &mut Tx, making: &Making<'_>, kind: ResourceKind, id: Uuid) -> Api<()> {
    match kind {
        ResourceKind::Assistant => assistant::label(tx, making, id),
        ResourceKind::Skill => skill::label(tx, making, id),
        ResourceKind::Automation | ResourceKind::KnowledgeBase => Ok(()),
    }
}

/// Reads fields as the request that they are.
fn read<T: DeserializeOwned + Validate + ToSchema + 'static>(fields: &Fields) -> Api<T> {
    let bytes = serde_json::to_vec(fields).map_err(|why| storage::Error::Invalid(why.to_string()))?;
    read_json(&bytes)
}

/// A record as JSON.
fn whole<T: Serialize>(body: &T) -> Api<Value> {
    Ok(serde_json::to_value(body).map_err(|why| storage::Error::Invalid(why.to_string()))?)
}

/// Some fields of an object; `null` for those that it does not have.
pub fn picked<'a>(whole: &Value, wanted: impl IntoIterator<Item = &'a String>) -> Fields {
    let pick = |field: &String| (field.clone(), whole.get(field).cloned().unwrap_or_default());
    wanted.into_iter().map(pick).collect()
}
