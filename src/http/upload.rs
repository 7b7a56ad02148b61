//! Multipart forms. Files are written to disk as they arrive and are never entirely in memory. Everything else in a
//! form is counted before it is stored: its parts, their names and texts, and all bytes that belong to no part.

use super::access::Argument;
use super::body::too_large;
use super::error::ErrorResponse;
use super::form_body::{FormBody, MultipartForm};
use super::media_type::is_content_type;
use super::query::gather;
use super::state::HttpState;
use super::validation::{self, Mode, schema};
use crate::config::LimitsConfig;
use actix_multipart::{Field, MultipartError};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use domain::{Code, Refusal};
use domain::{Fault, Step, Validate};
use futures::future::LocalBoxFuture;
use futures::{Stream, StreamExt};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use tokio::io::AsyncWriteExt;
use utoipa::ToSchema;

/// The number of leading bytes that determine the type of a file.
const SNIFFED: usize = 8192;
/// The maximum length of a file name. Longer names are cut.
const MAX_NAME_LENGTH: usize = 255;
/// The maximum length of a field name in bytes. The names that are read are much shorter.
const FIELD_NAME: usize = 255;
/// The bytes that a part takes besides its content, for the limit of the whole body: boundary, headers, line ends. A
/// single part may have more (the parser accepts 64 KiB), but the total is limited.
const PART_OVERHEAD: u64 = 1024;

/// A multipart form that has been received. All validation errors of its fields are reported at once, as for a JSON
/// body.
pub struct Multipart<T> {
    /// The fields that are not files.
    pub fields: T,
    /// The files in the order of their arrival.
    pub files: Vec<UploadedFile>,
}

/// A file of a form. The temporary file is deleted when this value is dropped.
pub struct UploadedFile {
    /// The name of the form field.
    pub field: String,
    /// The file name given by the caller, without folders.
    pub filename: String,
    /// The media type detected from the first bytes, or the one stated by the caller if the bytes are inconclusive.
    pub media_type: String,
    /// Its length in bytes.
    pub size: u64,
    path: TempPath,
}

impl UploadedFile {
    /// Path of the temporary file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<T: DeserializeOwned + Validate + ToSchema + MultipartForm + 'static> FromRequest for Multipart<T> {
    type Error = ErrorResponse;
    type Future = LocalBoxFuture<'static, Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let state = request.app_data::<Data<HttpState>>().cloned();
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let state = state.ok_or(Code::Internal)?;
            state.store.has_room()?;
            let (limits, dir) = (&state.config.limits, state.store.dir().join("uploads"));
            let most = limits.form_bytes.saturating_add(PART_OVERHEAD * (limits.form_parts as u64 + 1));
            if announced(&request).is_some_and(|length| length > most) {
                return Err(too_large(limits.form_bytes as usize).into());
            }
            let form = actix_multipart::Multipart::new(request.headers(), at_most(payload, most));
            let receive = Receiver::new(limits, dir, T::FILES).receive(form);
            let received = tokio::time::timeout(limits.upload_patience(), receive);
            let received = received.await.map_err(|_| Code::RequestTimeout)??;
            Ok(received.finish()?)
        })
    }
}

impl<T: DeserializeOwned + Validate + ToSchema + MultipartForm + 'static> Argument for Multipart<T> {
    fn form() -> Option<FormBody> {
        Some(FormBody::of::<T>())
    }
}

/// The length that `Content-Length` announces.
fn announced(request: &HttpRequest) -> Option<u64> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Limits a body to `most` bytes. Bytes before the first part and between parts are counted too.
fn at_most(payload: Payload, most: u64) -> impl Stream<Item = Result<Bytes, PayloadError>> + 'static {
    let mut remaining = most;
    payload.map(move |chunk| {
        let chunk = chunk?;
        remaining = remaining.checked_sub(chunk.len() as u64).ok_or(PayloadError::Overflow)?;
        Ok(chunk)
    })
}

struct Receiver<'l> {
    limits: &'l LimitsConfig,
    dir: PathBuf,
    file_fields: &'static [&'static str],
    texts: Vec<(String, String)>,
    /// Fields that contain a file where none is expected, and whether the file was a text.
    misplaced: Vec<(String, bool)>,
    files: Vec<UploadedFile>,
    faults: Vec<Fault>,
    /// Bytes of the retained names and texts.
    text_bytes: usize,
    all_bytes: u64,
    parts: usize,
}

impl<'l> Receiver<'l> {
    fn new(limits: &'l LimitsConfig, dir: PathBuf, file_fields: &'static [&'static str]) -> Self {
        let (texts, files, faults, misplaced) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            limits,
            dir,
            file_fields,
            texts,
            misplaced,
            files,
            faults,
            text_bytes: 0,
            all_bytes: 0,
            parts: 0,
        }
    }

