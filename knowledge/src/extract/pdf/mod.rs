//! Reads PDF files: arranges the positioned characters of each page into lines and paragraphs.

mod cmap;
mod content;
mod fonts;
mod layout;
mod widths;

use super::pages::{Outcome, Pages};
use super::{ExtractError, ExtractErrorKind as Kind};
use content::Painter;
use fonts::Fonts;
use layout::Line;
use lopdf::{Dictionary, Document, Error, LoadOptions, Object, ObjectId};
use std::collections::HashSet;

/// The maximum depth of the page tree.
const MAX_DEPTH: usize = 64;
/// The maximum unpacked size of one stream in bytes.
const MAX_STREAM_BYTES: usize = 64 << 20;

/// Reads a document page by page.
pub(super) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let limit = usize::try_from(pages.unpackable()).unwrap_or(usize::MAX).min(MAX_STREAM_BYTES);
    // Stray bytes before the header would shift every offset.
    let start = bytes.windows(5).take(1024).position(|window| window == b"%PDF-").unwrap_or(0);
    let options = LoadOptions::with_max_decompressed_size(limit);
    let document = Document::load_mem_with_options(&bytes[start..], options).map_err(broken)?;
    if document.is_encrypted() {
        return Err(ExtractError::encrypted());
    }
    if let Some(title) = title(&document) {
        pages.call(&title);
    }
    let ids = page_ids(&document, pages.limits.pages)?;
    if ids.is_empty() {
        return Err(ExtractError::damaged("the file has no readable pages"));
    }
    let mut fonts = Fonts::new(&document, limit);
    let mut read: Vec<Vec<Line>> = Vec::new();
    let mut bytes = 0;
    for id in ids {
        let lines = Painter::new(&document, &mut fonts, pages, limit).page(id)?;
        bytes += lines.iter().map(Line::bytes).sum::<usize>();
        if bytes > pages.room() {
            return Err(pages.too_much_text());
        }
        read.push(lines);
    }
    let sizes = layout::Sizes::new(&read);
    for lines in read {
        pages.push(None, layout::text(&lines, &sizes))?;
    }
    Ok(())
}

fn broken(why: Error) -> ExtractError {
    match why {
        Error::InvalidPassword | Error::Decryption(_) | Error::UnsupportedSecurityHandler(_) => {
            ExtractError::encrypted()
        }
        Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. }) => {
            ExtractError::new(Kind::TooLarge, "a part of the file unpacks to more than the limit")
        }
        why => ExtractError::damaged(format!("the PDF is damaged: {why}")),
    }
}

/// The title stated in the document.
fn title(document: &Document) -> Option<String> {
    let info = document.trailer.get_deref(b"Info", document).and_then(Object::as_dict).ok()?;
    let title = info.get_deref(b"Title", document).ok()?;
    lopdf::decode_text_string(title).ok().filter(|title| !title.trim().is_empty())
}

/// The pages in order. Cycles in the page tree are cut.
fn page_ids(document: &Document, most: u32) -> Outcome<Vec<ObjectId>> {
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    let root = document.catalog().and_then(|catalog| catalog.get(b"Pages")).and_then(Object::as_reference);
    let mut rest = vec![(root.map_err(broken)?, 0)];
    while let Some((id, depth)) = rest.pop() {
        let Ok(node) = document.get_dictionary(id) else { continue };
        if depth > MAX_DEPTH || !seen.insert(id) {
            continue;
        }
        match node.get_deref(b"Kids", document).and_then(Object::as_array) {
            Ok(kids) => {
                rest.extend(kids.iter().rev().filter_map(|kid| Some((kid.as_reference().ok()?, depth + 1))))
            }
            Err(_) => ids.push(id),
        }
        if ids.len() > most as usize {
            return Err(ExtractError::new(Kind::TooLarge, format!("the file has more than {most} pages")));
        }
    }
    Ok(ids)
}

/// The resources of a page, which may be inherited from a parent.
fn resources(document: &Document, page: ObjectId) -> Option<&Dictionary> {
    let mut node = document.get_dictionary(page).ok()?;
    for _ in 0..MAX_DEPTH {
        if let Ok(found) = node.get_deref(b"Resources", document).and_then(Object::as_dict) {
            return Some(found);
        }
        node = node.get_deref(b"Parent", document).and_then(Object::as_dict).ok()?;
    }
    None
}
