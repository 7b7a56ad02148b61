//! What the styles and lists of a Word file mean for its text.

use crate::extract::pages::Outcome;
use crate::extract::xml::{Node, Xml};
use std::collections::HashMap;

/// How deep styles may build on each other.
const DEEPEST: usize = 16;

/// The styles that make headings.
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
        for _ in 0..DEEPEST {
            let here = style?;
            if let Some(found) = what(here) {
                return Some(found);
            }
            style = here.based_on.as_ref().and_then(|id| self.0.get(id));
        }
        None
    }

    /// The level of heading that a style makes, from 1.
    pub fn level(&self, id: &str) -> Option<u8> {
        match self.0.is_empty() {
            true => level_of(id),
            false => self.find(id, |style| style.level),
        }
    }

    /// The list that a style belongs to, and how deep in it.
    pub fn list(&self, id: &str) -> Option<(String, usize)> {
        self.find(id, |style| style.list.clone())
    }
}

/// `heading 2` is 2; a title is 1.
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

/// Which lists count their items.
#[derive(Default)]
pub(super) struct Lists {
    /// Of a list's number, the number of its description.
    described: HashMap<String, String>,
    /// Of a description and a depth, whether it counts.
    counts: HashMap<(String, usize), bool>,
    /// How far each list has counted.
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

    /// The number of the next item of a list, where it counts.
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
