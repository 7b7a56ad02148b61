//! Logging out, at the path of the other operations on the caller's own account.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::api::auth::{LogoutRequest, end_session};
use crate::http::scopes::Any;
use crate::http::{Api, Auth, InSession, Json, operations};

/// The result of a logout.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LogoutResponse {
    /// Whether there was a login to end.
    pub logged_out: bool,
    /// For a login at an external service: whether its authorization server has revoked the tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub revoked: Option<bool>,
    /// Why the tokens were not revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub detail: Option<String>,
}

/// Log out.
///
/// Works like `POST /api/auth/logout/`: ends the session, or with `all` every session of the user. The access
/// tokens of an ended session are refused immediately. API tokens stay valid.
#[utoipa::path(post, path = "/api/users/logout",
    responses((status = 200, description = "The session has ended.", body = LogoutResponse)))]
async fn logout(
    auth: Auth<Any, InSession>,
    app: Data<App>,
    Json(logout): Json<LogoutRequest>,
) -> Api<HttpResponse> {
    end_session(&app, &auth, &logout).await?;
    let mut response = HttpResponse::Ok();
    app.cookies.clear(&mut response);
    Ok(response.json(LogoutResponse { logged_out: true, revoked: None, detail: None }))
}

operations!(logout);
