//! The operations that can be subscribed to.

use actix_web::http::Uri;
use actix_web::web::Query;
use uuid::Uuid;

use crate::http::{Code, Refusal};

/// Query parameters that are not accepted because the subscription determines them.
const RESERVED: [&str; 2] = ["after", "wire"];

/// An operation whose response is a stream of events.
pub struct StreamOperation {
    /// The path as in the operation's attribute.
    pub path: &'static str,
    /// The path of the `DELETE` operation that cancels the run of the stream.
    pub cancel: Option<&'static str>,
    /// Whether the stream is the journal of a run, and ends with it. Feeds have no end.
    pub is_run: bool,
}

/// All operations that can be subscribed to: every `GET` operation with an event stream whose events have positions. A
/// test compares this table with the OpenAPI document.
pub const STREAM_OPERATIONS: [StreamOperation; 7] = [
    StreamOperation {
        path: "/api/conversations/{conversation_id}/streams/{stream_id}",
        cancel: Some("/api/conversations/{conversation_id}/streams/{stream_id}"),
        is_run: true,
    },
    StreamOperation { path: "/api/conversations/{conversation_id}", cancel: None, is_run: false },
    StreamOperation { path: "/api/notifications", cancel: None, is_run: false },
    StreamOperation {
        path: "/api/chat/streams/{stream_id}",
        cancel: Some("/api/chat/streams/{stream_id}"),
        is_run: true,
    },
    StreamOperation {
        path: "/api/knowledge-bases/{knowledge_base_id}/documents/{document_id}",
        cancel: None,
        is_run: true,
    },
    StreamOperation {
        path: "/api/skills/assistant/{assistant_id}/build/history/{job_id}/stream",
        cancel: None,
        is_run: true,
    },
    StreamOperation {
        path: "/api/video/jobs/{job_id:.+}/status",
        cancel: Some("/api/video/jobs/{job_id:.+}"),
        is_run: true,
    },
];

/// What a subscription reads.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path and query of the stream.
    pub target: Uri,
    /// The path of the operation that cancels the run, if there is one.
    pub cancel: Option<Uri>,
    pub is_run: bool,
}

impl Source {
    /// Finds the operation at a path, which may have a query.
    ///
    /// # Errors
    /// 404 if no operation that streams has this path, and 422 if the query contains a reserved parameter.
    pub fn parse(to: &str) -> Result<Self, Refusal> {
        let (path, query) = to.split_once('?').unwrap_or((to, ""));
        let found = STREAM_OPERATIONS.iter().find_map(|one| Some((one, captures(one.path, path)?)));
        let unknown = || {
            Refusal::new(Code::RouteNotFound)
                .detail("`to` is not the path of a stream or a feed; docs/live.md lists them")
        };
        let (operation, values) = found.ok_or_else(unknown)?;
        let target = Uri::try_from(to).map_err(|_| unknown())?;
        let cancel = operation.cancel.map(|path| Uri::try_from(filled(path, &values)));
        let cancel = cancel.transpose().map_err(|_| unknown())?;
        let pairs = Query::<Vec<(String, String)>>::from_query(query);
        let pairs =
            pairs.map_err(|_| Refusal::new(Code::BadRequest).detail("the query of `to` is invalid"))?;
        match pairs.iter().find(|(name, _)| RESERVED.contains(&name.as_str())) {
            Some((name, _)) => {
                let why = format!("cannot have the parameter `{name}`: the subscription determines it");
                Err(Refusal::invalid("body", ["to"], why, "reserved"))
            }
            None => Ok(Self { target, cancel, is_run: operation.is_run }),
        }
    }
}

/// The values of the parameters if a path has this form. Ids must be UUIDs, so that a path such as
/// `/api/conversations/{id}/streams/active` is not taken for the stream of that name. Only `job_id` is any text.
fn captures<'p>(template: &str, path: &'p str) -> Option<Vec<&'p str>> {
    let mut pieces = template.split('{');
    let mut rest = path.strip_prefix(pieces.next()?)?;
    let mut values = Vec::new();
    for piece in pieces {
        let (parameter, literal) = piece.split_once('}')?;
        let spans_segments = parameter.ends_with(":.+");
        let (value, after) = match literal {
            "" => (rest, ""),
            literal if spans_segments => rest.rsplit_once(literal)?,
            literal => rest.split_once(literal)?,
        };
        let fits = match parameter {
            _ if spans_segments => !value.is_empty(),
            "job_id" => !value.is_empty() && !value.contains('/'),
            _ => Uuid::try_parse(value).is_ok(),
        };
        fits.then(|| values.push(value))?;
        rest = after;
    }
    rest.is_empty().then_some(values)
}

/// A path with these values of its parameters, in order.
fn filled(template: &str, values: &[&str]) -> String {
    let mut pieces = template.split('{');
    let mut path = pieces.next().unwrap_or_default().to_owned();
    for (piece, value) in pieces.zip(values) {
        path.push_str(value);
        path.push_str(piece.split_once('}').map_or("", |(_, literal)| literal));
    }
    path
}
