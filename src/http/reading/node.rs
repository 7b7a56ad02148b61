//! A value being read: knows its place, and reports fields that nobody asked for.

use super::error::ReadError;
use super::standin::StandIn;
use super::{Mode, Way};
use domain::Step;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// One walk over a value.
pub(super) struct Pass<'p> {
    pub standins: &'p HashMap<Way, usize>,
    /// Whether stand-ins have all their fields, those that may be left out among them.
    pub full: bool,
    mode: Mode,
    unknown: RefCell<Vec<ReadError>>,
}

impl<'p> Pass<'p> {
    pub fn new(standins: &'p HashMap<Way, usize>, mode: Mode) -> Self {
        Self { standins, full: false, mode, unknown: RefCell::default() }
    }

    /// A walk without a value, over stand-ins with all their fields.
    pub fn full(standins: &'p HashMap<Way, usize>) -> Self {
        Self { full: true, ..Self::new(standins, Mode::Json) }
    }

    pub fn into_unknown(self) -> Vec<ReadError> {
        self.unknown.into_inner()
    }
}

/// A place in the value, linked to the place above it: nothing is allocated unless there is a
/// fault to locate or a stand-in to look for.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Top,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// How many steps lead here.
    pub fn depth(&self) -> usize {
        match self {
            Place::Top => 0,
            Place::Field(above, _) | Place::Item(above, _) => 1 + above.depth(),
        }
    }

    pub fn way(&self) -> Way {
        match self {
            Place::Top => Way::new(),
            Place::Field(above, name) => {
                let mut way = above.way();
                way.push(Step::Name((*name).to_owned()));
                way
            }
            Place::Item(above, index) => {
                let mut way = above.way();
                way.push(Step::Index(*index as u64));
                way
            }
        }
    }
}

/// A value at a place.
#[derive(Clone, Copy)]
pub(super) struct Node<'de, 'p> {
    value: &'de Value,
    pass: &'p Pass<'p>,
    place: Place<'p>,
}

impl<'de, 'p> Node<'de, 'p> {
    pub fn top(value: &'de Value, pass: &'p Pass<'p>) -> Self {
        Self { value, pass, place: Place::Top }
    }

    /// The stand-in to read instead, if an earlier pass failed here.
    fn standin(&self) -> Option<StandIn<'p>> {
        if self.pass.standins.is_empty() {
            return None;
        }
        StandIn::planned(self.pass, self.place)
    }

    fn text(&self) -> Option<&'de str> {
        match (self.pass.mode, self.value) {
            (Mode::Text | Mode::Query, Value::String(text)) => Some(text),
            _ => None,
        }
    }

    fn located<T>(&self, read: Result<T, ReadError>) -> Result<T, ReadError> {
        read.map_err(|error| error.at(|| self.place.way()))
    }

    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(n), _, _) => visitor.visit_u64(n),
                (None, Some(n), _) => visitor.visit_i64(n),
                (None, None, Some(n)) => visitor.visit_f64(n),
                (None, None, None) => Err(ReadError::custom("the number is too large")),
            },
            Value::Array(items) => visitor.visit_seq(Items { node: self, items, next: 0 }),
            Value::Object(fields) => visitor.visit_map(Fields::new(self, fields, None)),
        }
    }
}

macro_rules! from_text {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            if let Some(standin) = self.standin() {
                return standin.$method(visitor);
            }
            match self.text().map(|text| text.trim().parse::<$type>()) {
                Some(Ok(number)) => self.located(visitor.$visit(number)),
                _ => self.located(self.any(visitor)),
            }
        }
    )*};
}

