//! The users of a tenant, as other members see them.

use actix_web::web::Data;
use domain::accounts::members::{self, Member};
use domain::accounts::search::{self, MemberFilter};
use serde::{Deserialize, Serialize};
use storage::records::{Role, User, UserKind};
use storage::{Cursor, Page, Reader};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::App;
use crate::http::scopes::TeamsRead;
use crate::http::{
    Api, Auth, Caller, DEFAULT_PAGE, Faults, Json, Loadable, Loaded, Paging, Query, Validate, list_of,
    operations,
};

/// A member of the tenant.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserResponse {
    /// The user's id.
    pub id: Uuid,
    /// The name shown to other users.
    pub display_name: String,
    /// The email address.
    pub email: String,
    /// Whether the account belongs to a person or a program.
    pub kind: UserKind,
    /// The role in the tenant. Returned to its administrators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub role: Option<Role>,
    /// Whether the account is disabled. Returned to administrators of the tenant only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub disabled: Option<bool>,
}

impl UserResponse {
    /// Loads a member of the caller's tenant. Returns `None` if there is no such member.
    pub fn find(reader: &Reader, caller: &Caller, id: Uuid) -> storage::Result<Option<Self>> {
        let member = members::find(reader, caller.tenant, id)?;
        Ok(member.map(|member| Self::from_member(member, caller)))
    }

    fn from_member(Member { user, membership }: Member, caller: &Caller) -> Self {
        let User { display_name, email, kind, disabled, .. } = user.body;
        let is_admin = caller.is_admin();
        let (role, disabled) = (is_admin.then_some(membership.role), is_admin.then_some(disabled));
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

/// The users to list.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryUsers {
    /// Words that the name or the email address must contain, in any order. Not case-sensitive. If empty, all
    /// users are listed.
    #[serde(default)]
    #[param(required = false, max_length = 200)]
    pub query: String,
    /// Returns only these users, in this order and on a single page. Use it to look up names by id. Users who
    /// are not members are omitted.
    #[param(max_items = 200)]
    pub ids: Option<Vec<Uuid>>,
    /// Returns only people, or only programs.
    pub kind: Option<UserKind>,
    /// The maximum number of items to return.
    #[serde(default = "default_page")]
    #[param(required = false, minimum = 1, maximum = 200, default = 50)]
    pub limit: u32,
    /// The `next_cursor` of the previous page.
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
            faults.add(["cursor"], "cannot be combined with `ids`, which returns a single page", "conflict");
        }
        self.paging().validate(faults);
    }
}

/// List the users of the tenant.
///
/// Searches names and email addresses, and returns users in the order in which their accounts were created.
/// Disabled users are returned to administrators only.
#[utoipa::path(get, path = "/api/users", params(QueryUsers))]
async fn query_users(
    auth: Auth<TeamsRead>,
    app: Data<App>,
    Query(params): Query<QueryUsers>,
) -> Api<Json<UserResponseList>> {
    let caller = auth.caller();
    app.store.read(move |reader| query(reader, &caller, &params)).await.map(Json)
}

/// Retrieve a member of the tenant.
#[utoipa::path(get, path = "/api/users/{user_id}")]
async fn get_user(user: Loaded<UserResponse, TeamsRead>) -> Api<Json<UserResponse>> {
    Ok(Json(user.it))
}

fn query(reader: &Reader, caller: &Caller, query: &QueryUsers) -> Api<UserResponseList> {
    let filter = MemberFilter::new(&query.query, query.kind);
    let page = match &query.ids {
        Some(ids) => Page { items: search::by_ids(reader, caller, &filter, ids)?, next: None },
        None => {
            let after = query.cursor.as_deref().map(Cursor::parse).transpose()?;
            search::search(reader, caller, &filter, after, query.limit as usize)?
        }
    };
    Ok(page.map(|member| UserResponse::from_member(member, caller)).into())
}

operations!(query_users, get_user);