    async fn receive(mut self, mut form: actix_multipart::Multipart) -> Result<Self, Refusal> {
        while let Some(field) = form.next().await {
            let field = field.map_err(refusal)?;
            let name = self.admit(&field)?;
            let filename = field.content_disposition().and_then(|d| d.get_filename()).map(unquoted);
            match (self.file_fields.contains(&name.as_str()), filename) {
                // A file input that was left empty.
                (true, Some(filename)) if filename.is_empty() => self.skip(field).await?,
                (true, filename) => self.file(name, filename.unwrap_or_default(), field).await?,
                (false, None) => self.text(name, field).await?,
                (false, Some(_)) => self.misplaced(name, field).await?,
            }
        }
        Ok(self)
    }

    /// Counts a part by its headers, before any of it is stored; returns its name.
    fn admit(&mut self, field: &Field) -> Result<String, Refusal> {
        self.parts += 1;
        if self.parts > self.limits.form_parts {
            let most = self.limits.form_parts;
            return Err(Refusal::new(Code::TooLarge).detail(format!("a form may have at most {most} parts")));
        }
        let name = field.name().unwrap_or_default();
        if name.len() > FIELD_NAME {
            let why = format!("the name of a field may have at most {FIELD_NAME} bytes");
            return Err(Refusal::new(Code::MalformedBody).detail(why));
        }
        self.count_text(name.len())?;
        Ok(name.to_owned())
    }

    /// Counts bytes that are held in memory.
    fn count_text(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.text_bytes = self.text_bytes.saturating_add(bytes);
        match self.text_bytes > self.limits.json_bytes {
            true => Err(too_large(self.limits.json_bytes)),
            false => Ok(()),
        }
    }

    async fn skip(&mut self, mut field: Field) -> Result<(), Refusal> {
        while let Some(chunk) = field.next().await {
            self.count(chunk.map_err(refusal)?.len())?;
        }
        Ok(())
    }

    async fn text(&mut self, name: String, mut field: Field) -> Result<(), Refusal> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.next().await {
            let chunk = chunk.map_err(refusal)?;
            self.count(chunk.len())?;
            self.count_text(chunk.len())?;
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.texts.push((name, text)),
            Err(_) => self.faults.push(Fault::new("body", [name.as_str()], "is not UTF-8", "malformed")),
        }
        Ok(())
    }

    /// Handles a file in a field that is not for files: retains its text if it is short and valid.
    async fn misplaced(&mut self, name: String, mut field: Field) -> Result<(), Refusal> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.next().await {
            let chunk = chunk.map_err(refusal)?;
            self.count(chunk.len())?;
            if self.text_bytes + bytes.len() + chunk.len() <= self.limits.json_bytes {
                bytes.extend_from_slice(&chunk);
            } else {
                // Invalid UTF-8 marks the content as not a text; the rest is not retained.
                bytes = vec![0xff];
            }
        }
        self.text_bytes += bytes.len();
        let text = String::from_utf8(bytes).ok();
        self.misplaced.push((name.clone(), text.is_some()));
        self.texts.push((name, text.unwrap_or_default()));
        Ok(())
    }

    async fn file(&mut self, name: String, filename: String, mut field: Field) -> Result<(), Refusal> {
        if self.files.len() >= self.limits.form_files {
            return Err(Refusal::new(Code::TooLarge)
                .detail(format!("at most {} files are allowed", self.limits.form_files)));
        }
        let declared = field.content_type().map(ToString::to_string);
        let (mut file, path) = self.open().await.map_err(|error| unwritable(&error))?;
        let (mut size, mut head) = (0, Vec::new());
        while let Some(chunk) = field.next().await {
            let chunk = chunk.map_err(refusal)?;
            self.count(chunk.len())?;
            size += chunk.len() as u64;
            if size > self.limits.upload_bytes {
                return Err(too_large(self.limits.upload_bytes as usize));
            }
            head.extend_from_slice(&chunk[..chunk.len().min(SNIFFED - head.len())]);
            file.write_all(&chunk).await.map_err(|error| unwritable(&error))?;
        }
        file.flush().await.map_err(|error| unwritable(&error))?;
        let media_type = media_type(&head, declared);
        self.files.push(UploadedFile {
            field: name,
            filename: plain_name(&filename),
            media_type,
            size,
            path,
        });
        Ok(())
    }

    async fn open(&self) -> std::io::Result<(tokio::fs::File, TempPath)> {
        let dir = self.dir.clone();
        let created = tasks::blocking(move || {
            std::fs::create_dir_all(&dir)?;
            tempfile::NamedTempFile::new_in(&dir)
        });
        let (file, path) = created.await.map_err(std::io::Error::other)??.into_parts();
        Ok((tokio::fs::File::from_std(file), path))
    }

    fn count(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.all_bytes += bytes as u64;
        match self.all_bytes > self.limits.form_bytes {
            true => Err(too_large(self.limits.form_bytes as usize)),
            false => Ok(()),
        }
    }

    fn finish<T: DeserializeOwned + Validate + ToSchema + MultipartForm + 'static>(
        self,
    ) -> Result<Multipart<T>, Refusal> {
        let mut faults = self.faults;
        let mut value = gather(self.texts);
        for name in T::JSON {
            if let Some(Value::String(text)) = value.get(*name) {
                match serde_json::from_str(text) {
                    Ok(read) => drop(value.insert((*name).to_owned(), read)),
                    Err(error) => {
                        faults.push(Fault::new(
                            "body",
                            [*name],
                            format!("is not JSON: {error}"),
                            "malformed",
                        ));
                        value.remove(*name);
                    }
                }
            }
        }
        let read =
            validation::read("body", Value::Object(value), self.text_bytes, Mode::Form, schema::of_body::<T>);
        let mut more = read.as_ref().err().cloned().unwrap_or_default();
        // The schema includes files among the fields, but the received texts do not.
        more.retain(|fault| {
            let is_file = |file: &UploadedFile| fault.loc.get(1) == Some(&Step::Name(file.field.clone()));
            fault.kind != "missing" || !self.files.iter().any(is_file)
        });
        for (name, is_text) in self.misplaced {
            let place = [Step::Name("body".to_owned()), Step::Name(name.clone())];
            match more.iter_mut().find(|fault| fault.loc == place) {
                Some(fault) if fault.kind == "unknown_field" => {
                    fault.msg = format!("unknown field; {}", way_of(self.file_fields));
                }
                Some(_) => {}
                None if is_text => {}
                None => {
                    let why = format!("is not text; {}", way_of(self.file_fields));
                    faults.push(Fault::new("body", [name.as_str()], why, "malformed"));
                }
            }
        }
        match read {
            Ok(fields) if faults.is_empty() => Ok(Multipart { fields, files: self.files }),
            Ok(_) => Err(Refusal::faulty(faults)),
            Err(_) => {
                faults.extend(more);
                Err(Refusal::faulty(faults))
            }
        }
    }
}

