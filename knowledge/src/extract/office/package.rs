//! The ZIP archive that contains the parts of an office file.

use crate::extract::pages::{Outcome, Pages};
use crate::extract::xml::{Node, Xml, xml_text};
use crate::extract::{ExtractError, ExtractErrorKind as Kind};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// The maximum number of entries in an archive; an office file has several hundred.
const MAX_ENTRIES: usize = 20_000;
/// The maximum size in bytes of a part that is only inspected.
const SMALL: u64 = 64 << 10;

pub(in crate::extract) struct Package<'a>(ZipArchive<Cursor<&'a [u8]>>);

/// A relationship from one part to another.
pub(in crate::extract) struct Link {
    /// The last segment of the relationship type, for example `notesSlide`.
    pub kind: String,
    /// The part's name in the archive.
    pub target: String,
}

fn broken(why: impl std::fmt::Display) -> ExtractError {
    ExtractError::damaged(format!("the file is a damaged archive: {why}"))
}

impl<'a> Package<'a> {
    pub fn open(bytes: &'a [u8]) -> Outcome<Self> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if archive.len() > MAX_ENTRIES {
            let why = format!("the file is an archive of more than {MAX_ENTRIES} entries");
            return Err(ExtractError::new(Kind::TooLarge, why));
        }
        Ok(Self(archive))
    }

    /// The names of all parts.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.file_names().flatten()
    }

    /// The text of a part; `None` if it does not exist.
    pub fn part(&mut self, name: &str, pages: &mut Pages) -> Outcome<Option<String>> {
        let bytes = self.bytes(name, pages)?;
        Ok(bytes.map(|bytes| xml_text(&bytes)))
    }

    /// The text of a required part.
    pub fn needed(&mut self, name: &str, pages: &mut Pages) -> Outcome<String> {
        let missing = || ExtractError::damaged(format!("the file has no part {name}"));
        self.part(name, pages)?.ok_or_else(missing)
    }

    /// The content of a part, counted while it is unpacked: the size stated in the archive is not trusted.
    fn bytes(&mut self, name: &str, pages: &mut Pages) -> Outcome<Option<Vec<u8>>> {
        let entry = match self.0.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(ExtractError::encrypted());
            }
            Err(why) => return Err(broken(why)),
        };
        let mut bytes = Vec::new();
        let read = entry.take(pages.unpackable().saturating_add(1)).read_to_end(&mut bytes);
        pages.unpacked(bytes.len())?;
        read.map_err(broken)?;
        Ok(Some(bytes))
    }

    /// Counts the unpacked size of the parts selected by `wanted`, without retaining their content.
    pub fn weigh(&mut self, wanted: impl Fn(&str) -> bool, pages: &mut Pages) -> Outcome {
        let names: Vec<String> = self.names().filter(|name| wanted(name)).map(Cow::into_owned).collect();
        let mut buffer = vec![0; 64 << 10];
        for name in names {
            let Ok(mut entry) = self.0.by_name(&name) else { continue };
            loop {
                let count = entry.read(&mut buffer).map_err(broken)?;
                if count == 0 {
                    break;
                }
                pages.unpacked(count)?;
            }
        }
        Ok(())
    }

    /// The content of a small part, if it exists and is readable.
    pub fn small(&mut self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.by_name(name).ok()?.take(SMALL).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The relationships of a part, by the ids it uses.
    pub fn links(&mut self, part: &str, pages: &mut Pages) -> Outcome<HashMap<String, Link>> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let rels = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let mut links = HashMap::new();
        let Some(text) = self.part(&rels, pages)? else { return Ok(links) };
        let mut xml = Xml::new(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            if element.name() != "Relationship"
                || element.attribute("TargetMode").is_some_and(|mode| mode == "External")
            {
                continue;
            }
            let (id, kind) = (element.attribute("Id"), element.attribute("Type"));
            if let (Some(id), Some(kind), Some(target)) = (id, kind, element.attribute("Target")) {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                links.insert(id, Link { kind, target: resolve(folder, &target) });
            }
        }
        Ok(links)
    }

    /// The name of the main part of the file.
    pub fn main_part(&mut self, usual: &str, pages: &mut Pages) -> Outcome<String> {
        let links = self.links("", pages)?;
        let main = links.into_values().find(|link| link.kind == "officeDocument");
        Ok(main.map_or_else(|| usual.to_owned(), |link| link.target))
    }

    /// The title among the properties of an OOXML file.
    pub fn title(&mut self, pages: &mut Pages) -> Outcome {
        if let Some(text) = self.part("docProps/core.xml", pages)? {
            let mut xml = Xml::new(&text);
            while let Some(node) = xml.next()? {
                if matches!(&node, Node::Open(element) if element.name() == "title") {
                    pages.call(&xml.inner_text()?);
                }
            }
        }
        Ok(())
    }
}

/// Resolves a target that is written in a part of `folder` to a name in the archive.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.join("/")
}
