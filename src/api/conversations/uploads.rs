//! Uploads to signed URLs: a file is uploaded first, and a later message attaches it.

use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::web::{Data, Payload};
use serde::{Deserialize, Serialize};
use storage::authority::Subject;
use storage::records::{Conversation, Upload};
use storage::{BlobId, Reader, Row, TenantId, Timestamp, Tx};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::receive;
use super::signing::{Allowed, Signer};
use crate::App;
use crate::http::media_type::{NO_MEDIA_TYPE, is_media_type};
use crate::http::scopes::ConversationsWrite;
use crate::http::{
    Api, Code, Created, Faults, Json, Loaded, Open, Path, Query, Refusal, Validate, operations,
};

/// How long a signed URL is valid.
const ADDRESS_LIFE: Duration = Duration::from_secs(15 * 60);
/// How long an uploaded file is stored if no message uses it.
const UNUSED_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// A file to upload.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SignedUrlUploadRequest {
    /// Name of the file.
    #[schema(min_length = 1, max_length = 255)]
    pub filename: String,
    /// Media type of the file. The uploaded bytes must have this type.
    #[schema(example = "image/png")]
    pub media_type: String,
    /// Exact size of the file, in bytes.
    #[schema(minimum = 1)]
    pub size: u64,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal. If it is given and the installation stores files in S3 or a compatible
    /// service, the response contains an address of that service.
    pub sha256: Option<String>,
}

impl Validate for SignedUrlUploadRequest {
    fn validate(&self, faults: &mut Faults) {
        if self.filename.chars().any(|char| char.is_control() || matches!(char, '/' | '\\')) {
            faults.add(["filename"], "contains characters that are not allowed in file names", "malformed");
        }
        if !is_media_type(&self.media_type) {
            faults.add(["media_type"], NO_MEDIA_TYPE, "malformed");
        }
        if self.size == 0 {
            faults.add(["size"], "must be at least 1", "out_of_range");
        }
        if self.sha256.as_deref().is_some_and(|text| BlobId::parse(text).is_err()) {
            faults.add(["sha256"], "is not 64 lower-case hexadecimal digits", "malformed");
        }
    }
}

/// Where and how to upload a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedUrlUploadResponse {
    /// Id of the upload. A completion attaches the file if its `uploads` contain this id.
    pub upload_id: Uuid,
    /// Address to send the file to.
    pub url: String,
    /// HTTP method: `PUT`.
    pub method: &'static str,
    /// Headers that the upload must send.
    #[schema(value_type = Object)]
    pub headers: serde_json::Map<String, serde_json::Value>,
    /// When the address expires.
    pub expires_at: Timestamp,
}

/// An uploaded file.
#[derive(Debug, Serialize, ToSchema)]
pub struct UploadResponse {
    pub upload_id: Uuid,
    /// SHA-256 of the file's bytes.
    pub blob_id: BlobId,
    /// Name of the file.
    pub filename: String,
    pub media_type: String,
    /// Size of the file, in bytes.
    pub size: u64,
}

/// The signature of an upload address.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Signature {
    /// Token that authorises the upload.
    pub token: String,
}

impl Validate for Signature {}

/// Create a signed address for uploading a file.
///
/// The address is valid for 15 minutes, for one file of this type and size. To attach the file, put the `upload_id` into the `uploads` of a
/// completion.
#[utoipa::path(post, path = "/api/conversations/{conversation_id}/signed-upload-url")]
async fn get_signed_upload_url(
    conversation: Loaded<Row<Conversation>, ConversationsWrite>,
    app: Data<App>,
    request: HttpRequest,
    Json(upload_request): Json<SignedUrlUploadRequest>,
) -> Api<Json<SignedUrlUploadResponse>> {
    let (tenant, owner) = (conversation.auth.tenant, conversation.auth.user);
    address(&app, tenant, owner, conversation.id, &origin(&app, &request), upload_request).await.map(Json)
}

/// Upload a file to a signed address.
///
/// The address is its own credential. The bytes must have the announced size and type. After the upload, the address is no longer valid.
#[utoipa::path(put, path = "/api/conversations/{conversation_id}/uploads/{upload_id}",
    params(("conversation_id" = Uuid, Path), ("upload_id" = Uuid, Path), Signature),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 410, description = "The address has expired or was already used.")))]
async fn put_upload(
    _: Open,
    app: Data<App>,
    path: Path<(Uuid, Uuid)>,
    Query(signature): Query<Signature>,
    request: HttpRequest,
    payload: Payload,
) -> Api<Created<UploadResponse>> {
    let Path((conversation, upload)) = path;
    let allowed = allowed(&app, conversation, upload, &signature.token).await?;
    take(&app, allowed, &request, payload).await.map(Created)
}

/// Base URL of this server, as the caller reached it.
fn origin(app: &App, request: &HttpRequest) -> String {
    let reached = request.connection_info();
    format!("{}://{}{}", reached.scheme(), reached.host(), app.config.server.base_path())
}

