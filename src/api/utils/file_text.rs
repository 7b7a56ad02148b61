//! Extracting the text of a file.

use actix_web::web::Data;
use knowledge::{ExtractError, ExtractErrorKind, Extracted, Hint, Page, count_tokens};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::App;
use crate::http::scopes::KnowledgeRead;
use crate::http::{
    Api, Auth, Code, Json, Multipart, MultipartForm, Refusal, UploadedFile, Validate, operations,
};

/// A file to read.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FileTextContentForm {
    #[serde(default, rename = "file")]
    #[schema(value_type = String, format = Binary, required = true)]
    _file: Option<()>,
}

impl MultipartForm for FileTextContentForm {
    const JSON: &'static [&'static str] = &[];
    const FILES: &'static [&'static str] = &["file"];
}

impl Validate for FileTextContentForm {}

/// The text of a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileTextContentResponse {
    /// The name of the file, without folders.
    pub filename: String,
    /// The detected media type.
    pub media_type: String,
    /// The title in the file's metadata or content, if it has one.
    pub title: Option<String>,
    /// The texts of all pages, separated by an empty line.
    pub text: String,
    /// The pages, sheets or slides. Formats without pages have a single page.
    pub pages: Vec<FileTextPage>,
    /// The number of characters in `text`.
    pub characters: u64,
    /// The number of tokens in `text`.
    pub tokens: u32,
}

/// A page, sheet or slide of a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileTextPage {
    /// The number of the page in the file, starting at 1.
    pub number: u32,
    /// The name of the sheet or slide.
    pub name: Option<String>,
    /// The text of the page, as Markdown.
    pub text: String,
}

impl From<Page> for FileTextPage {
    fn from(page: Page) -> Self {
        Self { number: page.number, name: page.name, text: page.text }
    }
}

/// Extract the text of a file.
///
/// The file is not stored. Supported formats: PDF, DOCX, PPTX, XLSX, ODS, HTML, Markdown, CSV, JSON, RTF, EML,
/// plain text and source code. For a file that cannot be read, the response is 422, and the `type` of the fault
/// is the reason: `file_unsupported`, `file_damaged`, `file_encrypted`, `file_empty`, `file_too_large`,
/// `file_timeout`, `file_memory` or `file_crashed`.
#[utoipa::path(post, path = "/api/utils/get-file-text-content",
    request_body(content = FileTextContentForm, content_type = "multipart/form-data"))]
async fn get_file_text_content(
    _auth: Auth<KnowledgeRead>,
    app: Data<App>,
    form: Multipart<FileTextContentForm>,
) -> Api<Json<FileTextContentResponse>> {
    read(&app, &form.files).await.map(Json)
}

async fn read(app: &App, files: &[UploadedFile]) -> Api<FileTextContentResponse> {
    let file = match files {
        [file] => file,
        [] => return Err(fault("a file is required", "missing")),
        _ => return Err(fault("only one file is allowed", "too_many")),
    };
    let hint = Hint { filename: file.filename.clone(), media_type: file.media_type.clone() };
    let read = app.run_context.library.read_path(file.path(), &hint).await.map_err(refused)?;
    // Counting the tokens of several megabytes takes a while.
    let shown = tasks::blocking(move || shown(hint.filename, read)).await;
    shown.map_err(|why| Refusal::new(Code::Internal).because(why))
}

fn shown(filename: String, read: Extracted) -> FileTextContentResponse {
    let Extracted { media_type, title, pages } = read;
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    let text = texts.join("\n\n");
    let (characters, tokens) = (text.chars().count() as u64, count_tokens(&text));
    let pages = pages.into_iter().map(FileTextPage::from).collect();
    FileTextContentResponse { filename, media_type, title, text, pages, characters, tokens }
}

fn refused(why: ExtractError) -> Refusal {
    match why.kind {
        ExtractErrorKind::Unavailable => Refusal::new(Code::Overloaded).detail(why.message).retry_after(1),
        kind => fault(&why.message, kind.code()),
    }
}

fn fault(msg: &str, kind: &'static str) -> Refusal {
    Refusal::invalid("body", ["file"], msg, kind)
}

operations!(get_file_text_content);
