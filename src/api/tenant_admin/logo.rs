//! The tenant's picture.

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

/// The picture lies where the row is that names it. It is reached through that row alone.
const PLACE: TenantId = TenantId::SYSTEM;

/// A picture for the tenant.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UploadTenantLogoForm {
    /// The picture: PNG, JPEG or WebP, at most 2 MiB.
    #[serde(rename = "file")]
    #[schema(value_type = String, format = Binary)]
    _file: Option<String>,
}

impl Validate for UploadTenantLogoForm {}

impl MultipartForm for UploadTenantLogoForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

/// The picture that the tenant has now.
#[derive(Debug, Serialize, ToSchema)]
pub struct TenantLogoResponse {
    /// Where it is.
    pub logo_url: Option<String>,
}

/// Upload the tenant's picture.
///
/// It is kept whole, at most 512 pixels a side, without anything that the camera wrote into it. Its first bytes tell
/// what it is.
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

/// Take the tenant's picture away.
#[utoipa::path(delete, path = "/api/tenant-admin/logo")]
async fn delete_tenant_logo(auth: Auth<AdminWrite, Admin>, app: Data<App>) -> Api<NoContent> {
    let caller = auth.caller();
    app.store.run(move |tx| administration::set_logo(tx, &caller, None)).await.map(|()| NoContent)
}

/// Show the tenant's picture.
///
/// For every member. 404 where it has none. At the address that `logo_url` tells it can be kept for a year, since
/// another picture has another address.
#[utoipa::path(get, path = "/api/tenant-admin/logo",
    params(("v" = Option<String>, Query, description = "The beginning of the picture's id; `logo_url` has it.")),
    responses(
        (status = 200, description = "The picture.", content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"))),
        (status = 304, description = "It is the one that the caller has.")))]
async fn get_tenant_logo(auth: Auth<Any>, app: Data<App>, request: HttpRequest) -> Api<HttpResponse> {
    let tenant = auth.tenant;
    let logo = app.store.read(move |reader| logo_of(reader, tenant)).await?;
    let logo = logo.ok_or_else(|| Refusal::not_found("picture"))?;
    images::serve(&app, PLACE, &logo.blob, &request).await
}

fn logo_of(reader: &Reader, tenant: TenantId) -> Api<Option<Logo>> {
    Ok(reader.require::<Tenant>(TenantId::SYSTEM, &tenant.0)?.body.logo)
}

/// Where a picture is. The address changes with the picture, so that browsers keep it for long.
pub fn address(logo: &Logo) -> String {
    format!("/api/tenant-admin/logo?v={}", images::mark(&logo.blob))
}

operations!(upload_tenant_logo, delete_tenant_logo, get_tenant_logo);
