//! A JSON value that knows its path while it is deserialized: errors carry their path, and fields that a struct does
//! not define are reported instead of skipped. Requests and settings are read this way.

mod error;

pub(crate) use error::{REQUIRED, ReadError, UNKNOWN_FIELD};

use domain::Step;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Number, Value};
use std::cell::RefCell;

/// The maximum number of unknown fields that are recorded for one document.
const MAX_UNKNOWN: usize = 50;

/// The steps from the top of a document to a value in it.
pub(crate) type Path = Vec<Step>;

/// How strings are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Json,
    /// Form fields: a text may represent a number, a boolean or a list of one item.
    Form,
    /// Query parameters: like form fields, but unknown parameters are ignored.
    Query,
}

/// State shared by all values of one document.
pub(crate) struct Document {
    mode: Mode,
    unknown: RefCell<Vec<ReadError>>,
}

impl Document {
    pub fn new(mode: Mode) -> Self {
        Self { mode, unknown: RefCell::default() }
    }

    /// Returns the fields found so far that no struct defines.
    pub fn into_unknown(self) -> Vec<ReadError> {
        self.unknown.into_inner()
    }
}

/// A position, linked to its parent, so that nothing is allocated unless an error occurs.
#[derive(Clone, Copy)]
enum Position<'a> {
    Top,
    Field(&'a Position<'a>, &'a str),
    Item(&'a Position<'a>, usize),
}

impl Position<'_> {
    fn path(&self) -> Path {
        let (above, step) = match self {
            Position::Top => return Path::new(),
            Position::Field(above, name) => (above, Step::Name((*name).to_owned())),
            Position::Item(above, index) => (above, Step::Index(*index as u64)),
        };
        let mut path = above.path();
        path.push(step);
        path
    }
}

/// A value with its position in the document.
#[derive(Clone, Copy)]
pub(crate) struct Located<'de, 'p> {
    value: &'de Value,
    document: &'p Document,
    position: Position<'p>,
}

impl<'de, 'p> Located<'de, 'p> {
    pub fn top(value: &'de Value, document: &'p Document) -> Self {
        Self { value, document, position: Position::Top }
    }

