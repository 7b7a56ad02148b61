//! Stored files as responses: whole or in part (`Range`, `If-Range`), with an `ETag`, and never entirely in memory.

pub(crate) mod range;

use super::error::RefusalResponse;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    Charset, ContentDisposition, DispositionParam, DispositionType, ETAG, ExtendedValue, HeaderMap,
    HeaderName, HeaderValue, IF_NONE_MATCH, IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use storage::{BlobId, TenantId};

use super::error::Api;
use super::media_type::content_type;
use super::state::HttpState;
use domain::{Code, Refusal};
use range::{Part, part};

/// A stored file to be sent as a response.
pub struct Download<'a> {
    /// The tenant that owns the blob.
    pub tenant: TenantId,
    /// The blob to be sent.
    pub blob: &'a BlobId,
    /// The length in bytes, if known.
    pub size: Option<u64>,
    /// The content type of the response.
    pub media_type: &'a str,
    /// The name under which clients save the file.
    pub filename: &'a str,
    /// Whether the file is displayed in the page instead of saved.
    pub inline: bool,
    /// The value of `Cache-Control`.
    pub caching: &'static str,
    /// The value of `Content-Security-Policy`, which applies if the file is opened as a page.
    pub policy: &'static str,
}

/// A file that users uploaded.
pub struct StoredFile {
    /// The content of the file.
    pub blob: BlobId,
    pub media_type: String,
    /// The file name without folders.
    pub filename: String,
    /// Whether the content at its address never changes, so that clients may cache it for a year.
    pub is_immutable: bool,
}

/// Returns a response with a file to be saved. Files are never displayed, because an uploaded page must not run with
/// the origin of this server.
///
/// # Errors
/// 404 if the content no longer exists.
pub async fn send_file(
    state: &HttpState,
    tenant: TenantId,
    file: StoredFile,
    headers: &HeaderMap,
) -> Api<HttpResponse> {
    let sent = Download {
        tenant,
        blob: &file.blob,
        size: None,
        media_type: &file.media_type,
        filename: &file.filename,
        inline: false,
        caching: if file.is_immutable { "private, max-age=31536000, immutable" } else { "private, no-cache" },
        policy: "sandbox; default-src 'none'",
    };
    download(state, headers, sent).await
}

/// Returns the response for a request with these headers: 200, 206, 304 or 416.
///
/// # Errors
/// 404 if the content no longer exists.
pub async fn download(state: &HttpState, headers: &HeaderMap, file: Download<'_>) -> Api<HttpResponse> {
    let tag = format!("\"{}\"", file.blob);
    let header_text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // Proxies mark tags as weak, although the content is the same.
    let is_held = |held_tag: &str| held_tag == "*" || held_tag.trim_start_matches("W/") == tag;
    if header_text(IF_NONE_MATCH)
        .is_some_and(|held_tag| held_tag.split(',').any(|held_tag| is_held(held_tag.trim())))
    {
        let mut response = HttpResponse::NotModified();
        return Ok(response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, file.caching)).finish());
    }
    let blobs = state.store.blobs();
    let gone = || Refusal::not_found("file");
    let size = match file.size {
        Some(size) => size,
        None => blobs.size(file.tenant, file.blob).await?.ok_or_else(gone)?,
    };
    // A part must belong to the same content as the bytes that the caller has. A date is not precise enough for this.
    let of_these = header_text(IF_RANGE).is_none_or(|held_tag| held_tag.trim() == tag);
    let mut response = HttpResponse::Ok();
    let blob = match part(header_text(RANGE).filter(|_| of_these), size) {
        Part::Whole => blobs.get(file.tenant, file.blob).await?,
        Part::Bytes(bytes) => {
            response.status(StatusCode::PARTIAL_CONTENT);
            response
                .insert_header((CONTENT_RANGE, format!("bytes {}-{}/{size}", bytes.start, bytes.end - 1)));
            blobs.part(file.tenant, file.blob, bytes).await?
        }
        Part::Beyond => return Ok(beyond(size)),
    };
    let disposition = ContentDisposition {
        disposition: if file.inline { DispositionType::Inline } else { DispositionType::Attachment },
        parameters: vec![DispositionParam::FilenameExt(ExtendedValue {
            charset: Charset::Ext("UTF-8".into()),
            language_tag: None,
            value: file.filename.as_bytes().to_vec(),
        })],
    };
    response
        .insert_header((CONTENT_TYPE, content_type(file.media_type)))
        .insert_header((ETAG, tag))
        .insert_header((ACCEPT_RANGES, "bytes"))
        .insert_header((CACHE_CONTROL, file.caching))
        .insert_header((CONTENT_DISPOSITION, disposition))
        .insert_header((CONTENT_SECURITY_POLICY, file.policy))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .no_chunking(blob.size);
    Ok(response.streaming(blob.bytes))
}

/// A 416 response with the actual size.
fn beyond(size: u64) -> HttpResponse {
    let mut response = Refusal::new(Code::RangeNotSatisfiable).error_response();
    if let Ok(range) = HeaderValue::try_from(format!("bytes */{size}")) {
        response.headers_mut().insert(CONTENT_RANGE, range);
    }
    response
}
