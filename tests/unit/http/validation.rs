use domain::Fault;
use domain::Faults;
use domain::Step;
use domain::Validate;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;
use understudy::parts::http::Mode;
use understudy::parts::http::of_body;
use understudy::parts::http::{MAX_FAULTS, MAX_THOROUGH, read};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Deserialize, PartialEq, ToSchema)]
struct Order {
    #[schema(min_length = 2, max_length = 5)]
    name: String,
    #[schema(minimum = 1, maximum = 9)]
    count: u32,
    customer: Uuid,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    kind: Kind,
}

#[derive(Debug, Deserialize, PartialEq, ToSchema)]
struct Line {
    text: String,
    at: storage::Timestamp,
}

#[derive(Debug, Default, Deserialize, PartialEq, ToSchema)]
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
    const TRIMMED: &'static [&'static str] = &["name"];

    fn validate(&self, faults: &mut Faults) {
        if self.note.as_deref() == Some(&self.name) {
            faults.add(["note"], "repeats the name", "duplicate");
        }
    }
}

fn json<T: DeserializeOwned + Validate + ToSchema + 'static>(value: Value) -> Result<T, Vec<Fault>> {
    read("body", value, 100, Mode::Json, of_body::<T>)
}

fn form<T: DeserializeOwned + Validate + ToSchema + 'static>(value: Value) -> Result<T, Vec<Fault>> {
    read("body", value, 100, Mode::Form, of_body::<T>)
}

fn faults(value: Value) -> Vec<(String, String)> {
    let name = |step: Step| match step {
        Step::Name(name) => name,
        Step::Index(index) => index.to_string(),
    };
    let line = |fault: Fault| (fault.loc.into_iter().map(name).collect::<Vec<_>>().join("."), fault.kind);
    let mut all: Vec<_> = json::<Order>(value).expect_err("has faults").into_iter().map(line).collect();
    all.sort();
    all
}

fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(loc, kind)| ((*loc).to_owned(), (*kind).to_owned())).collect()
}

const ID: &str = "01890000-0000-7000-8000-000000000001";

#[test]
fn read_accepts_a_valid_value() {
    let value = json!({"name": "abc", "count": 3, "customer": ID, "kind": {"gift": {"card": "x"}}});
    let order: Order = json(value).unwrap();
    assert_eq!(order.kind, Kind::Gift { card: "x".into() });
    let value = json!({"name": "abc", "count": 3, "customer": ID, "note": null, "kind": {"weighed": 2}});
    let order: Order = json(value).unwrap();
    assert_eq!((order.note, order.kind), (None, Kind::Weighed(2.0)));
}

