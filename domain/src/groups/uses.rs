//! The objects that refer to a group. Once the group is deleted, they no longer give its members
//! access.

use serde::Serialize;
use storage::records::{
    Assistant, Audience, FeatureRule, KnowledgeBase, ModelRule, Principal, PrincipalKind, Project, Shared,
    Skill, Team,
};
use storage::{Reader, Record, Row, Scan, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum number of uses that are returned for a group.
const MAX_USES: usize = 100;

/// An object that refers to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct GroupUse {
    /// Kind of the object: `assistant`, `knowledge_base`, `skill`, `project`, `team`, `feature` or
    /// `model`.
    pub kind: String,
    /// Id of the object; for a feature or a model, its name.
    pub id: String,
    pub name: String,
}

/// Returns the objects that refer to a group, at most [`MAX_USES`].
pub(super) fn of_group(reader: &Reader, tenant: TenantId, group: Uuid) -> storage::Result<Vec<GroupUse>> {
    let mut uses = Vec::new();
    let named =
        |audience: &Audience| matches!(audience, Audience::Only { groups, .. } if groups.contains(&group));
    for rule in reader.scan::<FeatureRule>(tenant, Scan::table())?.items {
        if named(&rule.audience) {
            uses.push(GroupUse { kind: "feature".into(), id: rule.id.clone(), name: rule.id });
        }
    }
    for rule in reader.scan::<ModelRule>(tenant, Scan::table())?.items {
        if named(&rule.audience) {
            uses.push(GroupUse { kind: "model".into(), id: rule.id.clone(), name: rule.id });
        }
    }
    let principal = Principal { kind: PrincipalKind::Group, id: group };
    let scan = Scan::index("by_principal").prefix(principal.index_key()).limit(MAX_USES);
    for row in reader.scan::<Team>(tenant, scan)?.items {
        uses.push(GroupUse { kind: Team::NAME.into(), id: row.id.to_string(), name: row.body.name });
    }
    granted::<Assistant>(reader, tenant, &principal, &mut uses, |row| row.name.clone())?;
    granted::<KnowledgeBase>(reader, tenant, &principal, &mut uses, |row| row.name.clone())?;
    granted::<Skill>(reader, tenant, &principal, &mut uses, |row| row.name.clone())?;
    granted::<Project>(reader, tenant, &principal, &mut uses, |row| row.name.clone())?;
    uses.truncate(MAX_USES);
    Ok(uses)
}

fn granted<T: Record<Id = Uuid> + Shared>(
    reader: &Reader,
    tenant: TenantId,
    to: &Principal,
    uses: &mut Vec<GroupUse>,
    name: fn(&Row<T>) -> String,
) -> storage::Result<()> {
    let mut after = None;
    while uses.len() < MAX_USES {
        let page = reader.scan::<T>(tenant, Scan::table().limit(500).after(after))?;
        let naming =
            page.items.iter().filter(|row| row.sharing().grants.iter().any(|grant| grant.principal == *to));
        uses.extend(naming.map(|row| GroupUse {
            kind: T::NAME.into(),
            id: row.id.to_string(),
            name: name(row),
        }));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    Ok(())
}
