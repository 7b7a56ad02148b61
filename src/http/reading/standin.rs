//! Stand-ins: harmless values put where a caller's value did not read, so that the rest can be
//! looked at. What was made with one is thrown away.

use super::error::ReadError;
use super::node::{Pass, Place};
use domain::Step;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// Texts that one or the other kind of string takes.
const TEXTS: [&str; 6] = [
    "",
    "00000000-0000-7000-8000-000000000000",
    "2000-01-01T00:00:00.000Z",
    "0",
    "a@example.org",
    "https://example.org/",
];

/// How many stand-ins are tried at one place.
pub(super) const TRIES: usize = TEXTS.len();

/// How deep values with all their fields go: some types hold values of their own.
const DEEPEST: usize = 6;

/// A stand-in at a place.
#[derive(Clone, Copy)]
pub(super) struct StandIn<'p> {
    pass: &'p Pass<'p>,
    place: Place<'p>,
    /// Which one is tried.
    turn: usize,
}

impl<'p> StandIn<'p> {
    /// One at this place.
    pub fn new(pass: &'p Pass<'p>, place: Place<'p>) -> Self {
        let turn =
            if pass.standins.is_empty() { 0 } else { pass.standins.get(&place.way()).copied().unwrap_or(0) };
        Self { pass, place, turn }
    }

    /// The one that an earlier pass asked for at this place, if any.
    pub fn planned(pass: &'p Pass<'p>, place: Place<'p>) -> Option<Self> {
        pass.standins.get(&place.way()).map(|&turn| Self { pass, place, turn })
    }

    /// The fields directly below a place for which there are stand-ins.
    pub fn fields_below(pass: &Pass<'_>, place: Place<'_>) -> Vec<String> {
        if pass.standins.is_empty() {
            return Vec::new();
        }
        let above = place.way();
        let name = |way: &Vec<Step>| match way.split_last() {
            Some((Step::Name(name), rest)) if *rest == above => Some(name.clone()),
            _ => None,
        };
        pass.standins.keys().filter_map(name).collect()
    }

    fn located<T>(&self, read: Result<T, ReadError>) -> Result<T, ReadError> {
        read.map_err(|error| error.at(|| self.place.way()))
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.located(visitor.$visit((self.turn % 2) as $type))
        }
    )*};
}

macro_rules! texts {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.located(visitor.visit_borrowed_str(TEXTS[self.turn % TEXTS.len()]))
        }
    )*};
}

impl<'de> Deserializer<'de> for StandIn<'_> {
    type Error = ReadError;

    numbers! {
        deserialize_i8 visit_i8 i8; deserialize_i16 visit_i16 i16; deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64; deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8; deserialize_u16 visit_u16 u16; deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64; deserialize_u128 visit_u128 u128;
        deserialize_f32 visit_f32 f32; deserialize_f64 visit_f64 f64;
    }

    texts! { deserialize_str deserialize_string deserialize_identifier deserialize_bytes deserialize_byte_buf }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(match self.turn {
            0 => visitor.visit_unit(),
            1 => visitor.visit_borrowed_str(""),
            2 => visitor.visit_u64(0),
            3 => visitor.visit_map(Fields::of(self)),
            4 => visitor.visit_seq(Items { above: self, left: 0, next: 0 }),
            _ => visitor.visit_bool(false),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_bool(false))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_char('-'))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.pass.full && self.turn < TRIES && self.place.depth() < DEEPEST {
            true => self.located(visitor.visit_some(self)),
            false => self.located(visitor.visit_none()),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_unit())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_unit())
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_unit())
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let left = self.turn.min(1);
        self.located(visitor.visit_seq(Items { above: self, left, next: 0 }))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_seq(Items { above: self, left, next: 0 }))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(left, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.located(visitor.visit_map(Fields::of(self)))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let mut fields = Fields::of(self);
        if self.pass.full {
            fields.names = known.iter().map(|name| (*name).to_owned()).collect();
        }
        self.located(visitor.visit_map(fields))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let variant = variants.get(self.turn % variants.len().max(1)).copied().unwrap_or_default();
        self.located(visitor.visit_enum(Variant(self, variant)))
    }
}

struct Items<'p> {
    above: StandIn<'p>,
    left: usize,
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        if self.left == 0 {
            return Ok(None);
        }
        let place = Place::Item(&self.above.place, self.next);
        self.left -= 1;
        self.next += 1;
        seed.deserialize(StandIn::new(self.above.pass, place))
            .map(Some)
            .map_err(|error| error.at(|| place.way()))
    }
}

struct Fields<'p> {
    above: StandIn<'p>,
    names: Vec<String>,
    name: Option<String>,
}

impl<'p> Fields<'p> {
    fn of(above: StandIn<'p>) -> Self {
        Self { above, names: StandIn::fields_below(above.pass, above.place), name: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        self.name = self.names.pop();
        let Some(name) = &self.name else { return Ok(None) };
        let name: StrDeserializer<'_, ReadError> = name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let name = self.name.take().unwrap_or_default();
        let place = Place::Field(&self.above.place, &name);
        seed.deserialize(StandIn::new(self.above.pass, place)).map_err(|error| error.at(|| place.way()))
    }
}

struct Variant<'p>(StandIn<'p>, &'static str);

impl<'de, 'p> EnumAccess<'de> for Variant<'p> {
    type Error = ReadError;
    type Variant = Empty<'p>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), ReadError> {
        let name: StrDeserializer<'_, ReadError> = self.1.into_deserializer();
        Ok((seed.deserialize(name)?, Empty(self.0)))
    }
}

/// The content of a variant that stands in.
struct Empty<'p>(StandIn<'p>);

impl<'de> VariantAccess<'de> for Empty<'_> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.0.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.0.deserialize_map(visitor)
    }
}
