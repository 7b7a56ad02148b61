use std::collections::BTreeMap;
use std::sync::Arc;

use expr::Template;
use serde_json::{Value, json};

use super::*;
use crate::graph::{Case, JoinConfig, ListConfig, ListStep, Policy};

fn node(kind: NodeKind) -> PlanNode {
    PlanNode {
        id: "n".into(),
        kind,
        parent: None,
        inputs: Vec::new(),
        outputs: BTreeMap::new(),
        policy: Policy {
            timeout_ms: 0,
            retry: Default::default(),
            on_error: Default::default(),
            default: None,
            effect: Default::default(),
            compensate: None,
        },
        incoming: Vec::new(),
        outgoing: Vec::new(),
        children: Vec::new(),
        roots: Vec::new(),
        compensates: false,
        digest: String::new(),
    }
}

fn fields(value: Value) -> Fields {
    value.as_object().unwrap().clone()
}

fn run(kind: NodeKind, inputs: Value) -> Result<NodeResult, NodeError> {
    let values = Values::from([("least".to_owned(), Arc::new(json!(2)))]);
    inline(&node(kind), fields(inputs), &values).expect("a node that takes no time")
}

fn done(outputs: Value, port: Option<&str>) -> Result<NodeResult, NodeError> {
    Ok(NodeResult { outputs: fields(outputs), port: port.map(str::to_owned) })
}

#[test]
fn inline_passes_inputs_on() {
    for kind in [NodeKind::Start, NodeKind::End, NodeKind::Set] {
        assert_eq!(run(kind, json!({"a": [1]})), done(json!({"a": [1]}), None));
    }
    assert_eq!(run(NodeKind::Template, json!({"text": "x"})), done(json!({"text": "x"}), None));
    assert_eq!(run(NodeKind::Answer, json!({"text": {"a": 1}})), done(json!({"text": "{\"a\":1}"}), None));
    assert_eq!(run(NodeKind::Answer, json!({"text": null})), done(json!({"text": ""}), None));
    assert_eq!(run(NodeKind::Parallel, json!({})), done(json!({}), None));
    let join = NodeKind::Join(JoinConfig::default());
    assert_eq!(run(join, json!({"arrived": ["a"]})), done(json!({"arrived": ["a"]}), None));
    assert!(inline(&node(NodeKind::Delay), Fields::new(), &Values::new()).is_none());
}

#[test]
fn inline_treats_empty_values_as_false() {
    for (value, port) in [
        (json!(true), "true"),
        (json!("x"), "true"),
        (json!(-1), "true"),
        (json!([0]), "true"),
        (json!(false), "false"),
        (json!(0.0), "false"),
        (json!(""), "false"),
        (json!([]), "false"),
        (json!({}), "false"),
        (json!(null), "false"),
    ] {
        let expected = done(json!({"result": port == "true"}), Some(port));
        assert_eq!(run(NodeKind::If, json!({"condition": value})), expected, "{value}");
    }
}

#[test]
fn inline_takes_the_first_case_that_matches() {
    let case = |port: &str, value: Value| Case { port: port.into(), value };
    let cases = vec![case("one", json!(1)), case("uno", json!(1.0)), case("list", json!([1, {"a": 2.0}]))];
    let switch = || NodeKind::Switch(SwitchConfig { cases: cases.clone() });
    for (value, port) in [
        (json!(1.0), "one"),
        (json!([1.0, {"a": 2}]), "list"),
        (json!("1"), "default"),
        (json!(null), "default"),
    ] {
        assert_eq!(
            run(switch(), json!({"value": value})),
            done(json!({"case": port}), Some(port)),
            "{value}"
        );
    }
}

#[test]
fn inline_reports_the_message_of_a_fail_node() {
    let error = run(NodeKind::Fail, json!({"message": "no stock", "code": "stock"})).unwrap_err();
    assert_eq!((error.code.as_str(), error.message.as_str()), ("stock", "no stock"));
    assert_eq!(run(NodeKind::Fail, json!({})).unwrap_err().code, "failed");
}