async fn address(
    app: &App,
    tenant: storage::TenantId,
    owner: Uuid,
    conversation: Uuid,
    origin: &str,
    upload_request: SignedUrlUploadRequest,
) -> Api<SignedUrlUploadResponse> {
    if upload_request.size > app.config.limits.upload_bytes {
        let most = format!("files have {} bytes at most", app.config.limits.upload_bytes);
        return Err(Refusal::new(Code::TooLarge).detail(most));
    }
    app.store.has_room()?;
    let (id, until) = (storage::new_id(), Timestamp::now() + ADDRESS_LIFE);
    let direct = direct(app, tenant, id, upload_request.sha256.as_deref()).await?;
    let upload = Upload {
        conversation_id: Some(conversation),
        owner,
        filename: upload_request.filename,
        media_type: upload_request.media_type.clone(),
        size: upload_request.size,
        expires_at: until,
        blob_id: direct.as_ref().map(|(blob, _)| blob.clone()),
        used: false,
    };
    app.store.run(move |tx| tx.insert(tenant, id, upload.clone())).await?;
    let allowed = Allowed { tenant, conversation, upload: id, until, size: upload_request.size };
    let url = match direct {
        Some((_, url)) => url,
        None => {
            let token = Signer::load(&app.store).await?.token(&allowed);
            format!("{origin}/api/conversations/{conversation}/uploads/{id}?token={token}")
        }
    };
    let headers = serde_json::Map::from_iter([("content-type".into(), upload_request.media_type.into())]);
    Ok(SignedUrlUploadResponse { upload_id: id, url, method: "PUT", headers, expires_at: until })
}

/// Returns a URL of the blob store for an upload with this hash, if the store supports signed URLs. The URL points to a location that
/// belongs to this upload only: no content that is sent there, however often, replaces a file of another upload, and naming the hash of an
/// existing file does not give access to it.
async fn direct(
    app: &App,
    tenant: storage::TenantId,
    upload: Uuid,
    sha256: Option<&str>,
) -> Api<Option<(BlobId, String)>> {
    let Some(sha256) = sha256 else { return Ok(None) };
    let blob = BlobId::parse(sha256)?;
    let url = app.store.blobs().signed_put_url(tenant, upload, ADDRESS_LIFE).await?;
    Ok(url.map(|url| (blob, url)))
}

/// Verifies a token and returns the upload that it permits. Refuses with 404 if this server did not sign it, and with 410 if it has
/// expired.
async fn allowed(app: &App, conversation: Uuid, upload: Uuid, token: &str) -> Api<Allowed> {
    let allowed = Signer::load(&app.store).await?.read(token);
    let ours = allowed
        .filter(|signed_values| (signed_values.conversation, signed_values.upload) == (conversation, upload));
    let ours = ours.ok_or_else(|| Refusal::not_found("upload"))?;
    (ours.until > Timestamp::now()).then_some(ours).ok_or_else(|| Code::UploadExpired.into())
}

async fn take(app: &App, allowed: Allowed, request: &HttpRequest, payload: Payload) -> Api<UploadResponse> {
    let (tenant, id) = (allowed.tenant, allowed.upload);
    let row = app.store.read(move |reader| unused(reader, tenant, id)).await?;
    unspent(&row)?;
    app.store.has_room()?;
    let patience = app.config.limits.upload_patience();
    let file = receive::file(request, payload, &row.media_type, allowed.size, patience).await?;
    let (blob, _) = app.store.blobs().put_file(tenant, file.path()).await?;
    app.store.run(move |tx| spend(tx, &allowed, blob.clone())).await
}

/// Loads the upload, provided that the user who requested its URL is still a member of the tenant.
fn unused(reader: &Reader, tenant: TenantId, id: Uuid) -> Api<Row<Upload>> {
    let row = reader.require::<Upload>(tenant, &id)?;
    match Subject::read(reader, tenant, row.owner)? {
        Some(_) => Ok(row),
        None => Err(Code::UploadExpired.into()),
    }
}

fn unspent(row: &Row<Upload>) -> Api<()> {
    row.blob_id.is_none().then_some(()).ok_or_else(|| Code::UploadExpired.into())
}

/// Marks the upload as complete. Of two concurrent uploads, one is refused.
fn spend(tx: &mut Tx, allowed: &Allowed, blob: BlobId) -> Api<UploadResponse> {
    let mut row = tx.require::<Upload>(allowed.tenant, &allowed.upload)?;
    unspent(&row)?;
    tx.require::<Conversation>(allowed.tenant, &allowed.conversation)?;
    row.blob_id = Some(blob.clone());
    row.expires_at = Timestamp::now() + UNUSED_LIFE;
    let row = tx.update(allowed.tenant, row)?;
    let Upload { filename, media_type, size, .. } = row.body;
    Ok(UploadResponse { upload_id: row.id, blob_id: blob, filename, media_type, size })
}

operations!(get_signed_upload_url, put_upload);
