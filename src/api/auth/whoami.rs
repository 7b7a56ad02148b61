//! Information about the presented credentials.

use super::schema::{CallerResponse, TokenClaimsResponse};
use super::token_schema::{TokenScope, TokenScopeList};
use crate::App;
use crate::http::credentials::{Claims, Presented};
use crate::http::scopes::{Any, AnyToken, Identified};
use crate::http::{Api, Auth, Code, Json, Scope, operations};
use actix_web::HttpRequest;
use actix_web::web::Data;
use storage::TenantId;
use storage::records::ApiToken;
use uuid::Uuid;

operations!(check_auth, decode_access_token, get_token_scopes);

/// Check the presented credentials.
///
/// The response is 200 with the caller if the credentials are valid, 401 if they are not, and 422 if they cannot be parsed. Every API token
/// may be checked, including one without scopes.
#[utoipa::path(post, path = "/api/auth/check/")]
async fn check_auth(auth: Auth<Identified>) -> Api<Json<CallerResponse>> {
    Ok(Json(CallerResponse::from(&*auth)))
}

/// Retrieve the claims of the presented token.
///
/// Returns the claims of an access token, or the equivalent values of an API token. Every API token may be used, including one without
/// scopes.
#[utoipa::path(get, path = "/api/auth/decode_access_token/")]
async fn decode_access_token(
    auth: Auth<AnyToken>,
    app: Data<App>,
    request: HttpRequest,
) -> Api<Json<TokenClaimsResponse>> {
    match auth.token_id {
        Some(id) => api_token_claims(&app, &auth, id).await.map(Json),
        None => access_claims(&app, &request).map(Json),
    }
}

fn access_claims(app: &App, request: &HttpRequest) -> Api<TokenClaimsResponse> {
    let Presented::Token(token) = Presented::read(request, &app.config) else {
        return Err(Code::CredentialsMissing.into());
    };
    let Claims { sub, tid, sid, role, act, iat, exp, jti } = app.identity.keys().verify(&token)?;
    Ok(TokenClaimsResponse { sub, tid, sid: Some(sid), role, scopes: None, act, iat, exp: Some(exp), jti })
}

async fn api_token_claims(app: &App, auth: &Auth<AnyToken>, id: Uuid) -> Api<TokenClaimsResponse> {
    let token = app.store.read(move |reader| reader.require::<ApiToken>(TenantId::SYSTEM, &id)).await?;
    Ok(TokenClaimsResponse {
        sub: token.user,
        tid: token.tenant,
        sid: None,
        role: auth.role,
        act: None,
        iat: token.created_at.as_millis() / 1000,
        exp: token.expires_at.map(|end| end.as_millis() / 1000),
        jti: id,
        scopes: token.body.scopes,
    })
}

/// List the scopes that an API token can be limited to.
#[utoipa::path(get, path = "/api/auth/token-scopes/")]
async fn get_token_scopes(auth: Auth<Any>) -> Api<Json<TokenScopeList>> {
    let items: Vec<_> = Scope::ALL.iter().map(|scope| TokenScope::new(*scope, auth.role)).collect();
    Ok(Json(TokenScopeList { total: Some(items.len() as u64), items, next_cursor: None }))
}
