//! Knowledge bases of an assistant that some of its users may not read. Answers to these users do not use them.

use storage::authority::Subject;
use storage::records::{Assistant, KnowledgeBase, Principal, PrincipalKind, Shared, Team, Visibility};
use storage::{Reader, Row, TenantId};

use super::attach::readable;
use crate::Caller;

/// A knowledge base that some users of an assistant may not read.
#[derive(Clone, Debug)]
pub struct UnreadableBase {
    pub base: Row<KnowledgeBase>,
    /// Users, groups, teams and the tenant who may not read the knowledge base, as named by the grants of the assistant,
    /// and the assistant's owner. Members of a group or of the tenant may still have their own grant.
    pub closed_to: Vec<Principal>,
}

/// The principals with whom an assistant is shared.
pub struct Audience {
    tenant: TenantId,
    members: Vec<Member>,
}

struct Member {
    principal: Principal,
    /// The permissions of a principal that is a user.
    subject: Option<Subject>,
}

impl Audience {
    /// Returns the owner of an assistant, the principals of its grants, and the tenant if the assistant is visible to
    /// all of it. Users who cannot log in are omitted.
    pub fn from_assistant(reader: &Reader, tenant: TenantId, assistant: &Assistant) -> storage::Result<Self> {
        let granted = assistant.grants.iter().map(|grant| grant.principal.clone());
        let everyone = Principal { kind: PrincipalKind::Tenant, id: tenant.0 };
        let everyone = (assistant.visibility == Visibility::Tenant).then_some(everyone);
        let mut members: Vec<Member> = Vec::new();
        for principal in std::iter::once(Principal::user(assistant.owner)).chain(granted).chain(everyone) {
            if members.iter().any(|member| member.principal == principal) {
                continue;
            }
            let subject = match principal.kind {
                PrincipalKind::User => Subject::read(reader, tenant, principal.id)?,
                _ => None,
            };
            if subject.is_some() || principal.kind != PrincipalKind::User {
                members.push(Member { principal, subject });
            }
        }
        Ok(Self { tenant, members })
    }

    /// Returns the principals who may not read a knowledge base.
    pub fn without_access(&self, reader: &Reader, base: &KnowledgeBase) -> storage::Result<Vec<Principal>> {
        let mut without = Vec::new();
        for Member { principal, subject } in &self.members {
            let may_read = match subject {
                Some(subject) => base.level_of(subject).is_some(),
                None => self.may_read(reader, base, principal)?,
            };
            if !may_read {
                without.push(principal.clone());
            }
        }
        Ok(without)
    }

    /// Returns whether every member of a group, a team or the tenant may read a knowledge base, through a grant to the
    /// principal itself or to something that contains it.
    fn may_read(
        &self,
        reader: &Reader,
        base: &KnowledgeBase,
        principal: &Principal,
    ) -> storage::Result<bool> {
        let everyone = base.grants.iter().any(|grant| grant.principal.kind == PrincipalKind::Tenant);
        if everyone || base.visibility == Visibility::Tenant {
            return Ok(true);
        }
        if base.grants.iter().any(|grant| grant.principal == *principal) {
            return Ok(true);
        }
        match principal.kind {
            PrincipalKind::Tenant => Ok(false),
            PrincipalKind::Group => self.is_in_granted_team(reader, base, principal),
            PrincipalKind::User => match Subject::read(reader, self.tenant, principal.id)? {
                Some(subject) => Ok(base.level_of(&subject).is_some()),
                None => Ok(true),
            },
            PrincipalKind::Team => {
                let Some(team) = reader.get::<Team>(self.tenant, &principal.id)? else { return Ok(true) };
                for member in team.owners.iter().chain(&team.members) {
                    if !self.may_read(reader, base, member)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn is_in_granted_team(
        &self,
        reader: &Reader,
        base: &KnowledgeBase,
        principal: &Principal,
    ) -> storage::Result<bool> {
        for team in base.grants.iter().filter(|grant| grant.principal.kind == PrincipalKind::Team) {
            let team = reader.get::<Team>(self.tenant, &team.principal.id)?;
            if team.is_some_and(|team| team.owners.contains(principal) || team.members.contains(principal)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the attached knowledge bases that the caller may read and some users of an assistant may not read.
pub fn unreadable_bases(
    reader: &Reader,
    caller: &Caller,
    assistant: &Assistant,
) -> storage::Result<Vec<UnreadableBase>> {
    if assistant.knowledge_bases.is_empty() {
        return Ok(Vec::new());
    }
    let audience = Audience::from_assistant(reader, caller.tenant, assistant)?;
    let mut unreadable = Vec::new();
    for base in readable(reader, caller, assistant)? {
        let closed_to = audience.without_access(reader, &base)?;
        if !closed_to.is_empty() {
            unreadable.push(UnreadableBase { base, closed_to });
        }
    }
    Ok(unreadable)
}
