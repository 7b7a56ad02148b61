use domain::Code;
use std::collections::BTreeSet;

use serde_json::Value;

use understudy::parts::api::{STREAM_OPERATIONS, Source};

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
    let document = understudy::INDEX.document();
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
    let document = understudy::INDEX.document();
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
