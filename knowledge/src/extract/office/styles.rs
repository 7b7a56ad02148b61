//! The meaning of the styles and lists of a Word file for its text.

use crate::extract::pages::Outcome;
use crate::extract::xml::{Node, Xml};
use std::collections::HashMap;

/// The maximum depth of styles that are based on each other.
const MAX_DEPTH: usize = 16;

/// The styles that represent headings or lists.
#[derive(Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Default)]
struct Style {
    level: Option<u8>,
    based_on: Option<String>,
    list: Option<(String, usize)>,
}

impl Styles {
    pub fn read(text: &str) -> Outcome<Self> {
        let (mut styles, mut id, mut style) = (HashMap::new(), String::new(), Style::default());
        let (mut list, mut depth) = (None, 0);
        let mut xml = Xml::new(text);
        while let Some(node) = xml.next()? {
            match node {
                Node::Open(element) => match element.name() {
                    "style" => {
                        id = element.attribute("styleId").unwrap_or_default();
                        (style, list, depth) = (Style::default(), None, 0);
                    }
                    "name" => {
                        let level = level_of(&element.attribute("val").unwrap_or_default());
                        style.level = style.level.or(level);
                    }
                    "basedOn" => style.based_on = element.attribute("val"),
                    "outlineLvl" => {
                        let level = element.attribute("val").and_then(|level| level.parse::<u8>().ok());
                        style.level = level.filter(|level| *level < 9).map(|level| level + 1).or(style.level);
                    }
                    "ilvl" => depth = number(element.attribute("val")),
                    "numId" => list = element.attribute("val"),
                    _ => {}
                },
                Node::Close(name) if name == "style" => {
                    style.list = list.take().map(|list| (list, depth));
                    styles.insert(std::mem::take(&mut id), std::mem::take(&mut style));
                }
                Node::Close(_) | Node::Text(_) => {}
            }
        }
        Ok(Self(styles))
    }

    fn find<T>(&self, id: &str, what: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut style = self.0.get(id);
        for _ in 0..MAX_DEPTH {
            let here = style?;
            if let Some(found) = what(here) {
                return Some(found);
            }
            style = here.based_on.as_ref().and_then(|id| self.0.get(id));
        }
        None
    }

    /// The heading level of a style, from 1.
    pub fn level(&self, id: &str) -> Option<u8> {
        match self.0.is_empty() {
            true => level_of(id),
            false => self.find(id, |style| style.level),
        }
    }

    /// The list that a style belongs to, and its depth.
    pub fn list(&self, id: &str) -> Option<(String, usize)> {
        self.find(id, |style| style.list.clone())
    }
}

/// The heading level by the name of a style: `heading 2` is 2; a title is 1.
fn level_of(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    name.strip_prefix("heading")?.trim().parse().ok().filter(|level| (1..=9).contains(level))
}

pub(super) fn number(value: Option<String>) -> usize {
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// The definitions of lists, and the state of numbered ones.
#[derive(Default)]
pub(super) struct Lists {
    /// The number of the description for each list number.
    described: HashMap<String, String>,
    /// Whether items are numbered, by description and depth.
    counts: HashMap<(String, usize), bool>,
    /// The last number of each list.
    at: HashMap<(String, usize), u32>,
}

impl Lists {
    pub fn read(text: &str) -> Outcome<Self> {
        let mut lists = Self::default();
        let (mut description, mut depth, mut list) = (String::new(), 0, None);
        let mut xml = Xml::new(text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match element.name() {
                "abstractNum" => description = element.attribute("abstractNumId").unwrap_or_default(),
                "lvl" => depth = number(element.attribute("ilvl")),
                "numFmt" => {
                    let format = element.attribute("val").unwrap_or_default();
                    lists.counts.insert((description.clone(), depth), format != "bullet" && format != "none");
                }
                "num" => list = element.attribute("numId"),
                "abstractNumId" => {
                    if let (Some(list), Some(description)) = (list.take(), element.attribute("val")) {
                        lists.described.insert(list, description);
                    }
                }
                _ => {}
            }
        }
        Ok(lists)
    }

    /// The number of a list's next item, if the list is numbered.
    pub fn next(&mut self, list: &str, depth: usize) -> Option<u32> {
        let description = self.described.get(list)?;
        if !self.counts.get(&(description.clone(), depth)).copied().unwrap_or(false) {
            return None;
        }
        for deeper in depth + 1..9 {
            self.at.remove(&(list.to_owned(), deeper));
        }
        let at = self.at.entry((list.to_owned(), depth)).or_insert(0);
        *at = at.saturating_add(1);
        Some(*at)
    }
}
