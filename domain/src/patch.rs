//! Fields of PATCH requests.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field of a PATCH request: omitting it keeps the value, `null` clears it, and a value sets it.
///
/// Declare it as `#[serde(default)] #[schema(value_type = Option<T>)] name: Patch<T>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field does not change.
    #[default]
    Keep,
    /// The field is cleared.
    Clear,
    /// The field is set to this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the change to an optional field.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// Applies the change to a required field: clearing it restores its default.
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

    /// Returns the new value, if the change sets one.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// Returns whether the change leaves the field as it is.
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

/// Serializes the new value, or `null`. The API documentation uses this form for defaults.
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_set().serialize(to)
    }
}
