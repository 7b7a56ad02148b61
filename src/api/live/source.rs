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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    const ID: &str = "01980000-0000-7000-8000-000000000001";

    /// `GET` operations with an event stream that cannot be subscribed to, with the reason.
    const OTHERS: [(&str, &str); 5] = [
        ("/api/conversations/{conversation_id}/streams/active", "names a different stream at each time"),
        ("/api/chat/partner_compatible/responses/{response_id}", "its events have no positions"),
        ("/api/chat/partner_compatible/v1/responses/{response_id}", "the same"),
        ("/api/chat/partner_compatible/{assistant_id}/responses/{response_id}", "the same"),
        ("/api/chat/partner_compatible/{assistant_id}/v1/responses/{response_id}", "the same"),
    ];

    fn without_patterns(path: &str) -> String {
        path.replace(":.+}", "}")
    }

    #[test]
    fn stream_operations_are_those_of_the_document() {
        let document = crate::INDEX.document();
        let paths = document["paths"].as_object().expect("paths");
        let streams =
            |operation: &Value| !operation["responses"]["200"]["content"]["text/event-stream"].is_null();
        let documented: BTreeSet<String> = paths
            .iter()
            .filter(|(path, operations)| *path != "/api/live" && streams(&operations["get"]))
            .map(|(path, _)| path.clone())
            .collect();
        let ours = STREAM_OPERATIONS.iter().map(|one| without_patterns(one.path));
        let others = OTHERS.iter().map(|(path, _)| (*path).to_owned());
        assert_eq!(documented, ours.chain(others).collect());
    }

    #[test]
    fn cancel_operations_return_the_receipt_of_a_cancelled_run() {
        let document = crate::INDEX.document();
        for one in &STREAM_OPERATIONS {
            let Some(path) = one.cancel else { continue };
            let operation = &document["paths"][without_patterns(path)]["delete"];
            let body = &operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
            assert_eq!(body, "#/components/schemas/CancelReceipt", "{path}");
        }
    }

    #[test]
    fn parse_finds_the_operation_and_its_cancel_path() {
        let stream = format!("/api/conversations/{ID}/streams/{ID}");
        let source = Source::parse(&format!("{stream}?fold=true")).expect("a source");
        assert_eq!(source.target, format!("{stream}?fold=true").as_str());
        assert_eq!(source.cancel.expect("a path"), stream.as_str());
        let source = Source::parse("/api/video/jobs/a/b/status?model=m").expect("a source");
        assert_eq!(source.cancel.expect("a path"), "/api/video/jobs/a/b");
        assert!(Source::parse("/api/notifications").expect("a source").cancel.is_none());
        assert!(Source::parse(&format!("/api/conversations/{ID}")).is_ok());
    }

    #[test]
    fn parse_refuses_every_other_path() {
        for to in [
            "",
            "/",
            "notifications",
            "/api/live",
            "/api/notifications/",
            "/api/notifications/unread-count",
            "//api/notifications",
            "http://example.org/api/notifications",
            "/api/conversations",
            "/api/conversations/x",
            &format!("/api/conversations/{ID}/"),
            &format!("/api/conversations/{ID}/streams/active"),
            &format!("/api/conversations/{ID}/streams/{ID}/"),
            &format!("/api/conversations/{ID}/streams/{ID}/../../x"),
            &format!("/api/skills/assistant/{ID}/build/history/a/b/stream"),
            "/api/video/jobs//status",
            "/api/video/jobs/a\nb/status",
        ] {
            let refused = Source::parse(to).expect_err(to);
            assert_eq!(refused.code(), Code::RouteNotFound, "{to}");
        }
        for query in ["wire=ndjson", "after=1", "fold=true&wire=openai", "%77ire=ndjson"] {
            let refused = Source::parse(&format!("/api/notifications?{query}")).expect_err(query);
            assert_eq!(refused.code(), Code::Invalid, "{query}");
        }
    }
}