#[test]
fn read_reports_all_faults_at_once() {
    let value = json!({
        "nmae": "x", "count": "three", "customer": "unknown",
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
fn read_reports_limits_with_other_faults() {
    let value = json!({"name": "a", "count": "x", "customer": ID});
    assert_eq!(faults(value), expected(&[("body.count", "wrong_type"), ("body.name", "too_short")]));
    let value = json!({"name": "abcdef", "count": 10, "customer": ID, "note": "abcdef"});
    assert_eq!(
        faults(value),
        expected(&[("body.count", "out_of_range"), ("body.name", "too_long"), ("body.note", "duplicate")])
    );
}

#[test]
fn read_reports_a_wrong_top_level_type() {
    assert_eq!(faults(json!([1, 2])), expected(&[("body", "wrong_type")]));
    assert_eq!(faults(json!(null)), expected(&[("body", "wrong_type")]));
    let errors = json::<Order>(json!(null)).err().unwrap_or_default();
    assert_eq!(errors[0].msg, "expected an object, not null");
    assert_eq!(
        faults(json!({"name": "abc", "count": -1, "customer": ID})),
        expected(&[("body.count", "wrong_value")])
    );
    let value = json!({"name": "abc", "count": 1, "customer": ID, "kind": "other"});
    assert_eq!(faults(value), expected(&[("body.kind", "unknown_value")]));
}

#[test]
fn read_converts_texts_of_forms() {
    let value = json!({"name": "12", "count": "3", "customer": ID, "note": ""});
    let order: Order = form(value).unwrap();
    assert_eq!((order.name.as_str(), order.count, order.note), ("12", 3, None));
    #[derive(Deserialize, ToSchema)]
    struct Many {
        #[schema(max_items = 2)]
        tags: Vec<String>,
        deep: bool,
    }
    impl Validate for Many {}
    let many: Many = form(json!({"tags": "a", "deep": "true"})).unwrap();
    for (text, deep) in [("True", true), ("False", false), ("false", false), (" true ", true)] {
        let many: Many = form(json!({"tags": "a", "deep": text})).unwrap();
        assert_eq!(many.deep, deep, "{text}");
    }
    for text in ["TRUE", "yes", "1", "truE"] {
        let read = form::<Many>(json!({"tags": "a", "deep": text}));
        assert!(read.is_err(), "{text}");
    }
    assert!(json::<Many>(json!({"tags": ["a"], "deep": "True"})).is_err());
    assert_eq!((many.tags, many.deep), (vec!["a".to_owned()], true));
}

#[test]
fn read_does_not_repeat_secrets() {
    #[derive(Debug, Deserialize, PartialEq, ToSchema)]
    struct Login {
        attempts: u32,
    }
    impl Validate for Login {}
    let faults = json::<Login>(json!({"attempts": "hunter2"})).unwrap_err();
    assert!(!faults[0].msg.contains("hunter2"), "{}", faults[0].msg);
}

#[test]
fn read_measures_trimmed_fields_without_whitespace() {
    let order = |name: &str| json!({"name": name, "count": 1, "customer": ID});
    json::<Order>(order("  abcde\n")).unwrap();
    assert_eq!(faults(order("    ")), expected(&[("body.name", "too_short")]));
}

#[test]
fn read_applies_limits_to_converted_texts() {
    #[derive(Debug, Deserialize, PartialEq, ToSchema)]
    struct Page {
        #[schema(maximum = 200)]
        limit: u32,
        #[schema(min_length = 2)]
        search: Option<String>,
        #[serde(default)]
        #[schema(max_items = 2)]
        ids: Vec<u8>,
    }
    impl Validate for Page {}
    assert_eq!(form::<Page>(json!({"limit": "200", "search": "", "ids": "7"})).unwrap().limit, 200);
    let found = form::<Page>(json!({"limit": "201", "search": "a", "ids": ["1", "2", "3"]})).unwrap_err();
    let mut found: Vec<_> = found.iter().map(|fault| (fault.loc[1].to_string(), &*fault.kind)).collect();
    found.sort();
    let expected = [("ids", "too_many"), ("limit", "out_of_range"), ("search", "too_short")];
    assert_eq!(found, expected.map(|(field, kind)| (field.to_owned(), kind)));
}

#[test]
fn read_distinguishes_numeric_names_from_positions() {
    #[derive(Debug, Deserialize, PartialEq, ToSchema)]
    struct Map {
        entries: std::collections::BTreeMap<String, u8>,
        needed: u8,
    }
    impl Validate for Map {}
    let found = json::<Map>(json!({"entries": {"": "x", "1": 2, "2": "x", "a/b": "x"}})).unwrap_err();
    let locs: Vec<_> = found.into_iter().map(|fault| fault.loc[1..].to_vec()).collect();
    let name = |name: &str| Step::Name(name.to_owned());
    for wanted in ["", "2", "a/b"] {
        assert!(locs.contains(&vec![name("entries"), name(wanted)]), "{wanted}: {locs:?}");
    }
    assert!(locs.contains(&vec![name("needed")]), "{locs:?}");
}

#[test]
fn read_limits_the_cost_of_invalid_values() {
    let many: Vec<Value> = (0..20_000).map(|n| json!({"text": n})).collect();
    let value = json!({"name": "abc", "count": 1, "customer": ID, "lines": many});
    let began = std::time::Instant::now();
    let found = read::<Order>("body", value.clone(), 300_000, Mode::Json, of_body::<Order>).unwrap_err();
    assert_eq!(found.len(), MAX_FAULTS);
    let found = read::<Order>("body", value, 2 * MAX_THOROUGH, Mode::Json, of_body::<Order>).unwrap_err();
    assert!(!found.is_empty());
    assert!(began.elapsed().as_secs() < 60, "took {:?}", began.elapsed());
}

#[test]
fn read_refuses_texts_of_non_finite_numbers() {
    #[derive(Debug, Deserialize, PartialEq, ToSchema)]
    struct Amounts {
        #[schema(maximum = 200)]
        limit: u32,
        #[schema(minimum = 0, maximum = 1)]
        share: f64,
    }
    impl Validate for Amounts {}
    assert!(form::<Amounts>(json!({"limit": "0020", "share": "1"})).is_ok());
    for (limit, share) in [("+5000", "1"), ("0500", "1"), ("1", "NaN"), ("1", "inf"), ("1", "+1.5")] {
        let read = form::<Amounts>(json!({"limit": limit, "share": share}));
        assert_eq!(read.map_err(|faults| faults.len()), Err(1), "{limit} {share}");
    }
}
