use serde_json::json;
use understudy::parts::config::{merge, variable};

#[test]
fn variable_parses_toml_or_text() {
    for (text, value) in [
        ("5", json!(5)),
        ("true", json!(true)),
        ("[\"a\", \"b\"]", json!(["a", "b"])),
        ("{ a = 1 }", json!({"a": 1})),
        ("\"5\"", json!("5")),
        ("0.0.0.0:80", json!("0.0.0.0:80")),
        ("", json!("")),
        ("12#34", json!("12#34")),
        ("1\nother = 2", json!("1\nother = 2")),
        ("\"1\"\nother = 2", json!("\"1\"\nother = 2")),
        ("[a, 10.0.0.0/8]", json!(["a", "10.0.0.0/8"])),
        ("[not, a list", json!("[not, a list")),
        ("nan", json!("nan")),
        (
            &format!("{0}a{1}", "[".repeat(50_000), "]".repeat(50_000)),
            json!([format!("{0}a{1}", "[".repeat(49_999), "]".repeat(49_999))]),
        ),
    ] {
        assert_eq!(variable(text), value, "{text}");
    }
}

#[test]
fn merge_joins_tables() {
    let mut below = json!({"a": {"b": 1, "c": [1, 2]}});
    merge(&mut below, json!({"a": {"c": [3], "d": 4}}));
    assert_eq!(below, json!({"a": {"b": 1, "c": [3], "d": 4}}));
}
