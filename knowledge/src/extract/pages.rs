//! The pages produced by a reader, and their limits.

use super::{ExtractError, ExtractErrorKind as Kind, Extracted, Page};
use serde::{Deserialize, Serialize};

/// The result of reading.
pub(super) type Outcome<T = ()> = Result<T, ExtractError>;

/// The limits while a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The total size of the text in bytes.
    pub text_bytes: u64,
    /// The number of pages, sheets or slides.
    pub pages: u32,
    /// The total unpacked size in bytes of all parts of the file that are read.
    pub unpacked_bytes: u64,
}

impl ExtractError {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn damaged(message: impl Into<String>) -> Self {
        Self::new(Kind::Damaged, message)
    }

    pub(super) fn encrypted() -> Self {
        Self::new(Kind::Encrypted, "the file is protected by a password")
    }
}

/// The pages that have been read so far.
pub(super) struct Pages {
    pub limits: Limits,
    pub title: Option<String>,
    pages: Vec<Page>,
    text_bytes: u64,
    unpacked_bytes: u64,
}

impl Pages {
    pub fn new(limits: Limits) -> Self {
        Self { limits, title: None, pages: Vec::new(), text_bytes: 0, unpacked_bytes: 0 }
    }

    /// Appends a page.
    pub fn push(&mut self, name: Option<String>, text: String) -> Outcome {
        let number = self.pages.len() as u32 + 1;
        if number > self.limits.pages {
            let most = self.limits.pages;
            return Err(ExtractError::new(Kind::TooLarge, format!("the file has more than {most} pages")));
        }
        self.text_bytes += (text.len() + name.as_ref().map_or(0, String::len)) as u64;
        if self.text_bytes > self.limits.text_bytes {
            return Err(self.too_much_text());
        }
        self.pages.push(Page { number, name, text });
        Ok(())
    }

    /// The remaining space for text in bytes.
    pub fn room(&self) -> usize {
        usize::try_from(self.limits.text_bytes.saturating_sub(self.text_bytes)).unwrap_or(usize::MAX)
    }

    pub fn too_much_text(&self) -> ExtractError {
        let most = self.limits.text_bytes;
        ExtractError::new(Kind::TooLarge, format!("the file has more than {most} bytes of text"))
    }

    /// The number of bytes that may still be unpacked.
    pub fn unpackable(&self) -> u64 {
        self.limits.unpacked_bytes.saturating_sub(self.unpacked_bytes)
    }

    /// Counts unpacked bytes.
    pub fn unpacked(&mut self, bytes: usize) -> Outcome {
        self.unpacked_bytes = self.unpacked_bytes.saturating_add(bytes as u64);
        if self.unpacked_bytes > self.limits.unpacked_bytes {
            return Err(self.too_much_unpacked());
        }
        Ok(())
    }

    pub fn too_much_unpacked(&self) -> ExtractError {
        let most = self.limits.unpacked_bytes >> 20;
        ExtractError::new(Kind::TooLarge, format!("the file unpacks to more than {most} MiB"))
    }

    /// Sets the title, unless one is already set or `title` is blank.
    pub fn call(&mut self, title: &str) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.title.is_none() && !title.is_empty() {
            self.title = Some(title.chars().take(300).collect());
        }
    }

    /// Appends the pages of a file that was contained in this one.
    pub fn adopt(&mut self, name: &str, inner: Extracted) -> Outcome {
        for page in inner.pages {
            let name = match page.name {
                Some(own) => format!("{name}: {own}"),
                None => name.to_owned(),
            };
            self.push(Some(name), page.text)?;
        }
        Ok(())
    }

    /// Whether all pages are blank.
    pub fn is_blank(&self) -> bool {
        self.pages.iter().all(|page| page.text.trim().is_empty())
    }

    pub fn finish(self, media_type: &str) -> Extracted {
        Extracted { media_type: media_type.to_owned(), title: self.title, pages: self.pages }
    }
}
