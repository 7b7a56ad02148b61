use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::chat::ProviderError;

/// Allowed number of words of an answer.
const LENGTH: RangeInclusive<u64> = 1..=100_000;
/// Allowed pause between two words in milliseconds.
const PACE_MS: RangeInclusive<u64> = 0..=60_000;

/// The parameters of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The exact number of words of the answer.
    pub(super) length: Option<u64>,
    /// The pause between two words.
    pub(super) pace: Duration,
    /// The maximum number of words of the answer.
    pub(super) limit: Option<u64>,
}

impl Settings {
    pub(super) fn read(parameters: &Map<String, Value>) -> Result<Self, ProviderError> {
        let limit = number(parameters, "max_completion_tokens", 1..=u64::MAX)?;
        Ok(Self {
            length: number(parameters, "length", LENGTH)?,
            pace: Duration::from_millis(number(parameters, "pace_ms", PACE_MS)?.unwrap_or(0)),
            limit: limit.or(number(parameters, "max_tokens", 1..=u64::MAX)?),
        })
    }
}

fn number(
    parameters: &Map<String, Value>,
    key: &str,
    range: RangeInclusive<u64>,
) -> Result<Option<u64>, ProviderError> {
    let value = match parameters.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let number = value.as_u64().filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| {
        let bounds = match range.end() {
            &u64::MAX => format!("of at least {}", range.start()),
            end => format!("from {} to {end}", range.start()),
        };
        let shown: String = value.to_string().chars().take(40).collect();
        ProviderError::refused(format!("{key} must be a whole number {bounds}, not {shown}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::ProviderErrorKind;
    use serde_json::json;

    fn read(parameters: Value) -> Result<Settings, ProviderError> {
        Settings::read(parameters.as_object().unwrap())
    }

    #[test]
    fn settings_accepts_valid_values_and_ignores_other_parameters() {
        let parameters = json!({"length": 100_000, "pace_ms": 60_000, "temperature": "hot", "top_p": 1});
        let settings = read(parameters).unwrap();
        assert_eq!(settings.length, Some(100_000));
        assert_eq!(settings.pace, Duration::from_secs(60));
        assert_eq!(read(json!({"length": null})).unwrap(), Settings::default());
        let both = read(json!({"max_tokens": 7, "max_completion_tokens": 5})).unwrap();
        assert_eq!(both.limit, Some(5));
    }

    #[test]
    fn settings_rejects_invalid_values_by_name() {
        for (parameters, key) in [
            (json!({"length": 0}), "length"),
            (json!({"length": 100_001}), "length"),
            (json!({"length": "long"}), "length"),
            (json!({"length": 1.5}), "length"),
            (json!({"pace_ms": -1}), "pace_ms"),
            (json!({"pace_ms": 60_001}), "pace_ms"),
            (json!({"pace_ms": true}), "pace_ms"),
            (json!({"max_tokens": 0}), "max_tokens"),
        ] {
            let error = read(parameters).unwrap_err();
            assert_eq!(error.kind, ProviderErrorKind::Refused);
            assert!(error.message.starts_with(key), "{error}");
        }
    }
}
