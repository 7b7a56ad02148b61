//! Interprets the content of a page: the operators that show text, and those that position it.

use super::fonts::{Font, Fonts};
use super::layout::{Line, Lines, Run};
use super::{broken, resources};
use crate::extract::ExtractError;
use crate::extract::pages::{Outcome, Pages};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use std::rc::Rc;

/// The maximum depth of nested forms.
const MAX_FORM_DEPTH: usize = 12;
/// The maximum number of saved graphics states.
const MAX_STATES: usize = 512;
/// The maximum number of operators of one page, including forms.
const MAX_OPERATORS: u64 = 20_000_000;

/// A transformation matrix `[a b c d e f]`.
#[derive(Clone, Copy)]
struct Matrix([f32; 6]);

impl Matrix {
    const SAME: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Applies this transformation first, then the other.
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    fn parse(operands: &[Object]) -> Option<Self> {
        let numbers: Vec<f32> = operands.iter().filter_map(|one| one.as_float().ok()).collect();
        Some(Self(numbers.try_into().ok()?))
    }
}

#[derive(Clone)]
struct State<'a> {
    place: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f32,
    letters: f32,
    words: f32,
    stretch: f32,
    leading: f32,
    rise: f32,
}

/// Interprets the operators of a page.
pub(super) struct Painter<'a, 'b> {
    document: &'a Document,
    fonts: &'b mut Fonts<'a>,
    pages: &'b mut Pages,
    limit: usize,
    state: State<'a>,
    aside: Vec<State<'a>>,
    text: Matrix,
    line: Matrix,
    lines: Lines,
    operators: u64,
    /// The forms being painted. A form that paints itself would never end.
    forms: Vec<*const Stream>,
}

