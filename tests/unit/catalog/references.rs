use serde_json::Value;
use serde_json::json;
use understudy::parts::catalog::{Reference, expand};

fn expanded(value: Value) -> Result<Value, String> {
    expand(&value, &mut |reference| match reference {
        Reference::File("a.md") => Ok(json!("Be brief.")),
        Reference::Json("a.json") => Ok(json!({"again": {"$parameter": "hour"}})),
        Reference::Json("round.json") => Ok(json!({"$json": "round.json"})),
        Reference::Parameter("hour") => Ok(json!(7)),
        Reference::Package("acme/x", "main") => Ok(json!("id")),
        other => Err(format!("{other:?}")),
    })
}

#[test]
fn expand_replaces_references_at_any_depth() {
    let value = json!({
        "a": {"$file": "a.md"}, "b": [{"$json": "a.json"}, 1, {"c": null}],
        "d": {"$join": ["0 ", {"$parameter": "hour"}, " * * *"]}, "e": {"$package": "acme/x", "key": "main"},
    });
    let expected = json!({
        "a": "Be brief.", "b": [{"again": 7}, 1, {"c": null}], "d": "0 7 * * *", "e": "id",
    });
    assert_eq!(expanded(value), Ok(expected));
}

#[test]
fn expand_refuses_unresolvable_references() {
    for wrong in [
        json!({"$file": "b.md"}),
        json!({"$file": 1}),
        json!({"$file": "a.md", "more": 1}),
        json!({"$strange": "x"}),
        json!({"$package": "acme/x"}),
        json!({"$join": "x"}),
        json!({"$join": [[1]]}),
        json!([{"$json": "round.json"}]),
    ] {
        assert!(expanded(wrong.clone()).is_err(), "{wrong}");
    }
}
