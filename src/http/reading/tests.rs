use super::*;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

#[derive(Debug, Deserialize, PartialEq)]
struct Order {
    name: String,
    count: u32,
    customer: Uuid,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    kind: Kind,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Line {
    text: String,
    at: storage::Timestamp,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Plain,
    Gift {
        card: String,
    },
    Weighed(f64),
}

impl Validate for Order {
    fn validate(&self, faults: &mut Faults) {
        faults.length("name", &self.name, 2..=5);
        faults.range("count", self.count, 1..=9);
    }
}

fn faults(value: Value) -> Vec<(String, String)> {
    let read = read::<Order>("body", &value, 100, Mode::Json);
    let name = |step: Step| match step {
        Step::Name(name) => name,
        Step::Index(index) => index.to_string(),
    };
    let line = |fault: Fault| (fault.loc.into_iter().map(name).collect::<Vec<_>>().join("."), fault.kind);
    let mut all: Vec<_> = read.expect_err("has faults").into_iter().map(line).collect();
    all.sort();
    all
}

fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(loc, kind)| ((*loc).to_owned(), (*kind).to_owned())).collect()
}

const ID: &str = "01890000-0000-7000-8000-000000000001";

#[test]
fn a_good_value_reads() {
    let value = json!({"name": "abc", "count": 3, "customer": ID, "kind": {"gift": {"card": "x"}}});
    let order: Order = read("body", &value, 100, Mode::Json).unwrap();
    assert_eq!(order.kind, Kind::Gift { card: "x".into() });
    let value = json!({"name": "abc", "count": 3, "customer": ID, "note": null, "kind": {"weighed": 2}});
    let order: Order = read("body", &value, 100, Mode::Json).unwrap();
    assert_eq!((order.note, order.kind), (None, Kind::Weighed(2.0)));
}

#[test]
fn all_faults_come_at_once() {
    let value = json!({
        "nmae": "x", "count": "three", "customer": "nobody",
        "lines": [{"text": "ok", "at": "2026-01-02T03:04:05.678Z"}, {"text": 5, "at": "noon", "more": 1}, {}, 7],
        "kind": {"gift": {"crad": "x"}},
    });
    assert_eq!(
        faults(value),
        expected(&[
            ("body.count", "wrong_type"),
            ("body.customer", "malformed"),
            ("body.kind.gift.card", "missing"),
            ("body.kind.gift.crad", "unknown_field"),
            ("body.lines.1.at", "malformed"),
            ("body.lines.1.more", "unknown_field"),
            ("body.lines.1.text", "wrong_type"),
            ("body.lines.2.at", "missing"),
            ("body.lines.2.text", "missing"),
            ("body.lines.3", "wrong_type"),
            ("body.name", "missing"),
            ("body.nmae", "unknown_field"),
        ])
    );
}

#[test]
fn rules_are_reported_with_the_rest_but_not_of_standins() {
    let value = json!({"name": "a", "count": "x", "customer": ID});
    assert_eq!(faults(value), expected(&[("body.count", "wrong_type"), ("body.name", "too_short")]));
    let value = json!({"name": "abcdef", "count": 10, "customer": ID});
    assert_eq!(faults(value), expected(&[("body.count", "out_of_range"), ("body.name", "too_long")]));
}

#[test]
fn wrong_from_the_top() {
    assert_eq!(faults(json!([1, 2])), expected(&[("body", "wrong_type")]));
    assert_eq!(faults(json!(null)), expected(&[("body", "wrong_type")]));
    let told = read::<Order>("body", &json!(null), 4, Mode::Json).err().unwrap_or_default();
    assert_eq!(told[0].msg, "expected an object, not null");
    assert_eq!(
        faults(json!({"name": "abc", "count": -1, "customer": ID})),
        expected(&[("body.count", "wrong_value")])
    );
    let value = json!({"name": "abc", "count": 1, "customer": ID, "kind": "other"});
    assert_eq!(faults(value), expected(&[("body.kind", "unknown_value")]));
}

#[test]
fn text_turns_into_what_is_asked_for() {
    let value = json!({"name": "12", "count": "3", "customer": ID, "note": ""});
    let order: Order = read("query", &value, 10, Mode::Text).unwrap();
    assert_eq!((order.name.as_str(), order.count, order.note), ("12", 3, None));
    #[derive(Deserialize)]
    struct Many {
        tags: Vec<String>,
        deep: bool,
    }
    impl Validate for Many {}
    let many: Many = read("query", &json!({"tags": "a", "deep": "true"}), 10, Mode::Text).unwrap();
    for (text, deep) in [("True", true), ("False", false), ("false", false), (" true ", true)] {
        let many: Many = read("query", &json!({"tags": "a", "deep": text}), 10, Mode::Text).unwrap();
        assert_eq!(many.deep, deep, "{text}");
    }
    for text in ["TRUE", "yes", "1", "truE"] {
        let read = read::<Many>("query", &json!({"tags": "a", "deep": text}), 10, Mode::Text);
        assert!(read.is_err(), "{text}");
    }
    assert!(read::<Many>("body", &json!({"tags": ["a"], "deep": "True"}), 10, Mode::Json).is_err());
    assert_eq!((many.tags, many.deep), (vec!["a".to_owned()], true));
}

#[test]
fn secrets_are_not_repeated() {
    #[derive(Debug, Deserialize)]
    struct Login {
        #[allow(dead_code)]
        attempts: u32,
    }
    impl Validate for Login {}
    let faults = read::<Login>("body", &json!({"attempts": "hunter2"}), 10, Mode::Json).unwrap_err();
    assert!(!faults[0].msg.contains("hunter2"), "{}", faults[0].msg);
}

#[test]
fn rubbish_stays_cheap() {
    let many: Vec<Value> = (0..20_000).map(|n| json!({"text": n})).collect();
    let value = json!({"name": "abc", "count": 1, "customer": ID, "lines": many});
    let began = std::time::Instant::now();
    let found = read::<Order>("body", &value, 300_000, Mode::Json).unwrap_err();
    assert!(!found.is_empty());
    assert!(began.elapsed().as_secs() < 60, "took {:?}", began.elapsed());
}
