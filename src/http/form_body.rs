//! Descriptions of multipart forms.

/// Describes a form: which of its fields are JSON, and which are files.
pub trait MultipartForm {
    /// Fields whose text is JSON.
    const JSON: &'static [&'static str];
    /// Fields that are files.
    const FILES: &'static [&'static str];
}

/// The forms that an operation accepts as its body, for the OpenAPI document.
#[derive(Clone, Copy, Debug)]
pub struct FormBody {
    /// Fields whose text is JSON.
    pub json: &'static [&'static str],
    /// Fields that are files.
    pub files: &'static [&'static str],
    /// Whether the other fields are also accepted as a JSON body.
    pub or_json: bool,
}

impl FormBody {
    /// The form of this type.
    pub const fn of<T: MultipartForm>() -> Self {
        Self { json: T::JSON, files: T::FILES, or_json: false }
    }
}
