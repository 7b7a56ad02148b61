//! Tests generated code on sample inputs.

use sandbox::{Limits, Sandbox, Script, ScriptErrorKind};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{BuildFailure, CodeBoxExample, CodeBoxRequest};
use crate::graph::ValueType;
use crate::nodes::Fields;
use crate::nodes::code::{located, take_outputs};

/// The result of running generated code on one set of inputs.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Check {
    /// The inputs that the code received.
    #[schema(value_type = Object)]
    pub inputs: Fields,
    /// The outputs that the code returned.
    #[schema(value_type = Option<Object>, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Fields>,
    /// The outputs that the example requires, if any.
    #[schema(value_type = Option<Object>, nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Fields>,
    /// The error, if the check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<CheckError>,
    /// Whether the check passed.
    pub passed: bool,
}

/// Describes why a check failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CheckError {
    /// The error code with which a node would have failed, or `unexpected_outputs` if the outputs differ from the example.
    pub code: String,
    /// A description of the error.
    pub message: String,
}

impl Check {
    /// Returns a description of the error. Empty if the check passed.
    pub fn complaint(&self) -> String {
        self.error.as_ref().map(|error| error.message.clone()).unwrap_or_default()
    }
}

/// The cases that generated code is tested on.
pub(super) struct Trial<'a> {
    sandbox: &'a Sandbox,
    request: &'a CodeBoxRequest,
    /// The test cases, in order.
    pub cases: Vec<CodeBoxExample>,
}

impl<'a> Trial<'a> {
    /// Uses the examples as test cases. Without examples, uses inputs recorded in earlier runs. Without those, uses made-up
    /// inputs, so that code which does not even run is never returned.
    pub fn new(sandbox: &'a Sandbox, request: &'a CodeBoxRequest) -> Self {
        let mut cases = request.examples.clone();
        if cases.is_empty() {
            let fits = |inputs: &&Fields| fit(inputs, &request.inputs);
            let recorded = request.recorded.iter().filter(fits).cloned();
            cases.extend(recorded.map(|inputs| CodeBoxExample { inputs, outputs: None }));
        }
        if cases.is_empty() {
            let made_up = request.inputs.iter().map(|(name, kind)| (name.clone(), sample(*kind)));
            cases.push(CodeBoxExample { inputs: made_up.collect(), outputs: None });
        }
        Self { sandbox, request, cases }
    }

    /// Runs the code on every case.
    pub async fn run(&self, code: &str) -> Result<Vec<Check>, BuildFailure> {
        let mut checks = Vec::with_capacity(self.cases.len());
        for case in &self.cases {
            checks.push(self.check(code, case).await?);
        }
        Ok(checks)
    }

    async fn check(&self, code: &str, case: &CodeBoxExample) -> Result<Check, BuildFailure> {
        let script = Script::new(code, case.inputs.clone());
        let mut check = Check {
            inputs: case.inputs.clone(),
            outputs: None,
            expected: case.outputs.clone(),
            error: None,
            passed: false,
        };
        let fault = |code: &str, message| Some(CheckError { code: code.to_owned(), message });
        match self.sandbox.run(&script, &Limits::default()).await {
            Ok(ran) => match take_outputs(&self.request.outputs, ran.output.clone()) {
                Ok(outputs) => {
                    let unexpected = unexpected(&outputs, case.outputs.as_ref());
                    check.error = unexpected.and_then(|why| fault("unexpected_outputs", why));
                    check.outputs = Some(outputs);
                }
                Err(why) => {
                    check.error = fault("code_outputs", why);
                    check.outputs = ran.output.as_object().cloned();
                }
            },
            Err(why) if why.kind == ScriptErrorKind::Unavailable => {
                return Err(BuildFailure::NoSandbox(why.message));
            }
            Err(why) => check.error = fault(why.kind.code(), located(&why)),
        }
        check.passed = check.error.is_none();
        Ok(check)
    }
}

/// Describes how the outputs differ from the expected outputs.
fn unexpected(outputs: &Fields, expected: Option<&Fields>) -> Option<String> {
    let expected = expected?.iter();
    let mut wrong = expected.filter(|(name, value)| !outputs.get(*name).is_some_and(|got| same(got, value)));
    let (name, wanted) = wrong.next()?;
    let got = outputs.get(name).unwrap_or(&Value::Null);
    Some(format!("the output {name:?} was expected to be {}, and is {}", short(wanted), short(got)))
}

/// Whether two values are equal. Numbers are compared by value, not by notation.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let equal = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(equal)
        }
        (a, b) => a == b,
    }
}

/// Formats a value as JSON, shortened for people and models.
pub(super) fn short(value: &Value) -> String {
    const MAX_BYTES: usize = 1_500;
    let mut text = value.to_string();
    if text.len() > MAX_BYTES {
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text.push_str("… (cut off)");
    }
    text
}

fn fit(inputs: &Fields, declared: &std::collections::BTreeMap<String, ValueType>) -> bool {
    declared.iter().all(|(name, kind)| inputs.get(name).is_some_and(|value| kind.admits(value)))
}

fn sample(kind: ValueType) -> Value {
    match kind {
        ValueType::String | ValueType::Any => json!("some text"),
        ValueType::Number => json!(1.5),
        ValueType::Integer => json!(3),
        ValueType::Boolean => json!(true),
        ValueType::Object => json!({"key": "value"}),
        ValueType::Array => json!(["one", "two"]),
        ValueType::File => {
            json!({"blob_id": "0", "filename": "notes.txt", "media_type": "text/plain", "size": 5})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_compares_numbers_by_value() {
        for (a, b, expected) in [
            (json!(3), json!(3.0), true),
            (json!({"a": [1, {"b": 2.0}]}), json!({"a": [1.0, {"b": 2}]}), true),
            (json!({"a": 1}), json!({"a": 1, "b": null}), false),
            (json!([1]), json!([1, 2]), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(same(&a, &b), expected, "{a} {b}");
        }
    }
}
