//! Fields of a PATCH.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a PATCH says of a field: not there keeps it, `null` clears it, a value sets it.
///
/// Declare it as `#[serde(default)] #[schema(value_type = Option<T>)] name: Patch<T>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field stays as it is.
    #[default]
    Keep,
    /// The field becomes empty.
    Clear,
    /// The field takes this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies it to a field that may be empty.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// Applies it to a field that is never empty: clearing brings back its default.
    pub fn apply_or_default(self, field: &mut T)
    where
        T: Default,
    {
        match self {
            Self::Keep => {}
            Self::Clear => *field = T::default(),
            Self::Set(value) => *field = value,
        }
    }

    /// The value it sets, if it sets one.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// Whether it changes nothing.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match Option::deserialize(from)? {
            Some(value) => Self::Set(value),
            None => Self::Clear,
        })
    }
}

/// As the value it sets, or `null`; the document shows defaults so.
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_set().serialize(to)
    }
}
