//! Creation of users and tenants, for the command line against a running server.

use super::schema::{AddTenantRequest, AddUserRequest, TenantSummary, UserSummary};
use crate::App;
use crate::http::scopes::AdminWrite;
use crate::http::{Api, Auth, Caller, Code, Created, Json, Own, Platform, Refusal, operations};
use actix_web::web::Data;
use domain::accounts::members::require_admin;
use domain::accounts::{NewTenant, NewUser, create_with_administrator};
use domain::audit::Actor;
use std::sync::Arc;
use storage::records::{Tenant, UserKind};
use storage::{Reader, Scan, TenantId, Tx};

operations!(add_user, add_tenant);

/// Add a user to the tenant, with a first password.
///
/// Used by `understudy user add --url`. On a server with several tenants, only platform administrators may call it, because the response
/// reveals whether the address has an account in any tenant. Other administrators invite people instead.
#[utoipa::path(post, path = "/api/auth/users")]
async fn add_user(
    auth: Auth<AdminWrite, Own>,
    app: Data<App>,
    Json(new): Json<AddUserRequest>,
) -> Api<Created<UserSummary>> {
    add(&app, auth.caller(), new).await.map(Created)
}

async fn add(app: &App, caller: Arc<Caller>, new: AddUserRequest) -> Api<UserSummary> {
    // A caller who chooses a password could log in with it and thereby escape the limits of the token.
    if caller.scopes.is_some() {
        return Err(Refusal::new(Code::ScopeMissing)
            .detail("a token that is limited to scopes cannot choose passwords; invite people, or log in"));
    }
    if !caller.platform_admin {
        app.store.read(only_tenant).await?;
    }
    let phc = app.passwords.hash(new.password).await?;
    let new = NewUser {
        display_name: new.display_name.unwrap_or_else(|| new.email.clone()),
        email: new.email,
        kind: UserKind::Human,
        platform_admin: false,
        tenant: caller.tenant.0,
        role: new.role,
        phc: Some(phc),
    };
    let added = app.identity.change::<_, Refusal>(move |tx| {
        require_admin(tx, &caller)?;
        new.clone().insert(tx, Actor::from(&*caller))
    });
    Ok(added.await?.into())
}

/// Refuses administrators of a tenant if there are several tenants: an error about a taken address would reveal accounts in other tenants.
fn only_tenant(reader: &Reader) -> Api<()> {
    match reader.scan::<Tenant>(TenantId::SYSTEM, Scan::table().limit(2))?.items.len() {
        0 | 1 => Ok(()),
        _ => Err(Refusal::new(Code::NotAllowed).detail(
            "on a server with several tenants only platform administrators add users with a password; invite people \
             instead (POST /api/tenant-admin/invitations)",
        )),
    }
}

/// Add a tenant, with the caller as an administrator.
///
/// Requires a platform administrator. Used by `understudy tenant add --url`.
#[utoipa::path(post, path = "/api/auth/tenants")]
async fn add_tenant(
    auth: Auth<AdminWrite, Own<Platform>>,
    app: Data<App>,
    Json(new): Json<AddTenantRequest>,
) -> Api<Created<TenantSummary>> {
    let (user, actor) = (auth.user, Actor::from(&*auth));
    let new = NewTenant { name: new.name, slug: new.slug };
    let create = move |tx: &mut Tx| create_with_administrator(tx, new.clone(), user, actor);
    Ok(Created(app.identity.change(create).await?.into()))
}