impl<'a, 'b> Painter<'a, 'b> {
    pub fn new(document: &'a Document, fonts: &'b mut Fonts<'a>, pages: &'b mut Pages, limit: usize) -> Self {
        let state = State {
            place: Matrix::SAME,
            font: None,
            size: 1.0,
            letters: 0.0,
            words: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let (aside, lines) = (Vec::new(), Lines::default());
        Self {
            document,
            fonts,
            pages,
            limit,
            state,
            aside,
            text: Matrix::SAME,
            line: Matrix::SAME,
            lines,
            operators: 0,
            forms: Vec::new(),
        }
    }

    /// Returns the lines of a page. Unreadable parts are omitted.
    pub fn page(mut self, id: ObjectId) -> Outcome<Vec<Line>> {
        let resources = resources(self.document, id);
        let mut bytes = Vec::new();
        for stream in self.document.get_page_contents(id) {
            let Ok(stream) = self.document.get_object(stream).and_then(Object::as_stream) else { continue };
            let room = self.limit.saturating_sub(bytes.len());
            match stream.get_plain_content_with_limit(room) {
                Ok(more) => {
                    self.pages.unpacked(more.len())?;
                    bytes.extend(more);
                    bytes.push(b'\n');
                }
                Err(why @ lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => {
                    return Err(broken(why));
                }
                Err(_) => {}
            }
        }
        self.run(&bytes, resources, 0)?;
        Ok(self.lines.finish())
    }

    fn run(&mut self, bytes: &[u8], resources: Option<&'a Dictionary>, depth: usize) -> Outcome {
        for operation in Content::decode_iter(bytes) {
            let Ok(operation) = operation else { break };
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(ExtractError::damaged("a page of the file has too many drawing operations"));
            }
            self.operate(&operation, resources, depth)?;
            if self.lines.bytes() > self.pages.room() {
                return Err(self.pages.too_much_text());
            }
        }
        Ok(())
    }

    fn operate(&mut self, operation: &Operation, resources: Option<&'a Dictionary>, depth: usize) -> Outcome {
        let operands = &operation.operands;
        let number = |at: usize| operands.get(at).and_then(|one| one.as_float().ok()).unwrap_or(0.0);
        match operation.operator.as_str() {
            "q" if self.aside.len() < MAX_STATES => self.aside.push(self.state.clone()),
            "Q" => {
                if let Some(state) = self.aside.pop() {
                    self.state = state;
                }
            }
            "cm" => {
                if let Some(matrix) = Matrix::parse(operands) {
                    self.state.place = matrix.then(self.state.place);
                }
            }
            "BT" => (self.text, self.line) = (Matrix::SAME, Matrix::SAME),
            "Tf" => {
                let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
                self.state.font = self.fonts.find(resources, name);
                self.state.size = number(1);
            }
            "Tc" => self.state.letters = number(0),
            "Tw" => self.state.words = number(0),
            "Tz" => self.state.stretch = number(0) / 100.0,
            "TL" => self.state.leading = number(0),
            "Ts" => self.state.rise = number(0),
            "Tm" => {
                if let Some(matrix) = Matrix::parse(operands) {
                    (self.text, self.line) = (matrix, matrix);
                }
            }
            "Td" => self.next_line(number(0), number(1)),
            "TD" => {
                self.state.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            "T*" => self.next_line(0.0, -self.state.leading),
            "Tj" => self.show(operands.first()),
            "'" => {
                self.next_line(0.0, -self.state.leading);
                self.show(operands.first());
            }
            "\"" => {
                (self.state.words, self.state.letters) = (number(0), number(1));
                self.next_line(0.0, -self.state.leading);
                self.show(operands.get(2));
            }
            "TJ" => self.show_all(operands.first()),
            "Do" => self.form(operands.first(), resources, depth)?,
            _ => {}
        }
        Ok(())
    }

    fn next_line(&mut self, across: f32, up: f32) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, across, up]).then(self.line);
        self.text = self.line;
    }

    fn show_all(&mut self, operand: Option<&Object>) {
        let Some(parts) = operand.and_then(|parts| parts.as_array().ok()) else { return };
        for part in parts {
            match part.as_float() {
                Ok(back) => self.advance(-back / 1000.0 * self.state.size * self.state.stretch),
                Err(_) => self.show(Some(part)),
            }
        }
    }

    fn advance(&mut self, across: f32) {
        self.text = Matrix([1.0, 0.0, 0.0, 1.0, across, 0.0]).then(self.text);
    }

    fn show(&mut self, operand: Option<&Object>) {
        let Some(bytes) = operand.and_then(|text| text.as_str().ok()) else { return };
        let Some(font) = self.state.font.clone() else { return };
        for glyph in font.glyphs(bytes) {
            let spacing = self.state.letters + if glyph.is_space { self.state.words } else { 0.0 };
            let across = (glyph.width * self.state.size + spacing) * self.state.stretch;
            let up = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, self.state.rise]);
            let at = up.then(self.text).then(self.state.place).0;
            let size = self.state.size * (at[2] * at[2] + at[3] * at[3]).sqrt();
            let length = (at[0] * at[0] + at[1] * at[1]).sqrt();
            let width = glyph.width * self.state.size * self.state.stretch * length;
            let direction = (at[0] / length, at[1] / length);
            self.lines.add(Run { text: &glyph.text, x: at[4], y: at[5], direction, width, size: size.abs() });
            self.advance(across);
        }
    }

    /// Paints a form: a named piece of content within the page.
    fn form(&mut self, name: Option<&Object>, outer: Option<&'a Dictionary>, depth: usize) -> Outcome {
        let name = name.and_then(|name| name.as_name().ok()).unwrap_or_default();
        let forms =
            outer.and_then(|outer| outer.get_deref(b"XObject", self.document).and_then(Object::as_dict).ok());
        let form =
            forms.and_then(|forms| forms.get_deref(name, self.document).and_then(Object::as_stream).ok());
        let is_new =
            |form: &&Stream| depth < MAX_FORM_DEPTH && !self.forms.contains(&std::ptr::from_ref(*form));
        let Some(form) = form.filter(is_new) else { return Ok(()) };
        if !form.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form") {
            return Ok(());
        }
        let Ok(bytes) = form.get_plain_content_with_limit(self.limit) else { return Ok(()) };
        self.pages.unpacked(bytes.len())?;
        let (state, aside) = (self.state.clone(), std::mem::take(&mut self.aside));
        let matrix = form.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array).ok();
        if let Some(matrix) = matrix.and_then(|matrix| Matrix::parse(matrix)) {
            self.state.place = matrix.then(self.state.place);
        }
        let own = form.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict).ok();
        self.forms.push(std::ptr::from_ref(form));
        self.run(&bytes, own.or(outer), depth + 1)?;
        self.forms.pop();
        (self.state, self.aside) = (state, aside);
        Ok(())
    }
}
