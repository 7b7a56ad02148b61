//! The tenant's logo.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use domain::administration;
use serde::{Deserialize, Serialize};
use storage::records::{Logo, Tenant};
use storage::{Reader, TenantId};
use utoipa::ToSchema;

use crate::App;
use crate::api::images::{self, Picture};
use crate::http::scopes::{AdminWrite, Any};
use crate::http::{
    Admin, Api, Auth, Json, Multipart, MultipartForm, NoContent, Refusal, Validate, operations,
};

/// The logo is stored in the system tenant, where the row that refers to it is stored. It can only be reached
/// through that row.
const PLACE: TenantId = TenantId::SYSTEM;

/// An image to use as the tenant's logo.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UploadTenantLogoForm {
    /// The image: PNG, JPEG or WebP, at most 2 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary)]
    _file: Option<String>,
}

impl Validate for UploadTenantLogoForm {}

impl MultipartForm for UploadTenantLogoForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

/// The current logo of the tenant.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantLogoResponse {
    /// The path from which members can load the logo.
    pub logo_url: Option<String>,
}

/// Upload the tenant's logo.
///
/// The image is stored uncropped, scaled down to at most 512 pixels a side, and without camera metadata. Its
/// format is detected from its first bytes.
#[utoipa::path(post, path = "/api/tenant-admin/logo/upload",
    request_body(content = UploadTenantLogoForm, content_type = "multipart/form-data"))]
async fn upload_tenant_logo(
    auth: Auth<AdminWrite, Admin>,
    app: Data<App>,
    form: Multipart<UploadTenantLogoForm>,
) -> Api<Json<TenantLogoResponse>> {
    let (caller, picture) = (auth.caller(), Picture::received_whole(&form.files).await?);
    let media_type = picture.media_type().to_owned();
    let logo = Logo { blob: picture.put(&app, PLACE).await?, media_type };
    let logo_url = Some(address(&logo));
    app.store.run(move |tx| administration::set_logo(tx, &caller, Some(logo.clone()))).await?;
    Ok(Json(TenantLogoResponse { logo_url }))
}

/// Delete the tenant's logo.
#[utoipa::path(delete, path = "/api/tenant-admin/logo")]
async fn delete_tenant_logo(auth: Auth<AdminWrite, Admin>, app: Data<App>) -> Api<NoContent> {
    let caller = auth.caller();
    app.store.run(move |tx| administration::set_logo(tx, &caller, None)).await.map(|()| NoContent)
}

/// Retrieve the tenant's logo.
///
/// Available to every member. Returns 404 if there is no logo. The response for the URL in `logo_url` may be
/// cached for a year, because a new logo has a new URL.
#[utoipa::path(get, path = "/api/tenant-admin/logo",
    params(("v" = Option<String>, Query,
        description = "The version of the logo, as in `logo_url`. With it, the response can be cached for a year.")),
    responses(
        (status = 200, description = "The logo.", content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"))),
        (status = 304, description = "The client already has the current logo.")))]
async fn get_tenant_logo(auth: Auth<Any>, app: Data<App>, request: HttpRequest) -> Api<HttpResponse> {
    let tenant = auth.tenant;
    let logo = app.store.read(move |reader| logo_of(reader, tenant)).await?;
    let logo = logo.ok_or_else(|| Refusal::not_found("picture"))?;
    images::serve(&app, PLACE, &logo.blob, &request).await
}

fn logo_of(reader: &Reader, tenant: TenantId) -> Api<Option<Logo>> {
    Ok(reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.body.logo)
}

/// The URL of a logo. It changes with the logo, so browsers can cache it for a long time.
pub fn address(logo: &Logo) -> String {
    format!("/api/tenant-admin/logo?v={}", images::mark(&logo.blob))
}

operations!(upload_tenant_logo, delete_tenant_logo, get_tenant_logo);
