//! Media types in the form in which clients state them.

use actix_web::http::header::HeaderValue;

/// The media type for content of an unknown type.
pub const UNKNOWN: &str = "application/octet-stream";
/// The validation message for a text that is not a media type.
pub const NO_MEDIA_TYPE: &str = "is not a media type such as `text/plain`";
/// The maximum length of a type or subtype in characters (RFC 6838).
const MAX_TYPE_CHARS: usize = 127;

/// Whether a text is a media type without parameters: `type/subtype`, each with at most 127 characters that RFC 6838
/// allows. Only such texts may be stored as the type of a file, because the type is sent as a header with each
/// download.
pub fn is_media_type(text: &str) -> bool {
    let token = |part: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        (1..=MAX_TYPE_CHARS).contains(&part.len()) && part.bytes().all(known)
    };
    text.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub))
}

/// Whether a text is a media type, with or without parameters, that a header can contain.
pub fn is_content_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    is_media_type(essence) && HeaderValue::try_from(text).is_ok()
}

/// Returns the media type of a stored file as a header. Rows of older versions may contain types that are not valid
/// headers.
pub fn content_type(stored: &str) -> HeaderValue {
    let header = HeaderValue::try_from(stored).ok().filter(|_| is_content_type(stored));
    header.unwrap_or(HeaderValue::from_static(UNKNOWN))
}
