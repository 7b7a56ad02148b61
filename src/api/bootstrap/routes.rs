//! The operation that describes the installation.

use actix_web::http::header::{CACHE_CONTROL, ETAG};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};

use super::logo;
use super::view::{BootstrapResponse, SignInMethod};
use crate::App;
use crate::http::{Api, Code, Open, Refusal, has_tag, operations};
use domain::accounts::{first_start, joining};

/// Time for which the response may be reused: changes show up soon, and a page that is opened often sends few requests.
const CACHE: &str = "public, max-age=5";

/// Describe the installation to users who have not signed in.
///
/// A sign-in page decides from it what to show. The response has an `ETag`, and may be cached for a few seconds.
#[utoipa::path(get, path = "/api/bootstrap",
    responses(
        (status = 200, description = "The installation.", body = BootstrapResponse,
            headers(("ETag" = String, description = "Identifies the content of the response."))),
        (status = 304, description = "The client already has the current response.")))]
async fn get_bootstrap(_: Open, app: Data<App>, request: HttpRequest) -> Api<HttpResponse> {
    respond(&describe(&app).await?, &request)
}

async fn describe(app: &App) -> Api<BootstrapResponse> {
    let mail = app.mailer.is_open();
    let read = app.store.read(move |reader| {
        Ok::<_, Refusal>((first_start::is_login_pending(reader)?, joining::is_sign_up_open(reader, mail)?))
    });
    let (is_first_start, sign_up) = read.await?;
    Ok(BootstrapResponse {
        version: env!("CARGO_PKG_VERSION"),
        name: app.config.branding.name.clone(),
        logo_url: app.logo.as_ref().map(logo::address),
        is_first_start,
        sign_up,
        mail,
        sign_in_methods: vec![SignInMethod::Password],
    })
}

/// Sends the description, or 304 if the client already has it.
fn respond(description: &BootstrapResponse, request: &HttpRequest) -> Api<HttpResponse> {
    let body = serde_json::to_vec(description).map_err(|why| Refusal::new(Code::Internal).because(why))?;
    let tag = format!("\"{}\"", HEXLOWER.encode(&digest(&SHA256, &body).as_ref()[..8]));
    let held = has_tag(request, &tag);
    let mut response = if held { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, CACHE));
    Ok(match held {
        true => response.finish(),
        false => response.content_type("application/json").body(body),
    })
}

operations!(get_bootstrap);
