//! OpenDocument: texts, spreadsheets and presentations.

use super::package::Package;
use super::sheets::Sheet;
use super::styles::number;
use crate::extract::ExtractError;
use crate::extract::flow::Flow;
use crate::extract::pages::{Outcome, Pages};
use crate::extract::xml::{Element, Node, Xml};
use std::collections::HashSet;

/// The maximum number of repetitions of a cell or row that is declared as repeated.
const MAX_REPEATS: u32 = 64;

/// The maximum depth of nested lists.
const MAX_LIST_DEPTH: usize = 64;

/// The list styles with numbered items, each with its depth.
type Counts = HashSet<(String, usize)>;

struct List {
    style: String,
    counts: bool,
    at: u32,
}

/// Reads an OpenDocument file: a text as one page, otherwise one page for each sheet or slide.
pub(in crate::extract) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let mut package = Package::open(bytes)?;
    let manifest = package.part("META-INF/manifest.xml", pages)?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ExtractError::encrypted());
    }
    if let Some(meta) = package.part("meta.xml", pages)? {
        let mut xml = Xml::new(&meta);
        while let Some(node) = xml.next()? {
            if matches!(&node, Node::Open(element) if element.name() == "title") {
                pages.call(&xml.inner_text()?);
            }
        }
    }
    let text = package.needed("content.xml", pages)?;
    let mut xml = Xml::new(&text);
    let (mut counts, mut style, mut in_body) = (Counts::new(), String::new(), false);
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "body" => in_body = true,
            "text" if in_body => {
                let text = Body::new(pages, &counts).walk(&mut xml, "text", pages)?;
                pages.push(None, text.flow.finish())?;
            }
            "spreadsheet" if in_body => sheets(&mut xml, pages)?,
            "presentation" if in_body => slides(&mut xml, &counts, pages)?,
            "list-style" => style = element.attribute("name").unwrap_or_default(),
            "list-level-style-number" => {
                let level = number(element.attribute("level"));
                let shown = element.attribute("num-format").is_none_or(|format| !format.is_empty());
                if let Some(depth) = level.checked_sub(1).filter(|_| shown) {
                    counts.insert((style.clone(), depth));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn slides(xml: &mut Xml<'_>, counts: &Counts, pages: &mut Pages) -> Outcome {
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) if element.name() == "page" => {
                let body = Body::new(pages, counts).walk(xml, "page", pages)?;
                let title = body.title.split_whitespace().collect::<Vec<_>>().join(" ");
                pages.call(&title);
                pages.push(Some(title).filter(|title| !title.is_empty()), body.flow.finish())?;
            }
            Node::Close(name) if name == "presentation" => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

fn sheets(xml: &mut Xml<'_>, pages: &mut Pages) -> Outcome {
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) if element.name() == "table" => {
                let name = element.attribute("name").unwrap_or_default();
                sheet(xml, name, pages)?;
            }
            Node::Open(element) if element.name() == "tracked-changes" => xml.skip()?,
            Node::Close(name) if name == "spreadsheet" => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

fn repeated(element: &Element<'_>, what: &str) -> u32 {
    element.attribute(what).and_then(|times| times.parse().ok()).unwrap_or(1).max(1)
}

fn sheet(xml: &mut Xml<'_>, name: String, pages: &mut Pages) -> Outcome {
    let mut sheet = Sheet::default();
    let (mut row, mut column, mut rows) = (0_u32, 0_u32, 1);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => match element.name() {
                "table-row" => {
                    column = 0;
                    rows = repeated(&element, "number-rows-repeated");
                }
                "table-cell" | "covered-table-cell" => {
                    let columns = repeated(&element, "number-columns-repeated");
                    let value = element.attribute("date-value").map(|date| date.replacen('T', " ", 1));
                    let shown = cell(xml, pages)?;
                    let text = value.unwrap_or(shown);
                    if !text.trim().is_empty() {
                        for down in 0..rows.min(MAX_REPEATS) {
                            for right in 0..columns.min(MAX_REPEATS) {
                                let at = (row.saturating_add(down), column.saturating_add(right));
                                sheet.add(at.0, at.1, text.clone(), pages)?;
                            }
                        }
                    }
                    column = column.saturating_add(columns);
                }
                "shapes" | "forms" | "annotation" => xml.skip()?,
                _ => {}
            },
            Node::Close(name) if name == "table-row" => row = row.saturating_add(rows),
            Node::Close(name) if name == "table" => break,
            Node::Close(_) | Node::Text(_) => {}
        }
    }
    sheet.finish(name, pages)
}

