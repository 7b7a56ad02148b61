//! Whom an assistant is shared with, and which of its knowledge bases are closed to them. It answers them without
//! these; so whoever shares it is told.

use serde::Serialize;
use storage::authority::Subject;
use storage::records::{Assistant, KnowledgeBase, Principal, PrincipalKind, Shared, Team, Visibility};
use storage::{Reader, TenantId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::knowledge::readable;
use crate::http::Caller;

/// A knowledge base of an assistant that some of those with whom the assistant is shared may not read: answers to
/// them do not rest on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClosedKnowledgeBase {
    /// The knowledge base.
    pub knowledge_base_id: Uuid,
    /// Its name.
    pub name: String,
    /// To whom it is closed: users, groups, teams and the tenant, as they stand in the assistant's grants, and its
    /// owner. Of a group or the tenant, some may have a right of their own all the same.
    pub closed_to: Vec<Principal>,
}

/// Those with whom an assistant is shared.
pub struct Askers {
    tenant: TenantId,
    all: Vec<Asker>,
}

struct Asker {
    principal: Principal,
    /// Where it stands, if it is a user; none who is kept out, and so asks nothing.
    standing: Option<Subject>,
}

impl Askers {
    /// Its owner, whom it is granted to, and the tenant where it is shown to all.
    pub fn of(reader: &Reader, tenant: TenantId, assistant: &Assistant) -> storage::Result<Self> {
        let granted = assistant.grants.iter().map(|grant| grant.principal.clone());
        let everyone = Principal { kind: PrincipalKind::Tenant, id: tenant.0 };
        let everyone = (assistant.visibility == Visibility::Tenant).then_some(everyone);
        let mut all: Vec<Asker> = Vec::new();
        for principal in std::iter::once(Principal::user(assistant.owner)).chain(granted).chain(everyone) {
            if all.iter().any(|asker| asker.principal == principal) {
                continue;
            }
            let standing = match principal.kind {
                PrincipalKind::User => Subject::read(reader, tenant, principal.id)?,
                _ => None,
            };
            if standing.is_some() || principal.kind != PrincipalKind::User {
                all.push(Asker { principal, standing });
            }
        }
        Ok(Self { tenant, all })
    }

    /// Those of them to whom a base is closed.
    pub fn kept_from(&self, reader: &Reader, base: &KnowledgeBase) -> storage::Result<Vec<Principal>> {
        let mut kept = Vec::new();
        for Asker { principal, standing } in &self.all {
            let open = match standing {
                Some(standing) => base.level_of(standing).is_some(),
                None => self.is_open(reader, base, principal)?,
            };
            if !open {
                kept.push(principal.clone());
            }
        }
        Ok(kept)
    }

    /// Whether all of a group, a team or the tenant may read a base, by what is granted to it, or to what it is in.
    fn is_open(&self, reader: &Reader, base: &KnowledgeBase, to: &Principal) -> storage::Result<bool> {
        let everyone = base.grants.iter().any(|grant| grant.principal.kind == PrincipalKind::Tenant);
        if everyone || base.visibility == Visibility::Tenant {
            return Ok(true);
        }
        if base.grants.iter().any(|grant| grant.principal == *to) {
            return Ok(true);
        }
        match to.kind {
            PrincipalKind::Tenant => Ok(false),
            PrincipalKind::Group => self.is_in_a_team_of(reader, base, to),
            PrincipalKind::User => match Subject::read(reader, self.tenant, to.id)? {
                Some(standing) => Ok(base.level_of(&standing).is_some()),
                None => Ok(true),
            },
            PrincipalKind::Team => {
                let Some(team) = reader.get::<Team>(self.tenant, &to.id)? else { return Ok(true) };
                for one in team.owners.iter().chain(&team.members) {
                    if !self.is_open(reader, base, one)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn is_in_a_team_of(
        &self,
        reader: &Reader,
        base: &KnowledgeBase,
        to: &Principal,
    ) -> storage::Result<bool> {
        for team in base.grants.iter().filter(|grant| grant.principal.kind == PrincipalKind::Team) {
            let team = reader.get::<Team>(self.tenant, &team.principal.id)?;
            if team.is_some_and(|team| team.owners.contains(to) || team.members.contains(to)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The attached bases that are closed to some of those with whom the assistant is shared; of those alone that the
/// caller may read.
pub fn closed(
    reader: &Reader,
    caller: &Caller,
    assistant: &Assistant,
) -> storage::Result<Vec<ClosedKnowledgeBase>> {
    if assistant.knowledge_bases.is_empty() {
        return Ok(Vec::new());
    }
    let askers = Askers::of(reader, caller.tenant, assistant)?;
    let mut closed = Vec::new();
    for base in readable(reader, caller, assistant)? {
        let closed_to = askers.kept_from(reader, &base)?;
        if !closed_to.is_empty() {
            let (knowledge_base_id, name) = (base.id, base.body.name);
            closed.push(ClosedKnowledgeBase { knowledge_base_id, name, closed_to });
        }
    }
    Ok(closed)
}