#[test]
fn port_of_derives_the_port_from_outputs() {
    let port = |kind: NodeKind, outputs: Value| port_of(&kind, &fields(outputs));
    assert_eq!(port(NodeKind::If, json!({"result": false})).as_deref(), Some("false"));
    assert_eq!(port(NodeKind::Classifier(Default::default()), json!({"class": "a"})).as_deref(), Some("a"));
    assert_eq!(port(NodeKind::Template, json!({"text": "a"})), None);
}

#[test]
fn is_named_by_matches_status_class_and_code() {
    let named = |code: &str, status: Option<u16>, on: &str| {
        NodeError { status, ..NodeError::new(code, "") }.is_named_by(&[on.to_owned()])
    };
    assert!(named("http_status", Some(503), "5xx") && named("http_status", Some(429), "429"));
    assert!(named("upstream_timeout", None, "timeout") && named("http_connect", None, "connect"));
    assert!(named("code_memory", None, "code_memory") && named("x", None, "any"));
    assert!(!named("http_status", Some(404), "5xx") && !named("http_status", None, "5xx"));
    assert!(!named("cancelled", None, "any"));
}

fn template(text: &str) -> Template {
    Template::read(&json!(text)).unwrap()
}

fn list(steps: Vec<ListStep>, items: Value) -> Result<Value, NodeError> {
    let done = run(NodeKind::List(ListConfig { steps }), json!({"items": items}))?;
    Ok(done.outputs["items"].clone())
}

#[test]
fn inline_applies_list_steps_in_order() {
    let steps = vec![
        ListStep::Filter(template("{{ item.n >= least }}")),
        ListStep::Sort { by: template("{{ item.n }}"), descending: true },
        ListStep::Unique(template("{{ item.n }}")),
        ListStep::Map(template("{{ item.n * 10 + index }}")),
        ListStep::Slice { start: 1, count: Some(1) },
    ];
    let items = json!([{"n": 1}, {"n": 2}, {"n": 5}, {"n": 2.0}, {"n": 3}]);
    let done = run(NodeKind::List(ListConfig { steps }), json!({"items": items})).unwrap();
    assert_eq!(Value::Object(done.outputs), json!({"items": [31], "count": 1, "first": 31, "last": 31}));
    let empty = run(NodeKind::List(ListConfig::default()), json!({"items": null})).unwrap();
    assert_eq!(Value::Object(empty.outputs), json!({"items": [], "count": 0, "first": null, "last": null}));
}

#[test]
fn inline_sorts_values_of_any_type_stably() {
    let by = || template("{{ item }}");
    let items = json!(["b", null, 10, 9.5, true, "a", [2], [1, 5], {"x": 1}, false]);
    let sorted = json!([null, false, true, 9.5, 10, "a", "b", [1, 5], [2], {"x": 1}]);
    assert_eq!(list(vec![ListStep::Sort { by: by(), descending: false }], items).unwrap(), sorted);
    let pairs = json!([{"k": 1, "n": 1}, {"k": 2, "n": 2}, {"k": 1, "n": 3}]);
    let falling = ListStep::Sort { by: template("{{ item.k }}"), descending: true };
    assert_eq!(
        list(vec![falling], pairs).unwrap(),
        json!([{"k": 2, "n": 2}, {"k": 1, "n": 1}, {"k": 1, "n": 3}])
    );
}

#[test]
fn inline_slices_from_either_end() {
    let slice = |start, count| list(vec![ListStep::Slice { start, count }], json!([1, 2, 3])).unwrap();
    assert_eq!(slice(-2, None), json!([2, 3]));
    assert_eq!(slice(-9, Some(2)), json!([1, 2]));
    assert_eq!(slice(9, None), json!([]));
    assert_eq!(slice(i64::MIN, Some(u64::MAX)), json!([1, 2, 3]));
}

#[test]
fn inline_refuses_lists_that_are_not_arrays_or_cannot_be_evaluated() {
    assert_eq!(list(Vec::new(), json!("x")).unwrap_err().code, "type_mismatch");
    let error = list(vec![ListStep::Map(template("{{ 1 / (item - 1) }}"))], json!([2, 1])).unwrap_err();
    assert!(error.code == "template" && error.message.starts_with("item 1: "), "{error:?}");
}
