//! Word files.

use super::package::Package;
use super::styles::{Lists, Styles, number};
use crate::extract::flow::Flow;
use crate::extract::pages::{Outcome, Pages};
use crate::extract::xml::{Element, Node, Xml};

/// Reads a Word file as one page: the text, then its footnotes.
pub(in crate::extract) fn read(bytes: &[u8], pages: &mut Pages) -> Outcome {
    let mut package = Package::open(bytes)?;
    package.title(pages)?;
    let main = package.main_part("word/document.xml", pages)?;
    let links = package.links(&main, pages)?;
    let target = |kind: &str| links.values().find(|link| link.kind == kind).map(|link| link.target.clone());
    let mut part = |kind: &str, pages: &mut Pages| match target(kind) {
        Some(name) => package.part(&name, pages),
        None => Ok(None),
    };
    let styles = part("styles", pages)?.map(|text| Styles::read(&text)).transpose()?.unwrap_or_default();
    let lists = part("numbering", pages)?.map(|text| Lists::read(&text)).transpose()?.unwrap_or_default();
    let notes = [part("footnotes", pages)?, part("endnotes", pages)?];
    let text = package.needed(&main, pages)?;
    let mut body = Body { flow: Flow::new(pages.room()), styles, lists, paragraph: Paragraph::default() };
    body.walk(&text, pages)?;
    for notes in notes.into_iter().flatten() {
        body.walk(&notes, pages)?;
    }
    pages.push(None, body.flow.finish())
}

struct Body {
    flow: Flow,
    styles: Styles,
    lists: Lists,
    paragraph: Paragraph,
}

/// The properties of the current paragraph.
#[derive(Default)]
struct Paragraph {
    begun: bool,
    level: Option<u8>,
    style: Option<String>,
    list: Option<String>,
    depth: usize,
}

impl Body {
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
        self.flow.block();
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Outcome {
        match element.name() {
            // Deleted text, field codes, alternative texts of drawings, and separators of notes.
            "del" | "moveFrom" | "instrText" | "Fallback" | "separator" | "continuationSeparator" => {
                xml.skip()?
            }
            "p" => {
                self.flow.block();
                self.paragraph = Paragraph::default();
            }
            "pStyle" => self.paragraph.style = element.attribute("val"),
            "outlineLvl" if !self.paragraph.begun => {
                let level = u8::try_from(number(element.attribute("val"))).ok().filter(|level| *level < 9);
                self.paragraph.level = level.map(|level| level + 1);
            }
            "ilvl" => self.paragraph.depth = number(element.attribute("val")),
            "numId" => self.paragraph.list = element.attribute("val"),
            "t" => {
                let text = xml.inner_text()?;
                self.begin();
                self.flow.text(&text);
            }
            "tab" if self.paragraph.begun => self.flow.text(" "),
            "br" | "cr" => self.flow.line_break(),
            "noBreakHyphen" => self.flow.text("-"),
            "tbl" => self.flow.table_begin(),
            "tr" => self.flow.row_begin(),
            "tc" => self.flow.cell_begin(),
            _ => {}
        }
        Ok(())
    }

    /// Writes the kind of the paragraph as soon as it has text.
    fn begin(&mut self) {
        let paragraph = &mut self.paragraph;
        if std::mem::replace(&mut paragraph.begun, true) {
            return;
        }
        let style = paragraph.style.as_deref();
        if let Some(level) = paragraph.level.or_else(|| self.styles.level(style?)) {
            return self.flow.heading(level);
        }
        let own = paragraph.list.take().map(|list| (list, paragraph.depth));
        if let Some((list, depth)) = own.or_else(|| self.styles.list(style?)).filter(|(list, _)| list != "0")
        {
            let number = self.lists.next(&list, depth);
            self.flow.item(depth, number);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" => {
                self.flow.block();
                self.paragraph = Paragraph::default();
            }
            "tc" => self.flow.cell_end(),
            "tr" => self.flow.row_end(),
            "tbl" => self.flow.table_end(),
            _ => {}
        }
    }
}
