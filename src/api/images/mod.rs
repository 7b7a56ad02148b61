//! Avatars and other small images: uploads are cropped and stored, or a model generates the image.

mod generate;

use std::io::Cursor;
use std::path::Path;

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use storage::{BlobId, TenantId};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::App;
use crate::http::{Api, Code, Refusal, UploadedFile};

pub use generate::{Generated, Wanted, generate};

/// The accepted media types.
pub const TYPES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];
/// Maximum size of an uploaded file, in bytes.
pub const MAX_BYTES: u64 = 2 << 20;
/// Side length of a stored image, in pixels.
pub const SIDE: u32 = 512;
/// Maximum side length of an uploaded image, in pixels.
pub const MAX_SIDE_LENGTH: u32 = 8_192;
/// Maximum memory for decoding one image, in bytes. A small file can expand to gigabytes.
const MEMORY: u64 = 128 << 20;
/// Limits how many images are decoded at a time, since each may use up to [`MEMORY`].
static READING: Semaphore = Semaphore::const_new(2);
/// The JPEG quality, from 1 to 100.
const QUALITY: u8 = 85;
/// Number of digits of the blob id that the URL of an image contains.
const MARK: usize = 12;

/// An image in its stored form: PNG or JPEG, at most 512 by 512 pixels, without camera metadata.
pub struct Picture(Vec<u8>);

impl Picture {
    /// Reads the file of the form field `file` and crops it to the square in its middle.
    ///
    /// # Errors
    /// 413 if the file is too large. 422 if the file is not an image of an accepted type, or unless there is
    /// exactly one file.
    pub async fn received(files: &[UploadedFile]) -> Api<Self> {
        Self::received_as(files, Cut::Square).await
    }

    /// Like [`Picture::received`], but does not crop the image: it is scaled down so that no side is longer
    /// than [`SIDE`].
    pub async fn received_whole(files: &[UploadedFile]) -> Api<Self> {
        Self::received_as(files, Cut::Nothing).await
    }

    async fn received_as(files: &[UploadedFile], cut: Cut) -> Api<Self> {
        let [file] = files else {
            return Err(fault("exactly one file is required", "missing"));
        };
        if file.size > MAX_BYTES {
            return Err(
                Refusal::new(Code::TooLarge).detail(format!("an image may have at most {MAX_BYTES} bytes"))
            );
        }
        if !TYPES.contains(&file.media_type.as_str()) {
            return Err(fault("must be a PNG, JPEG or WebP image", "wrong_type"));
        }
        let path = file.path().to_owned();
        let _turn = READING.acquire().await.map_err(|_| Code::ShuttingDown)?;
        on_blocking_thread(move || Self::read(&path, cut)).await
    }

    /// Converts a generated image to its stored form. Returns 422 if the bytes are not an image.
    pub async fn from_generated(bytes: Bytes) -> Api<Self> {
        let _turn = READING.acquire().await.map_err(|_| Code::ShuttingDown)?;
        on_blocking_thread(move || Self::decode_and_fit(&bytes, Cut::Square)).await
    }

    /// Reads the image in a file.
    pub fn read(path: &Path, cut: Cut) -> Api<Self> {
        let bytes = std::fs::read(path).map_err(|why| Refusal::new(Code::Internal).because(why))?;
        Self::decode_and_fit(&bytes, cut)
    }

    fn decode_and_fit(bytes: &[u8], cut: Cut) -> Api<Self> {
        let (picture, format) =
            decode(bytes).map_err(|why| fault(&format!("cannot be read: {why}"), "malformed"))?;
        let picture = match cut {
            Cut::Square => picture.resize_to_fill(SIDE, SIDE, FilterType::Lanczos3),
            Cut::Nothing if picture.width().max(picture.height()) <= SIDE => picture,
            Cut::Nothing => picture.resize(SIDE, SIDE, FilterType::Lanczos3),
        };
        // Graphics stay sharp as PNG, and photographs stay small as JPEG.
        let converted = match picture.color().has_alpha() || format == ImageFormat::Png {
            true => ImageFormat::Png,
            false => ImageFormat::Jpeg,
        };
        Self::encode(&picture, converted)
    }

