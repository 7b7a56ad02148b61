//! PowerPoint files.

use super::package::Package;
use super::styles::number;
use crate::extract::flow::Flow;
use crate::extract::pages::{Outcome, Pages};
use crate::extract::xml::{Element, Node, Xml};

/// Reads a presentation as one page per slide, each with the speaker notes at its end.
pub(in crate::extract) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let mut package = Package::open(bytes)?;
    package.title(pages)?;
    let main = package.main_part("ppt/presentation.xml", pages)?;
    let links = package.links(&main, pages)?;
    let text = package.needed(&main, pages)?;
    let mut xml = Xml::new(&text);
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        if element.name() != "sldId" {
            continue;
        }
        // The prefix is practically always `r`; the slide number attribute has none.
        let id = element.full_attribute("r:id");
        let Some(link) = id.and_then(|id| links.get(&id)) else { continue };
        slide(&mut package, &link.target, pages)?;
    }
    Ok(())
}

fn slide(package: &mut Package<'_>, part: &str, pages: &mut Pages) -> Outcome {
    let links = package.links(part, pages)?;
    let text = package.needed(part, pages)?;
    let mut shapes = Shapes::new(pages.room());
    shapes.walk(&text, pages)?;
    let notes = links.into_values().find(|link| link.kind == "notesSlide");
    if let Some(notes) = notes.map(|link| package.part(&link.target, pages)).transpose()?.flatten() {
        let mut inner = Shapes::new(pages.room());
        inner.is_notes = true;
        inner.walk(&notes, pages)?;
        let notes = inner.flow.finish();
        if !notes.trim().is_empty() {
            shapes.flow.heading(2);
            shapes.flow.text("Notes");
            shapes.flow.block();
            for line in notes.lines() {
                shapes.flow.text(line);
                shapes.flow.line_break();
            }
        }
    }
    let title = shapes.title.split_whitespace().collect::<Vec<_>>().join(" ");
    pages.call(&title);
    pages.push(Some(title).filter(|title| !title.is_empty()), shapes.flow.finish())
}

struct Shapes {
    flow: Flow,
    title: String,
    is_notes: bool,
    /// The role of the shape: `title`, `body`, or `None` for a text box.
    role: Option<String>,
    begun: bool,
    depth: usize,
}

impl Shapes {
    fn new(room: usize) -> Self {
        Self {
            flow: Flow::new(room),
            title: String::new(),
            is_notes: false,
            role: None,
            begun: false,
            depth: 0,
        }
    }

    fn walk(&mut self, text: &str, pages: &Pages) -> Outcome {
        let mut xml = Xml::new(text);
        while let Some(node) = xml.next()? {
            match node {
                Node::Open(element) => self.open(&element, &mut xml)?,
                Node::Close(name) => self.close(&name),
                Node::Text(_) => {}
            }
            if self.flow.is_full() {
                return Err(pages.too_much_text());
            }
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Outcome {
        match element.name() {
            "Fallback" => xml.skip()?,
            "sp" | "graphicFrame" => self.role = None,
            "ph" => self.role = Some(element.attribute("type").unwrap_or_else(|| "body".into())),
            "txBody" if self.is_unwanted() => xml.skip()?,
            "p" => {
                self.flow.block();
                (self.begun, self.depth) = (false, 0);
            }
            "pPr" => self.depth = number(element.attribute("lvl")),
            "t" => {
                let text = xml.inner_text()?;
                self.begin();
                if self.is_title() {
                    self.title.push_str(&text);
                }
                self.flow.text(&text);
            }
            "br" => self.flow.line_break(),
            "tbl" => self.flow.table_begin(),
            "tr" => self.flow.row_begin(),
            "tc" => self.flow.cell_begin(),
            _ => {}
        }
        Ok(())
    }

    fn is_title(&self) -> bool {
        matches!(self.role.as_deref(), Some("title" | "ctrTitle"))
    }

    /// Whether to omit the shape: slide numbers and dates, and on notes pages everything except the notes.
    fn is_unwanted(&self) -> bool {
        let role = self.role.as_deref();
        matches!(role, Some("sldNum" | "dt" | "ftr" | "hdr")) || self.is_notes && role != Some("body")
    }

    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        match self.role.as_deref() {
            _ if self.is_notes => {}
            Some("title" | "ctrTitle") => self.flow.heading(1),
            Some("body" | "obj") => self.flow.item(self.depth, None),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" => {
                self.flow.block();
                if self.is_title() {
                    self.title.push(' ');
                }
            }
            "tc" => self.flow.cell_end(),
            "tr" => self.flow.row_end(),
            "tbl" => self.flow.table_end(),
            "sp" | "graphicFrame" => self.role = None,
            _ => {}
        }
    }
}
