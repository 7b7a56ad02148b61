//! Who may be given an assistant.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::records::{Membership, Role, User, UserKind};
use storage::{Reader, Row, Scan, TenantId};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::asked::{Part, Sifted};
use crate::App;
use crate::http::scopes::AdminRead;
use crate::http::{Admin, Api, Auth, Faults, Json, Query, Validate, operations};

/// Whom to look for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Wanted {
    /// Words that stand in the name or the address, in whatever order and case.
    #[param(max_length = 200)]
    pub search: Option<String>,
}

impl Validate for Wanted {
    fn validate(&self, faults: &mut Faults) {
        self.sifted().validate(faults);
    }
}

impl Wanted {
    fn sifted(&self) -> Sifted {
        Sifted { search: self.search.clone(), ..Sifted::default() }
    }
}

/// Somebody who may be given an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnershipCandidate {
    /// Who.
    pub user_id: Uuid,
    /// The address.
    pub email: String,
    /// The name shown.
    pub display_name: String,
    /// What they may do.
    pub role: Role,
}

/// Those who may be given an assistant.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnershipCandidateList {
    /// Those of this part, by name.
    pub items: Vec<OwnershipCandidate>,
    /// How many there are in all.
    pub total: u64,
}

/// List who may be given an assistant.
///
/// People who are editors or administrators of the tenant and are not kept out, by name. Those and nobody else are taken
/// as new owners.
#[utoipa::path(
    get,
    path = "/api/control-tower/ownership-candidates",
    operation_id = "control-tower.get_ownership_candidates",
    params(Wanted, Part)
)]
async fn get_ownership_candidates(
    auth: Auth<AdminRead, Admin>,
    app: Data<App>,
    Query(asked): Query<Wanted>,
    Query(part): Query<Part>,
) -> Api<Json<OwnershipCandidateList>> {
    let tenant = auth.tenant;
    app.store.read(move |reader| list(reader, tenant, &asked, part)).await.map(Json)
}

/// Whether somebody may be given an assistant.
pub fn may_own(reader: &Reader, tenant: TenantId, user: Uuid) -> storage::Result<bool> {
    let membership = reader.get::<Membership>(TenantId::SYSTEM, &(user, tenant.0))?;
    let user = reader.get::<User>(TenantId::SYSTEM, &user)?;
    Ok(membership.zip(user).is_some_and(|(membership, user)| is_candidate(&membership, &user)))
}

fn is_candidate(membership: &Membership, user: &User) -> bool {
    membership.role >= Role::Editor && user.kind == UserKind::Human && !user.disabled
}

fn list(reader: &Reader, tenant: TenantId, asked: &Wanted, part: Part) -> Api<OwnershipCandidateList> {
    let wanted = asked.sifted();
    let mut found = Vec::new();
    let scan = Scan::index("by_tenant").prefix(tenant.0.as_bytes());
    let members: Vec<Row<Membership>> = reader.scan::<Membership>(TenantId::SYSTEM, scan)?.items;
    for membership in members.iter().filter(|row| row.role >= Role::Editor) {
        let Some(user) = reader.get::<User>(TenantId::SYSTEM, &membership.id.0)? else { continue };
        if is_candidate(membership, &user) && wanted.finds(&[&user.display_name, &user.email]) {
            let User { email, display_name, .. } = user.body;
            found.push(OwnershipCandidate { user_id: user.id, email, display_name, role: membership.role });
        }
    }
    found.sort_by_cached_key(|one| (one.display_name.to_lowercase(), one.user_id));
    let total = found.len() as u64;
    Ok(OwnershipCandidateList { items: part.of(found), total })
}

operations!(get_ownership_candidates);