/// Describes how files must be sent.
fn way_of(file_fields: &[&str]) -> String {
    match file_fields {
        [] => "no files are accepted here".to_owned(),
        names => format!("files must be sent as `{}`", names.join("` or `")),
    }
}

fn refusal(error: MultipartError) -> Refusal {
    use MultipartError as E;
    match error {
        E::Payload(PayloadError::Overflow) => Refusal::new(Code::TooLarge)
            .detail("the form, or the headers of one of its parts, exceed the limits of the server"),
        E::ContentTypeMissing | E::ContentTypeParse | E::ContentTypeIncompatible | E::BoundaryMissing => {
            Refusal::new(Code::WrongContentType).detail("send multipart/form-data")
        }
        other => Refusal::new(Code::MalformedBody).detail(other.to_string()),
    }
}

/// The refusal when a file cannot be written. A shortage of file descriptors while many files are open is temporary.
fn unwritable(error: &std::io::Error) -> Refusal {
    /// `ENFILE` and `EMFILE`: the limits of the system and of the process.
    const TOO_MANY_OPEN: [i32; 2] = [23, 24];
    match error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN.contains(&code)) {
        true => Refusal::new(Code::Overloaded)
            .detail("too many files are open; send the upload again")
            .retry_after(1)
            .because(error),
        false if error.kind() == std::io::ErrorKind::StorageFull => storage::Error::Full.into(),
        false => Refusal::new(Code::Internal).because(error),
    }
}

/// Returns the media type detected from the first bytes, or the stated one if the bytes are inconclusive.
pub fn media_type(head: &[u8], declared: Option<String>) -> String {
    if let Some(kind) = infer::get(head) {
        return kind.mime_type().to_owned();
    }
    // Text has no signature, so the caller may state its type.
    let is_text = !head.contains(&0);
    match declared.filter(|declared| is_content_type(declared)) {
        Some(declared) if is_text && declared != "application/octet-stream" => declared,
        _ if is_text => "text/plain".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// Restores a file name: browsers escape exactly these three characters in form data.
pub fn unquoted(filename: &str) -> String {
    filename.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// The last component of a name, without characters that are unsafe in file systems and headers.
pub fn plain_name(filename: &str) -> String {
    let last = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(MAX_NAME_LENGTH).collect();
    match plain.trim_matches(['.', ' ']) {
        "" => "file".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(fuzzing)]
pub mod fuzzing {
    //! Reads a form without an HTTP request.

    use super::*;
    use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

    /// The contents of a form.
    #[derive(Debug, PartialEq, Eq)]
    pub struct FormSummary {
        /// The names and lengths of text fields.
        pub texts: Vec<(String, usize)>,
        /// The names and sizes of files.
        pub files: Vec<(String, u64)>,
    }

    /// Reads a form with the boundary `x` that arrives in these chunks; `None` if it is refused.
    pub async fn form(pieces: Vec<Bytes>, limits: &LimitsConfig, dir: PathBuf) -> Option<FormSummary> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=x"));
        let body = futures::stream::iter(pieces.into_iter().map(Ok::<_, PayloadError>));
        let form = actix_multipart::Multipart::new(&headers, body);
        let received = Receiver::new(limits, dir, &["file"]).receive(form).await.ok()?;
        Some(FormSummary {
            texts: received.texts.into_iter().map(|(name, text)| (name, text.len())).collect(),
            files: received.files.into_iter().map(|file| (file.field, file.size)).collect(),
        })
    }
}
