use super::Content;

impl Content {
    /// Returns the content as text: plain text unchanged, a file's text in a tag with its name; `None` for other
    /// content.
    pub(crate) fn in_words(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::File { filename, media_type, text } => {
                let plain = |s: &str| s.replace(['"', '<', '>', '\n', '\r'], "_");
                let (name, kind) = (plain(filename), plain(media_type));
                Some(format!("<file name=\"{name}\" type=\"{kind}\">\n{text}\n</file>"))
            }
            Self::Image { .. } | Self::ImageUrl { .. } | Self::Raw(_) => None,
        }
    }
}

/// Returns the media type and the base64 data of a `data:` URL.
pub(crate) fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = head.strip_suffix(";base64")?;
    Some((kind.split(';').next().unwrap_or(kind), data))
}
