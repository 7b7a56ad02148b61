//! Logging out, from where the other operations about oneself are.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::App;
use crate::api::auth::{LogoutRequest, end_session};
use crate::http::scopes::Any;
use crate::http::{Api, Auth, InSession, Json, operations};

/// That a login is over.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LogoutResponse {
    /// Whether there was one.
    pub logged_out: bool,
    /// Of a login at an external service, whether its authorization server has taken the tokens back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<bool>,
    /// Why it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Log out.
///
/// As `POST /api/auth/logout/`: ends the session, or with `all` every session of the user. Its access tokens are refused
/// from then on. API tokens stay valid.
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
