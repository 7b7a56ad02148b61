//! The people of the tenant, as their colleagues see them.

use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use storage::records::{Membership, Role, User, UserKind};
use storage::{Cursor, Reader, Row, Scan, TenantId};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::api::conversations::sift;
use crate::http::scopes::TeamsRead;
use crate::http::{
    Api, Auth, Caller, DEFAULT_PAGE, Faults, Found, Json, Loadable, Paging, Query, Validate, list_of,
    operations,
};

/// A member of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserResponse {
    /// The user's id.
    pub id: Uuid,
    /// The name shown.
    pub display_name: String,
    /// The address.
    pub email: String,
    /// Person or program.
    pub kind: UserKind,
    /// The role in the tenant; told to its administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether the user is kept out; told to administrators of the tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

impl UserResponse {
    /// A member of the caller's tenant; none where there is no such member.
    pub fn find(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Self>> {
        let member = reader.get::<Membership>(TenantId::SYSTEM, &(id, caller.tenant.0))?;
        let Some(member) = member else { return Ok(None) };
        let user = reader.get::<User>(TenantId::SYSTEM, &id)?;
        Ok(user.map(|user| Self::of(user, member.role, caller)))
    }

    fn of(user: Row<User>, role: Role, caller: &Caller) -> Self {
        let User { display_name, email, kind, disabled, .. } = user.body;
        let told = caller.is_admin();
        let (role, disabled) = (told.then_some(role), told.then_some(disabled));
        Self { id: user.id, display_name, email, kind, role, disabled }
    }
}

impl Loadable for UserResponse {
    const PARAM: &'static str = "user_id";
    const NAME: &'static str = "user";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(Self::find(reader, caller, id)?)
    }
}

list_of! {
    /// A page of users.
    #[derive(Debug)]
    pub UserResponseList of UserResponse
}

/// Which users to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryUsers {
    /// Words that stand in the name or in the address, in whatever order and case; without any, everybody.
    #[serde(default)]
    #[param(required = false, max_length = 200)]
    pub query: String,
    /// These alone, at most 200, in this order and on one page: for the names behind ids. Whoever is no member is left out.
    #[param(max_items = 200)]
    pub ids: Option<Vec<Uuid>>,
    /// People or programs alone.
    pub kind: Option<UserKind>,
    /// How many at most.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

fn default_page() -> u32 {
    DEFAULT_PAGE
}

impl QueryUsers {
    fn paging(&self) -> Paging {
        Paging { limit: self.limit, cursor: self.cursor.clone() }
    }
}

impl Validate for QueryUsers {
    fn validate(&self, faults: &mut Faults) {
        if self.ids.is_some() && self.cursor.is_some() {
            faults.add(["cursor"], "is for lists without `ids`, which have one page", "conflict");
        }
        self.paging().validate(faults);
    }
}

/// Find people of the tenant.
///
/// By words of their names or addresses, in the order in which their accounts were made. Those who are kept out are
/// shown to administrators alone.
#[utoipa::path(get, path = "/api/users", operation_id = "users.query_users", params(QueryUsers))]
async fn query_users(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(asked): Query<QueryUsers>,
) -> Api<Json<UserResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| query(reader, &caller, &asked)).await.map(Json)
}

/// Show a member of the tenant.
#[utoipa::path(get, path = "/api/users/{user_id}", operation_id = "users.get_user")]
async fn get_user(user: Found<UserResponse, TeamsRead>) -> Api<Json<UserResponse>> {
    Ok(Json(user.it))
}

fn query(reader: &Reader, caller: &Caller, asked: &QueryUsers) -> Api<UserResponseList> {
    let words: Vec<String> = asked.query.split_whitespace().map(str::to_lowercase).collect();
    if let Some(ids) = &asked.ids {
        return named(reader, caller, ids, asked.kind, &words);
    }
    let after = asked.cursor.as_deref().map(Cursor::parse).transpose()?;
    let tenant = caller.tenant.0;
    let page = |after, limit| {
        let members = Scan::index("by_tenant").prefix(tenant.as_bytes());
        reader.scan::<Membership>(TenantId::SYSTEM, members.after(after).limit(limit))
    };
    let wanted = |row: &Row<Membership>| {
        let user = reader.get::<User>(TenantId::SYSTEM, &row.id.0)?;
        Ok(user.is_some_and(|user| fits(&user, caller, asked.kind, &words)))
    };
    let page = sift(after, asked.limit as usize, page, wanted)?;
    let next_cursor = page.next.as_ref().map(ToString::to_string);
    let found = page.items.iter().map(|row| UserResponse::find(reader, caller, row.id.0));
    let items = found.collect::<storage::Result<Vec<_>>>()?.into_iter().flatten().collect();
    Ok(UserResponseList { items, total: None, next_cursor })
}

/// Those of these ids who fit.
fn named(
    reader: &Reader,
    caller: &Caller,
    ids: &[Uuid],
    kind: Option<UserKind>,
    words: &[String],
) -> Api<UserResponseList> {
    let mut items = Vec::with_capacity(ids.len());
    for id in ids {
        let user = reader.get::<User>(TenantId::SYSTEM, id)?.filter(|user| fits(user, caller, kind, words));
        if user.is_some() {
            items.extend(UserResponse::find(reader, caller, *id)?);
        }
    }
    Ok(UserResponseList { items, total: None, next_cursor: None })
}

fn fits(user: &User, caller: &Caller, kind: Option<UserKind>, words: &[String]) -> bool {
    let text = || format!("{}\n{}", user.display_name, user.email).to_lowercase();
    let has_words = || {
        let text = text();
        words.iter().all(|word| text.contains(word))
    };
    (caller.is_admin() || !user.disabled)
        && kind.is_none_or(|kind| user.kind == kind)
        && (words.is_empty() || has_words())
}

operations!(query_users, get_user);
