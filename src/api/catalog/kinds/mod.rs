//! The kinds of resources in packages, one file per kind: its fields, its creation and its changes. Everything uses the functions that the
//! requests of its own area use.

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

use super::resource_creation::ResourceCreation;
use crate::catalog::ResourceManifest;
use crate::http::{Api, Caller, Scope, Validate, read_json};
use domain::access::policy::Requirement;

pub use assistant::approve;

/// Fields of a resource, by name.
pub type Fields = Map<String, Value>;

/// The state of an installed resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceState {
    /// Unchanged since the installation.
    Present,
    /// Changed since the installation.
    Edited,
    /// In the bin.
    Binned,
    /// Deleted, or the user who installed it may no longer change it.
    Missing,
}

/// Returns what the creation of a resource requires of the caller.
pub fn requirement(kind: ResourceKind) -> Requirement {
    let (scope, feature) = match kind {
        ResourceKind::Assistant => (Scope::AssistantsWrite, Feature::Assistants),
        ResourceKind::Skill => (Scope::SkillsWrite, Feature::Skills),
        ResourceKind::KnowledgeBase => (Scope::KnowledgeWrite, Feature::KnowledgeBases),
        ResourceKind::Automation => (Scope::AutomationsWrite, Feature::Automations),
    };
    Requirement { scope: Some(scope), feature: Some(feature), role: Role::Editor, ..Requirement::default() }
}

/// Returns the default of a field that is not set.
pub fn default_of(kind: ResourceKind, field: &str) -> Value {
    let whole = match kind {
        ResourceKind::Assistant => serde_json::to_value(Assistant::default()),
        ResourceKind::Automation => serde_json::to_value(Automation::default()),
        ResourceKind::KnowledgeBase => serde_json::to_value(KnowledgeBase::default()),
        ResourceKind::Skill => serde_json::to_value(Skill::default()),
    };
    whole.ok().and_then(|mut whole| Some(whole.get_mut(field)?.take())).unwrap_or_default()
}

/// Whether a field is set at installation only. How a knowledge base splits documents into passages must not change once users have added
/// documents of their own.
pub fn is_settled(kind: ResourceKind, field: &str) -> bool {
    kind == ResourceKind::KnowledgeBase && matches!(field, "chunk_tokens" | "overlap")
}

/// Converts fields to the form in which the record stores them, and checks all rules of the request that creates the resource.
pub fn normal(kind: ResourceKind, fields: &Fields) -> Api<Fields> {
    let whole = match kind {
        ResourceKind::Assistant => assistant::normal(fields)?,
        ResourceKind::Automation => automation::normal(fields)?,
        ResourceKind::KnowledgeBase => knowledge_base::normal(fields)?,
        ResourceKind::Skill => Value::Object(fields.clone()),
    };
    Ok(select_fields(&whole, fields.keys()))
}

/// Returns the current fields of a resource that the caller may change. Returns `None` if it is deleted, in the bin, or not the caller's to
/// change. The values in `documents` are the content hashes by which documents are looked up.
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

/// Returns the current fields of a resource, without a permission check.
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

/// Returns the fields of an installed resource that differ from what was installed, without a permission check; `None` if the resource was
/// deleted.
pub fn edited(reader: &Reader, tenant: TenantId, resource: &InstalledResource) -> Api<Option<Vec<String>>> {
    let InstalledResource { kind, id, base, .. } = resource;
    let Some(current) = content(reader, tenant, *kind, *id, &[base])? else { return Ok(None) };
    let differs = |(field, was): &(&String, &Value)| {
        !is_settled(*kind, field) && current.get(*field).unwrap_or(&Value::Null) != *was
    };
    Ok(Some(base.iter().filter(differs).map(|(field, _)| field.clone()).collect()))
}

/// Properties of a resource that are not fields of a package.
pub struct Outline {
    pub name: String,
    /// The user who owns the resource.
    pub owner: Uuid,
    /// Whether the resource is in the bin.
    pub is_binned: bool,
}

/// Returns the outline of a resource, without a permission check; `None` if the resource does not exist.
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

/// Returns the visibility of an installation: that of its first resource that has a visibility.
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

/// Returns the permission level of a member for a resource; `None` if the member may not see it, or if it is in the bin.
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
        // An automation acts for its owner, so only the owner can build upon it.
        ResourceKind::Automation => {
            let row = reader.get::<Automation>(tenant, &id)?.filter(|row| row.owner == who.user);
            row.map(|_| GrantLevel::Owner)
        }
    })
}

/// Returns the caller's own resources with this name.
pub fn of_name(reader: &Reader, caller: &Caller, kind: ResourceKind, name: &str) -> Api<Vec<Uuid>> {
    match kind {
        ResourceKind::Assistant => assistant::of_name(reader, caller, name),
        ResourceKind::Automation => automation::of_name(reader, caller, name),
        ResourceKind::KnowledgeBase => knowledge_base::of_name(reader, caller, name),
        ResourceKind::Skill => skill::of_name(reader, caller, name),
    }
}

/// Creates a resource that the caller owns.
pub fn create(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    resource: &ResourceManifest,
    fields: Fields,
) -> Api<Uuid> {
    match resource.kind {
        ResourceKind::Assistant => assistant::create(tx, creation, &fields),
        ResourceKind::Automation => automation::create(tx, creation, &fields),
        ResourceKind::KnowledgeBase => knowledge_base::create(tx, creation, &resource.key, &fields),
        ResourceKind::Skill => skill::create(tx, creation, &resource.key, &fields),
    }
}

/// Changes some fields of a resource. `ours` are its current fields, which identify the previous document at a path.
pub fn change(
    tx: &mut Tx,
    creation: &mut ResourceCreation<'_>,
    resource: &ResourceManifest,
    id: Uuid,
    ours: &Fields,
    changed: &Fields,
) -> Api<()> {
    match resource.kind {
        ResourceKind::Assistant => assistant::change(tx, creation, id, changed),
        ResourceKind::Automation => automation::change(tx, creation, id, ours, changed),
        ResourceKind::KnowledgeBase => knowledge_base::change(tx, creation, &resource.key, id, ours, changed),
        ResourceKind::Skill => skill::change(tx, creation, &resource.key, id, ours, changed),
    }
}

/// Records in the catalog metadata of an assistant or a skill which package it comes from.
pub fn label(tx: &mut Tx, creation: &ResourceCreation<'_>, kind: ResourceKind, id: Uuid) -> Api<()> {
    match kind {
        ResourceKind::Assistant => assistant::label(tx, creation, id),
        ResourceKind::Skill => skill::label(tx, creation, id),
        ResourceKind::Automation | ResourceKind::KnowledgeBase => Ok(()),
    }
}

/// Parses fields as the request type `T`, with its validation.
fn read<T: DeserializeOwned + Validate + ToSchema + 'static>(fields: &Fields) -> Api<T> {
    let bytes = serde_json::to_vec(fields).map_err(|why| storage::Error::Invalid(why.to_string()))?;
    read_json(&bytes)
}

/// Converts a record to JSON.
fn to_json<T: Serialize>(body: &T) -> Api<Value> {
    Ok(serde_json::to_value(body).map_err(|why| storage::Error::Invalid(why.to_string()))?)
}

/// Returns some fields of an object; `null` for fields that it does not have.
pub fn select_fields<'a>(whole: &Value, wanted: impl IntoIterator<Item = &'a String>) -> Fields {
    let pick = |field: &String| (field.clone(), whole.get(field).cloned().unwrap_or_default());
    wanted.into_iter().map(pick).collect()
}
