use serde_json::Value;
use serde_json::json;
use understudy::parts::cli::in_words;

#[test]
fn in_words_formats_a_problem_as_one_line() {
    let problem = json!({"title": "The request is invalid", "detail": null,
        "errors": [{"loc": ["body", "password"], "msg": "needs at least 12 characters"}]});
    assert_eq!(
        in_words(422, &problem),
        "The request is invalid: password needs at least 12 characters (status 422)"
    );
    let problem = json!({"title": "The request is invalid",
        "errors": [{"loc": ["body", "scopes", 1], "msg": "is not a scope"}]});
    assert_eq!(in_words(422, &problem), "The request is invalid: scopes.1 is not a scope (status 422)");
    assert_eq!(in_words(502, &Value::Null), "the server refused (status 502)");
}
