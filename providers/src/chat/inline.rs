use super::Content;

impl Content {
    /// What it says in words: a text itself, a file's text in a tag that names it; nothing where it has none.
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

/// The media type and the base64 text of a `data:` address.
pub(crate) fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = head.strip_suffix(";base64")?;
    Some((kind.split(';').next().unwrap_or(kind), data))
}
