//! A JSON value that knows its place while it is deserialized: errors carry their path, and fields that a struct does
//! not have are reported instead of skipped.

use super::error::ReadError;
use super::{MAX_FAULTS, Mode, Path};
use domain::{Fault, Step};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::Value;
use std::cell::RefCell;

/// What is common to all values of one body.
pub(super) struct Document {
    pub part: &'static str,
    pub mode: Mode,
    /// Fields that no struct has.
    pub unknown: RefCell<Vec<Fault>>,
}

/// A place, linked to the one above it, so that nothing is allocated unless there is an error.
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

/// A value at a place.
#[derive(Clone, Copy)]
pub(super) struct Located<'de, 'p> {
    value: &'de Value,
    document: &'p Document,
    position: Position<'p>,
}

impl<'de, 'p> Located<'de, 'p> {
    pub fn top(value: &'de Value, document: &'p Document) -> Self {
        Self { value, document, position: Position::Top }
    }

    /// The text of a form field or a query parameter, which may stand for a number or a boolean.
    fn text(&self) -> Option<&'de str> {
        match (self.document.mode, self.value) {
            (Mode::Form | Mode::Query, Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Reports a field that the struct does not have.
    fn note_unknown(&self, name: &str) {
        let mut unknown = self.document.unknown.borrow_mut();
        if self.document.mode != Mode::Query && unknown.len() < MAX_FAULTS {
            let error = ReadError::unknown_field(name, &[]).at(|| self.position.path());
            unknown.push(error.into_fault(self.document.part));
        }
    }

    fn located<T>(&self, read: Result<T, ReadError>) -> Result<T, ReadError> {
        read.map_err(|error| error.at(|| self.position.path()))
    }

    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let read = match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(n), _, _) => visitor.visit_u64(n),
                (None, Some(n), _) => visitor.visit_i64(n),
                (None, None, Some(n)) => visitor.visit_f64(n),
                (None, None, None) => Err(ReadError::custom("the number is too large")),
            },
            Value::Array(items) => visitor.visit_seq(Items { above: self, items, next: 0 }),
            Value::Object(_) => visitor.visit_map(Fields::new(self, None)),
        };
        self.located(read)
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            let number = self.text().and_then(|text| text.trim().parse::<$type>().ok());
            // Texts such as `NaN` and `inf` are no numbers in JSON, and no limit holds for them.
            match number.filter(|number| (*number as f64).is_finite()) {
                Some(number) => self.located(visitor.$visit(number)),
                None => self.any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Located<'de, '_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.text().and_then(super::text::boolean) {
            Some(flag) => self.located(visitor.visit_bool(flag)),
            None => self.any(visitor),
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
            // A parameter that was given once is a list of one.
            Some(_) => {
                let items = std::slice::from_ref(self.value);
                self.located(visitor.visit_seq(Items { above: self, items, next: 0 }))
            }
            None => self.any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Object(_) => self.located(visitor.visit_map(Fields::new(self, Some(known)))),
            // A derived visitor would read a list as the struct's fields in their order.
            Value::Array(_) => self.located(Err(ReadError::invalid_type(Unexpected::Seq, &"an object"))),
            _ => self.any(visitor),
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
            _ => self.any(visitor),
        };
        self.located(read)
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct map identifier ignored_any tuple tuple_struct
    }
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
    /// The fields of the struct; `None` for a map, which takes any.
    known: Option<&'static [&'static str]>,
    current: Option<(&'de str, &'de Value)>,
}

impl<'de, 'p> Fields<'de, 'p> {
    fn new(above: Located<'de, 'p>, known: Option<&'static [&'static str]>) -> Self {
        let fields = above.value.as_object().map(|fields| fields.iter());
        if let Some(known) = known {
            // Before any field is read: the first that fails ends the walk.
            let names = fields.clone().into_iter().flatten().map(|(name, _)| name.as_str());
            names.filter(|name| !known.contains(name)).for_each(|name| above.note_unknown(name));
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