macro_rules! plainly {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.standin() {
                Some(standin) => standin.$method(visitor),
                None => self.located(self.any(visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Node<'de, '_> {
    type Error = ReadError;

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if let Some(standin) = self.standin() {
            return standin.deserialize_bool(visitor);
        }
        // Python's libraries write `True` and `False` in forms and queries.
        match self.text().map(str::trim) {
            Some("true" | "True") => self.located(visitor.visit_bool(true)),
            Some("false" | "False") => self.located(visitor.visit_bool(false)),
            _ => self.located(self.any(visitor)),
        }
    }

    from_text! {
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

    plainly! {
        deserialize_any deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_map deserialize_identifier
        deserialize_ignored_any
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.standin(), self.value, self.text()) {
            (Some(standin), ..) => standin.deserialize_option(visitor),
            (None, Value::Null, _) | (None, _, Some("")) => self.located(visitor.visit_none()),
            (None, ..) => self.located(visitor.visit_some(self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_newtype_struct(self))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.standin(), self.text()) {
            (Some(standin), _) => standin.deserialize_seq(visitor),
            // A parameter that was given once is a list of one.
            (None, Some(_)) => {
                let items = std::slice::from_ref(self.value);
                self.located(visitor.visit_seq(Items { node: self, items, next: 0 }))
            }
            (None, None) => self.located(self.any(visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        match self.standin() {
            Some(standin) => standin.deserialize_tuple(length, visitor),
            None => self.located(self.any(visitor)),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match (self.standin(), self.value) {
            (Some(standin), _) => standin.deserialize_struct(name, known, visitor),
            (None, Value::Object(fields)) => {
                self.located(visitor.visit_map(Fields::new(self, fields, Some(known))))
            }
            // A list would read as a struct, field by field; nobody means that.
            (None, Value::Array(_)) => {
                let what = format_args!("an object ({name})").to_string();
                self.located(Err(ReadError::invalid_type(serde::de::Unexpected::Seq, &what.as_str())))
            }
            (None, _) => self.located(self.any(visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if let Some(standin) = self.standin() {
            return standin.deserialize_enum(name, variants, visitor);
        }
        let read = match self.value {
            Value::String(variant) => {
                let variant: StrDeserializer<'_, ReadError> = variant.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            Value::Object(fields) if fields.len() == 1 => match fields.iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant { above: self, name, value }),
                None => self.any(visitor),
            },
            _ => self.any(visitor),
        };
        self.located(read)
    }

    forward_to_deserialize_any! { i128 u128 }
}

struct Items<'de, 'p> {
    node: Node<'de, 'p>,
    items: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(value) = self.items.get(self.next) else { return Ok(None) };
        let place = Place::Item(&self.node.place, self.next);
        self.next += 1;
        seed.deserialize(Node { value, pass: self.node.pass, place })
            .map(Some)
            .map_err(|error| error.at(|| place.way()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

struct Fields<'de, 'p> {
    node: Node<'de, 'p>,
    given: serde_json::map::Iter<'de>,
    known: Option<&'static [&'static str]>,
    /// Fields that are missing and stood in for.
    added: Vec<String>,
    value: Option<(&'de str, &'de Value)>,
    standin: Option<String>,
}

impl<'de, 'p> Fields<'de, 'p> {
    fn new(
        node: Node<'de, 'p>,
        fields: &'de Map<String, Value>,
        known: Option<&'static [&'static str]>,
    ) -> Self {
        let mut added = StandIn::fields_below(node.pass, node.place);
        added.retain(|name| !fields.contains_key(name));
        Self { node, given: fields.iter(), known, added, value: None, standin: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        for (name, value) in self.given.by_ref() {
            if self.known.is_some_and(|known| !known.contains(&name.as_str())) {
                if self.node.pass.mode != Mode::Query {
                    let unknown = ReadError::unknown(self.node.place.way(), name);
                    self.node.pass.unknown.borrow_mut().push(unknown);
                }
                continue;
            }
            self.value = Some((name, value));
            let name: StrDeserializer<'_, ReadError> = name.as_str().into_deserializer();
            return seed.deserialize(name).map(Some);
        }
        self.standin = self.added.pop();
        let Some(name) = &self.standin else { return Ok(None) };
        let name: StrDeserializer<'_, ReadError> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        if let Some((name, value)) = self.value.take() {
            let place = Place::Field(&self.node.place, name);
            let read = seed.deserialize(Node { value, pass: self.node.pass, place });
            return read.map_err(|error| error.at(|| place.way()));
        }
        let name = self.standin.take().unwrap_or_default();
        let place = Place::Field(&self.node.place, &name);
        seed.deserialize(StandIn::new(self.node.pass, place)).map_err(|error| error.at(|| place.way()))
    }
}

/// `{"variant": content}`.
struct Variant<'de, 'p> {
    above: Node<'de, 'p>,
    name: &'de str,
    value: &'de Value,
}

impl<'de> EnumAccess<'de> for Variant<'de, '_> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let name: StrDeserializer<'_, ReadError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de, '_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        let place = Place::Field(&self.above.place, self.name);
        <()>::deserialize(Node { value: self.value, pass: self.above.pass, place })
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        let place = Place::Field(&self.above.place, self.name);
        let read = seed.deserialize(Node { value: self.value, pass: self.above.pass, place });
        read.map_err(|error| error.at(|| place.way()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        let place = Place::Field(&self.above.place, self.name);
        Node { value: self.value, pass: self.above.pass, place }.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let place = Place::Field(&self.above.place, self.name);
        Node { value: self.value, pass: self.above.pass, place }.deserialize_struct("content", known, visitor)
    }
}