    /// The text of a form field or a query parameter, which may represent a number or a boolean.
    fn text(&self) -> Option<&'de str> {
        match (self.document.mode, self.value) {
            (Mode::Form | Mode::Query, Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Records a field that the struct does not define.
    fn note_unknown(&self, name: &str, known: &'static [&'static str]) {
        let mut unknown = self.document.unknown.borrow_mut();
        if self.document.mode != Mode::Query && unknown.len() < MAX_UNKNOWN {
            unknown.push(ReadError::unknown_field(name, known).at(|| self.position.path()));
        }
    }

    fn located<T>(&self, read: Result<T, ReadError>) -> Result<T, ReadError> {
        read.map_err(|error| self.placed(error))
    }

    // Has no type parameters, unlike `located`, so that it is compiled only once.
    fn placed(&self, error: ReadError) -> ReadError {
        error.at(|| self.position.path())
    }

    /// Returns the error for a value whose type differs from the expected one.
    ///
    /// The methods below call only the visitor methods that can accept the value. They do not call `visit_seq` and
    /// similar methods just to be refused: each call is compiled once more for every visitor.
    fn mismatch(&self, expected: &dyn Expected) -> ReadError {
        let unexpected = match self.value {
            Value::Null => Unexpected::Unit,
            Value::Bool(flag) => Unexpected::Bool(*flag),
            Value::String(text) => Unexpected::Str(text),
            // The message names only the type.
            Value::Number(number) if number.is_f64() => Unexpected::Float(0.0),
            Value::Number(_) => Unexpected::Signed(0),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        self.placed(ReadError::invalid_type(unexpected, expected))
    }

    fn number<V: Visitor<'de>>(&self, number: &Number, visitor: V) -> Result<V::Value, ReadError> {
        let read = match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(n), _, _) => visitor.visit_u64(n),
            (None, Some(n), _) => visitor.visit_i64(n),
            (None, None, Some(n)) => visitor.visit_f64(n),
            (None, None, None) => Err(ReadError::custom("the number is too large")),
        };
        self.located(read)
    }

    fn str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::String(text) => self.located(visitor.visit_borrowed_str(text)),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Null => self.located(visitor.visit_unit()),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Array(items) => self.located(visitor.visit_seq(Items { above: self, items, next: 0 })),
            _ => Err(self.mismatch(&visitor)),
        }
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            let number = self.text().and_then(|text| text.trim().parse::<$type>().ok());
            // Texts such as `NaN` and `inf` are not numbers in JSON, and limits do not apply to them.
            match number.filter(|number| (*number as f64).is_finite()) {
                Some(number) => self.located(visitor.$visit(number)),
                None => match self.value {
                    Value::Number(number) => self.number(number, visitor),
                    _ => Err(self.mismatch(&visitor)),
                },
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Located<'de, '_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Null => self.unit(visitor),
            Value::Bool(flag) => self.located(visitor.visit_bool(*flag)),
            Value::String(_) => self.str(visitor),
            Value::Number(number) => self.number(number, visitor),
            Value::Array(_) => self.seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.value, self.text().and_then(boolean)) {
            (Value::Bool(flag), _) => self.located(visitor.visit_bool(*flag)),
            (_, Some(flag)) => self.located(visitor.visit_bool(flag)),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    numbers! {
        deserialize_i8 visit_i64 i64;
        deserialize_i16 visit_i64 i64;
        deserialize_i32 visit_i64 i64;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u64 u64;
        deserialize_u16 visit_u64 u64;
        deserialize_u32 visit_u64 u64;
        deserialize_u64 visit_u64 u64;
        deserialize_f32 visit_f64 f64;
        deserialize_f64 visit_f64 f64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.value, self.text()) {
            (Value::Null, _) | (_, Some("")) => self.located(visitor.visit_none()),
            _ => self.located(visitor.visit_some(self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.text() {
            // A parameter that is given once is a list of one item.
            Some(_) => {
                let items = std::slice::from_ref(self.value);
                self.located(visitor.visit_seq(Items { above: self, items, next: 0 }))
            }
            None => self.seq(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Object(_) => self.located(visitor.visit_map(Fields::new(self, None))),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.str(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.str(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.unit(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.unit(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Object(_) => self.located(visitor.visit_map(Fields::new(self, Some(known)))),
            Value::Array(_) => Err(self.mismatch(&"an object")),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let single = self.value.as_object().filter(|fields| fields.len() == 1);
        let read = match (self.value, single.and_then(|fields| fields.iter().next())) {
            (Value::String(variant), _) => {
                let variant: StrDeserializer<'_, ReadError> = variant.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            (_, Some((name, value))) => {
                let position = Position::Field(&self.position, name);
                visitor.visit_enum(Variant { name, content: Located { value, position, ..self } })
            }
            _ => Err(self.mismatch(&visitor)),
        };
        self.located(read)
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf identifier ignored_any }
}

struct Items<'de, 'p> {
    above: Located<'de, 'p>,
    items: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(value) = self.items.get(self.next) else { return Ok(None) };
        let item = Located { value, position: Position::Item(&self.above.position, self.next), ..self.above };
        self.next += 1;
        item.located(seed.deserialize(item)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

struct Fields<'de, 'p> {
    above: Located<'de, 'p>,
    fields: Option<serde_json::map::Iter<'de>>,
    /// The fields that the struct defines; `None` for a map, which accepts any field.
    known: Option<&'static [&'static str]>,
    current: Option<(&'de str, &'de Value)>,
}

impl<'de, 'p> Fields<'de, 'p> {
    fn new(above: Located<'de, 'p>, known: Option<&'static [&'static str]>) -> Self {
        let fields = above.value.as_object().map(|fields| fields.iter());
        if let Some(known) = known {
            // Record unknown fields before any field is read: the first error ends the iteration.
            let names = fields.clone().into_iter().flatten().map(|(name, _)| name.as_str());
            names.filter(|name| !known.contains(name)).for_each(|name| above.note_unknown(name, known));
        }
        Self { above, fields, known, current: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        for (name, value) in self.fields.iter_mut().flatten() {
            if self.known.is_some_and(|known| !known.contains(&name.as_str())) {
                continue;
            }
            self.current = Some((name, value));
            let name: StrDeserializer<'_, ReadError> = name.as_str().into_deserializer();
            return seed.deserialize(name).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (name, value) = self.current.take().unwrap_or(("", &Value::Null));
        let field = Located { value, position: Position::Field(&self.above.position, name), ..self.above };
        field.located(seed.deserialize(field))
    }
}

/// `{"variant": content}`.
struct Variant<'de, 'p> {
    name: &'de str,
    content: Located<'de, 'p>,
}

impl<'de, 'p> EnumAccess<'de> for Variant<'de, 'p> {
    type Error = ReadError;
    type Variant = Located<'de, 'p>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), ReadError> {
        let name: StrDeserializer<'_, ReadError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self.content))
    }
}

impl<'de> VariantAccess<'de> for Located<'de, '_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        <()>::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        self.located(seed.deserialize(self))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_struct("", known, visitor)
    }
}

/// Parses a boolean. Python's libraries write `True` and `False` in forms and queries.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "True" => Some(true),
        "false" | "False" => Some(false),
        _ => None,
    }
}
