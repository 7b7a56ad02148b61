//! Reads XML as a stream of elements and text. Entities declared by a file are not expanded, and there is no recursion,
//! so neither entity bombs nor deep nesting do harm.

use super::ExtractError;
use super::pages::Outcome;
use super::text::decode_xml;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// A node of a document's stream.
pub(super) enum Node<'a> {
    /// The start of an element; an empty element ends immediately after it.
    Open(Element<'a>),
    /// The end of the element with this name, without prefix.
    Close(String),
    Text(Cow<'a, str>),
}

/// The start tag of an element.
pub(super) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// The name without its prefix.
    pub fn name(&self) -> &str {
        let name = self.0.name().into_inner();
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// The value of the attribute with this name, ignoring its prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.attributes().find(|(key, _)| key.rsplit(':').next() == Some(name)).map(|(_, value)| value)
    }

    /// The value of the attribute with this name including its prefix, as in `r:id`.
    pub fn full_attribute(&self, name: &str) -> Option<String> {
        self.attributes().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn attributes(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        attributes.flatten().map(|attribute| {
            let value = quick_xml::escape::unescape(&attribute.value);
            let value = value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
            (attribute.key.into_inner().to_owned(), value)
        })
    }
}

/// A document that is being read.
pub(super) struct Xml<'a>(Reader<&'a [u8]>);

impl<'a> Xml<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        Self(reader)
    }

    /// The next node; `None` at the end.
    pub fn next(&mut self) -> Outcome<Option<Node<'a>>> {
        loop {
            let event = self.0.read_event();
            let event = event.map_err(|why| {
                ExtractError::damaged(format!("a part of the file is not valid XML: {why}"))
            })?;
            return Ok(Some(match event {
                Event::Start(start) | Event::Empty(start) => Node::Open(Element(start)),
                Event::End(end) => {
                    let name = end.name().into_inner();
                    Node::Close(name.rsplit_once(':').map_or(name, |(_, local)| local).to_owned())
                }
                Event::Text(text) => Node::Text(text.into_inner()),
                Event::CData(text) => Node::Text(text.into_inner()),
                Event::GeneralRef(reference) => {
                    let letter = reference.resolve_char_ref().ok().flatten();
                    let known =
                        || quick_xml::escape::resolve_predefined_entity(&reference).map(str::to_owned);
                    match letter.map(String::from).or_else(known) {
                        Some(text) => Node::Text(text.into()),
                        None => continue,
                    }
                }
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            }));
        }
    }

    /// Skips to the end of the element that has just begun.
    pub fn skip(&mut self) -> Outcome {
        let mut depth = 1_u64;
        while depth > 0 {
            match self.next()? {
                Some(Node::Open(_)) => depth += 1,
                Some(Node::Close(_)) => depth -= 1,
                Some(Node::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The text within the element that has just begun.
    pub fn inner_text(&mut self) -> Outcome<String> {
        let (mut depth, mut all) = (1_u64, String::new());
        while depth > 0 {
            match self.next()? {
                Some(Node::Open(_)) => depth += 1,
                Some(Node::Close(_)) => depth -= 1,
                Some(Node::Text(text)) => all.push_str(&text),
                None => break,
            }
        }
        Ok(all)
    }
}

/// Decodes the text of a part in any encoding.
pub(super) fn xml_text(bytes: &[u8]) -> String {
    decode_xml(bytes)
}