    fn encode(picture: &DynamicImage, format: ImageFormat) -> Api<Self> {
        let mut bytes = Vec::new();
        let mut to = Cursor::new(&mut bytes);
        let written = match format {
            ImageFormat::Jpeg => {
                picture.to_rgb8().write_with_encoder(JpegEncoder::new_with_quality(to, QUALITY))
            }
            _ if picture.color().has_alpha() => picture.to_rgba8().write_to(&mut to, ImageFormat::Png),
            _ => picture.to_rgb8().write_to(&mut to, ImageFormat::Png),
        };
        written.map_err(|why| Refusal::new(Code::Internal).because(why))?;
        Ok(Self(bytes))
    }

    /// The stored form.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The media type of the stored form.
    pub fn media_type(&self) -> &'static str {
        media_type(&self.0)
    }

    /// Stores the image as a blob. A record must refer to the blob within an hour; otherwise the blob is
    /// deleted.
    pub async fn put(self, app: &App, tenant: TenantId) -> Api<BlobId> {
        Ok(app.store.blobs().put_bytes(tenant, Bytes::from(self.0)).await?)
    }
}

/// How an image is fitted to the stored size.
#[derive(Clone, Copy)]
pub enum Cut {
    /// Cropped to the square in its middle.
    Square,
    /// Scaled down only, without cropping.
    Nothing,
}

fn media_type(bytes: &[u8]) -> &'static str {
    if bytes.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" }
}

/// Decodes an image and applies its orientation. Fails if decoding would use too much memory.
pub fn decode(bytes: &[u8]) -> image::ImageResult<(DynamicImage, ImageFormat)> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let format = reader.format().unwrap_or(ImageFormat::Png);
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE_LENGTH);
    limits.max_image_height = Some(MAX_SIDE_LENGTH);
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    limits.check_dimensions(width, height)?;
    // The decoder counts its own buffers only, so the memory of the image itself is reserved here.
    limits.reserve(decoder.total_bytes())?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok((picture, format))
}

async fn on_blocking_thread(work: impl FnOnce() -> Api<Picture> + Send + 'static) -> Api<Picture> {
    let done = tasks::blocking(work).await;
    done.map_err(|why| Refusal::new(Code::Internal).because(why))?
}

fn fault(msg: &str, kind: &'static str) -> Refusal {
    Refusal::invalid("body", ["file"], msg, kind)
}

/// The URL of an image. It changes with the image, so browsers can cache it for a long time.
pub fn address(path: &str, id: Uuid, picture: Option<&BlobId>) -> Option<String> {
    picture.map(|blob| format!("{path}/{id}/avatar?v={}", mark(blob)))
}

/// The part of the blob id that the `v` parameter of the image's URL contains.
pub fn mark(picture: &BlobId) -> &str {
    &picture.as_str()[..MARK]
}

/// Sends an image, or 304 if the client already has it. Browsers may cache it for a year if the URL names its
/// version.
pub async fn serve(
    app: &App,
    tenant: TenantId,
    picture: &BlobId,
    request: &HttpRequest,
) -> Api<HttpResponse> {
    let tag = format!("\"{picture}\"");
    let named = request.query_string().split('&').any(|pair| {
        pair.strip_prefix("v=").is_some_and(|mark| mark.len() == MARK && picture.as_str().starts_with(mark))
    });
    let keep = if named { "private, max-age=31536000, immutable" } else { "private, no-cache" };
    let held = request.headers().get(IF_NONE_MATCH).and_then(|held| held.to_str().ok());
    let held =
        held.is_some_and(|held| held.split(',').any(|held| held.trim().trim_start_matches("W/") == tag));
    let mut response = if held { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, keep));
    if held {
        return Ok(response.finish());
    }
    let blobs = app.store.blobs();
    let size = blobs.size(tenant, picture).await?.ok_or_else(|| Refusal::not_found("picture"))?;
    let bytes = blobs.range(tenant, picture, 0..size).await?;
    let media_type = media_type(&bytes);
    response
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(media_type)))
        .insert_header((CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    Ok(response.body(bytes))
}
