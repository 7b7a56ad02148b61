//! Extracts JSON from the output of models.

use serde_json::Value;

/// Returns the JSON value in an answer. It may be in a code fence or between sentences.
pub fn json_in(answer: &str) -> Option<Value> {
    let whole = serde_json::from_str(answer.trim()).ok();
    whole.or_else(|| {
        let starts = answer.match_indices(['{', '[']).map(|(at, _)| at);
        starts.take(100).find_map(|at| {
            let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
            values.next().and_then(Result::ok)
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_in_finds_the_object_in_an_answer() {
        for answer in
            ["{\"a\":1}", "Sure!\n```json\n{\"a\": 1}\n```\nAnything else?", "I see {no json} but {\"a\":1}"]
        {
            assert_eq!(json_in(answer), Some(json!({"a": 1})), "{answer}");
        }
        assert_eq!(json_in("nothing {here"), None);
    }
}
