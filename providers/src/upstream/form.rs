use bytes::Bytes;
use reqwest::header::HeaderValue;

/// A `multipart/form-data` body, built completely in memory so that it can be sent again.
pub(crate) struct Form {
    boundary: String,
    body: Vec<u8>,
}

impl Form {
    pub(crate) fn new() -> Self {
        // Random, so that the content cannot contain it.
        Self { boundary: format!("form-{}", uuid::Uuid::new_v4().simple()), body: Vec::new() }
    }

    #[must_use]
    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        self.part(name, "", value.as_bytes());
        self
    }

    #[must_use]
    pub(crate) fn file(mut self, name: &str, filename: &str, media_type: &str, data: &[u8]) -> Self {
        let media_type: String = media_type.chars().filter(|c| c.is_ascii_graphic()).collect();
        let more = format!("; filename=\"{}\"\r\nContent-Type: {media_type}", quoted(filename));
        self.part(name, &more, data);
        self
    }

    fn part(&mut self, name: &str, more: &str, data: &[u8]) {
        let (boundary, name) = (&self.boundary, quoted(name));
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n");
        self.body.reserve(head.len() + data.len() + boundary.len() + 8);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(data);
        self.body.extend_from_slice(b"\r\n");
    }

    /// The content type and the body.
    pub(super) fn finish(mut self) -> (HeaderValue, Bytes) {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        let kind = format!("multipart/form-data; boundary={}", self.boundary);
        let kind = HeaderValue::try_from(kind).unwrap_or(HeaderValue::from_static("multipart/form-data"));
        (kind, self.body.into())
    }
}

/// Escapes quotes and line breaks in names as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_is_encoded_as_browsers_do() {
        let form = Form::new().text("model", "m").file("file", "a\"\r\nb.wav", "audio/wav", b"\x00\xFF");
        let boundary = form.boundary.clone();
        let (kind, body) = form.finish();
        assert_eq!(kind.to_str().unwrap(), format!("multipart/form-data; boundary={boundary}"));
        let mut expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22%0D%0Ab.wav\"\r\n\
             Content-Type: audio/wav\r\n\r\n"
        )
        .into_bytes();
        expected.extend(b"\x00\xFF\r\n");
        expected.extend(format!("--{boundary}--\r\n").into_bytes());
        assert_eq!(body, expected);
    }
}
