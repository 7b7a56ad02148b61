//! The logo of the installation.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, X_CONTENT_TYPE_OPTIONS};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use crate::App;
use crate::config::BrandingLogo;
use crate::http::{Api, Open, Refusal, has_tag, operations};

/// Retrieve the logo of the installation.
///
/// Returns 404 if there is no logo. The response for the path in `logo_url` may be cached for a year, because another logo has another
/// path.
#[utoipa::path(get, path = "/api/bootstrap/logo",
    params(("v" = Option<String>, Query,
        description = "The version of the logo, as in `logo_url`. With it, the response can be cached for a year.")),
    responses(
        (status = 200, description = "The logo.",
            content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"), (Vec<u8> = "image/webp"))),
        (status = 304, description = "The client already has the current logo.")))]
async fn get_logo(_: Open, app: Data<App>, request: HttpRequest) -> Api<HttpResponse> {
    let logo = app.logo.as_ref().ok_or_else(|| Refusal::not_found("picture"))?;
    let tag = format!("\"{}\"", logo.mark);
    let named = request.query_string().split('&').any(|pair| pair.strip_prefix("v=") == Some(&logo.mark));
    let keep = if named { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    let held = has_tag(&request, &tag);
    let mut response = if held { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, keep));
    if held {
        return Ok(response.finish());
    }
    response
        .content_type(logo.media_type)
        .insert_header((CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    Ok(response.body(logo.bytes.clone()))
}

/// The path of a logo. It changes with the logo, so browsers can cache it for a long time.
pub fn address(logo: &BrandingLogo) -> String {
    format!("/api/bootstrap/logo?v={}", logo.mark)
}

operations!(get_logo);
