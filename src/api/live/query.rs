//! The subscriptions in the query of a request.

use serde::Deserialize;
use utoipa::IntoParams;
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, SchemaFormat, Type};

use super::subscriptions::Request;
use crate::http::{Api, Refusal, Validate};

/// The subscriptions with which a connection begins.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct LiveQuery {
    /// Subscriptions as `id,path` or `id,path,after`.
    #[param(schema_with = subscriptions)]
    sub: Vec<String>,
}

impl Validate for LiveQuery {}

/// The format excludes the values from the general limit on the length of parameters, which would be too low for a path.
fn subscriptions() -> Array {
    let text = ObjectBuilder::new().schema_type(Type::String);
    let text = text.format(Some(SchemaFormat::Custom("subscription".into()))).max_length(Some(200));
    let about = "A subscription as `id,path` or `id,path,after`, for example `n,/api/notifications,41`. Can be repeated. A \
                 WebSocket can also be opened without any.";
    ArrayBuilder::new()
        .description(Some(about))
        .items(text.pattern(Some("^[A-Za-z0-9._:-]+,/[ -~]+$")))
        .build()
}

impl LiveQuery {
    /// The subscriptions.
    ///
    /// # Errors
    /// 422 if a value does not have the form of a subscription, or if two have the same id.
    pub fn requests(self) -> Api<Vec<Request>> {
        let mut requests: Vec<Request> = Vec::with_capacity(self.sub.len());
        for text in self.sub {
            let mut parts = text.splitn(3, ',').map(str::to_owned);
            let (Some(id), Some(to), after) = (parts.next(), parts.next(), parts.next()) else {
                return Err(fault(
                    "is not a subscription such as `n,/api/notifications` or `n,/api/notifications,41`",
                ));
            };
            if requests.iter().any(|request| request.id == id) {
                return Err(fault("names two subscriptions with the same id"));
            }
            requests.push(Request { id, to, after });
        }
        Ok(requests)
    }
}

/// The refusal of a value of `sub`.
pub fn fault(why: &str) -> Refusal {
    Refusal::invalid("query", ["sub"], why, "malformed")
}
