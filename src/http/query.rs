//! Query parameters of an operation, and the limits that apply to all of them.

use super::access::Argument;
use super::error::ErrorResponse;
use super::validation::{self, Mode, schema};
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use domain::{Code, Refusal};
use domain::{Fault, Validate};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::{Ready, ready};
use utoipa::IntoParams;

/// The maximum length of a parameter's value in characters.
const MAX_VALUE_LENGTH: usize = 4_096;
/// The maximum length of a repeatable parameter's value in characters.
const MAX_ITEM_LENGTH: usize = 200;
/// The maximum number of repetitions of a parameter.
const MAX_ITEMS: usize = 200;

/// The limits that the document states. They are lower because the length of URLs is limited too: the HTTP library
/// answers URLs beyond 64 KiB with 400 and no body. A character takes up to 12 bytes in a URL.
pub(super) mod documented {
    pub const MAX_VALUE_LENGTH: usize = 2_000;
    pub const MAX_ITEM_LENGTH: usize = 100;
    pub const MAX_ITEMS: usize = 50;
}

/// Query parameters. Unknown parameters are ignored, so that an operation can have several arguments of this type.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned + Validate + IntoParams + 'static> FromRequest for Query<T> {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            read(request.query_string(), Mode::Query, schema::of_query::<T>)
                .map(Query)
                .map_err(ErrorResponse),
        )
    }
}

impl<T: DeserializeOwned + Validate + IntoParams + 'static> Argument for Query<T> {}

/// All query parameters of an operation. Unknown parameters are errors, because a misspelled one would reverse the
/// effect of the operation.
pub struct StrictQuery<T>(pub T);

impl<T: DeserializeOwned + Validate + IntoParams + 'static> FromRequest for StrictQuery<T> {
    type Error = ErrorResponse;
    type Future = Ready<Result<Self, ErrorResponse>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            read(request.query_string(), Mode::Form, schema::of_query::<T>)
                .map(StrictQuery)
                .map_err(ErrorResponse),
        )
    }
}

impl<T: DeserializeOwned + Validate + IntoParams + 'static> Argument for StrictQuery<T> {}

/// Reads a query as a `T`, whose schema is returned by `schema`.
///
/// # Errors
/// 400 if the query does not parse, and 422 with all validation errors.
pub(crate) fn read<T: DeserializeOwned + Validate + 'static>(
    text: &str,
    mode: Mode,
    schema: fn() -> Value,
) -> Result<T, Refusal> {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(text);
    let pairs =
        pairs.map_err(|_| Refusal::new(Code::BadRequest).detail("the query string is invalid"))?.into_inner();
    let values = gather(pairs);
    let too_large: Vec<_> = values.iter().filter_map(|(name, value)| too_large(name, value)).collect();
    if !too_large.is_empty() {
        return Err(Refusal::faulty(too_large));
    }
    validation::read("query", Value::Object(values), text.len(), mode, schema).map_err(Refusal::faulty)
}

fn too_large(name: &str, value: &Value) -> Option<Fault> {
    let longer = |value: &Value, most: usize| value.as_str().is_some_and(|text| text.chars().count() > most);
    let too_long =
        |most| Fault::new("query", [name], format!("must have at most {most} characters"), "too_long");
    match value {
        Value::Array(items) if items.len() > MAX_ITEMS => {
            Some(Fault::new("query", [name], format!("must have at most {MAX_ITEMS} items"), "too_many"))
        }
        Value::Array(items) => {
            items.iter().any(|item| longer(item, MAX_ITEM_LENGTH)).then(|| too_long(MAX_ITEM_LENGTH))
        }
        value => longer(value, MAX_VALUE_LENGTH).then(|| too_long(MAX_VALUE_LENGTH)),
    }
}

/// Collects the values by name; a name that occurs more than once has a list.
pub(super) fn gather(pairs: Vec<(String, String)>) -> Map<String, Value> {
    let mut gathered = Map::new();
    for (name, text) in pairs {
        match gathered.entry(name) {
            serde_json::map::Entry::Vacant(entry) => {
                entry.insert(Value::String(text));
            }
            serde_json::map::Entry::Occupied(mut entry) => match entry.get_mut() {
                Value::Array(items) => items.push(Value::String(text)),
                single => *single = Value::Array(vec![single.take(), Value::String(text)]),
            },
        }
    }
    gathered
}