/// The displayed text of a cell.
fn cell(xml: &mut Xml<'_>, pages: &Pages) -> Outcome<String> {
    let (mut depth, mut text) = (1_u64, String::new());
    while depth > 0 {
        match xml.next()? {
            Some(Node::Open(element)) if element.name() == "annotation" => xml.skip()?,
            Some(Node::Open(element)) => {
                depth += 1;
                if matches!(element.name(), "p" | "s" | "tab" | "line-break") && !text.is_empty() {
                    text.push(' ');
                }
            }
            Some(Node::Close(_)) => depth -= 1,
            Some(Node::Text(more)) => text.push_str(&more),
            None => break,
        }
        if text.len() > pages.room() {
            return Err(pages.too_much_text());
        }
    }
    Ok(text)
}

struct Body<'c> {
    flow: Flow,
    counts: &'c Counts,
    title: String,
    in_title: bool,
    /// The open lists, the innermost last.
    lists: Vec<List>,
    /// The number of open paragraphs: only text within one is used.
    paragraphs: usize,
    /// Whether the speaker notes have begun, but without any text so far.
    awaits_notes: bool,
}

impl<'c> Body<'c> {
    fn new(pages: &Pages, counts: &'c Counts) -> Self {
        let (flow, lists) = (Flow::new(pages.room()), Vec::new());
        Self {
            flow,
            title: String::new(),
            in_title: false,
            counts,
            lists,
            paragraphs: 0,
            awaits_notes: false,
        }
    }

    /// Reads nodes until the element named `end` ends.
    fn walk(mut self, xml: &mut Xml<'_>, end: &str, pages: &Pages) -> Outcome<Self> {
        while let Some(node) = xml.next()? {
            match node {
                Node::Open(element) => self.open(&element, xml)?,
                Node::Close(name) if name == end => break,
                Node::Close(name) => self.close(&name),
                Node::Text(text) if self.paragraphs > 0 => {
                    if self.awaits_notes && !text.trim().is_empty() {
                        self.awaits_notes = false;
                        self.flow.heading(2);
                        self.flow.text("Notes");
                        self.flow.block();
                    }
                    self.flow.text(&text);
                    if self.in_title && self.title.len() < 1000 {
                        self.title.push_str(&text);
                    }
                }
                Node::Text(_) => {}
            }
            if self.flow.is_full() {
                return Err(pages.too_much_text());
            }
        }
        Ok(self)
    }

    fn open(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Outcome {
        match element.name() {
            "tracked-changes" | "annotation" | "sequence-decls" | "forms" | "note-citation" => xml.skip()?,
            "h" => {
                self.flow
                    .heading(u8::try_from(number(element.attribute("outline-level"))).unwrap_or(6).max(1));
                self.paragraphs += 1;
            }
            "p" => {
                self.flow.block();
                if self.in_title || element.attribute("style-name").is_some_and(|style| style == "Title") {
                    self.flow.heading(1);
                }
                self.paragraphs += 1;
            }
            "list" if self.lists.len() < MAX_LIST_DEPTH => {
                let outer = self.lists.last().map(|list| list.style.clone());
                let style = element.attribute("style-name").or(outer).unwrap_or_default();
                self.lists.push(List {
                    counts: self.counts.contains(&(style.clone(), self.lists.len())),
                    style,
                    at: 0,
                });
            }
            "list-item" => {
                let depth = self.lists.len().saturating_sub(1);
                let number = self.lists.last_mut().filter(|list| list.counts).map(|list| {
                    list.at += 1;
                    list.at
                });
                self.flow.item(depth, number);
            }
            "s" => self.flow.text(" "),
            "tab" => self.flow.text(" "),
            "line-break" => self.flow.line_break(),
            "table" => self.flow.table_begin(),
            "table-row" => self.flow.row_begin(),
            "table-cell" => self.flow.cell_begin(),
            "frame" => self.in_title = element.attribute("class").is_some_and(|class| class == "title"),
            // The heading is written once there is a note.
            "notes" => self.awaits_notes = true,
            // Slide numbers and dates.
            "page-number" | "date-time" => xml.skip()?,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match name {
            "h" | "p" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if self.paragraphs == 0 {
                    self.flow.block();
                }
            }
            "list" => drop(self.lists.pop()),
            "list-item" => self.flow.end_item(),
            "frame" => self.in_title = false,
            "table-cell" => self.flow.cell_end(),
            "table-row" => self.flow.row_end(),
            "table" => self.flow.table_end(),
            _ => {}
        }
    }
}
