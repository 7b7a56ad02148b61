//! OTLP as JSON, in the JSON mapping of `opentelemetry-proto`: IDs in hexadecimal, 64-bit numbers as text.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::samples::{Metric, Series};
use crate::metrics::Type;
use crate::trace::{Attributes, Finished, Kind, SpanContext, Value};

/// Aggregation temporality: values accumulate from the start of the process.
const CUMULATIVE: u8 = 2;
/// The status of a span whose work failed.
const ERROR: u8 = 2;

/// An `ExportTraceServiceRequest`.
pub(super) fn spans(resource: &[(String, String)], spans: &[Finished]) -> Vec<u8> {
    let spans: Vec<Json> = spans.iter().map(span).collect();
    let scope = json!({"scope": scope(), "spans": spans});
    let request =
        json!({"resourceSpans": [{"resource": texts("attributes", resource), "scopeSpans": [scope]}]});
    request.to_string().into_bytes()
}

/// An `ExportMetricsServiceRequest`.
pub(super) fn metrics(resource: &[(String, String)], metrics: &[Metric], began: SystemTime) -> Vec<u8> {
    let times = (nanos(began), nanos(SystemTime::now()));
    let metrics: Vec<Json> = metrics.iter().map(|one| metric(one, &times)).collect();
    let scope = json!({"scope": scope(), "metrics": metrics});
    let request =
        json!({"resourceMetrics": [{"resource": texts("attributes", resource), "scopeMetrics": [scope]}]});
    request.to_string().into_bytes()
}

fn scope() -> Json {
    json!({"name": "understudy", "version": env!("CARGO_PKG_VERSION")})
}

fn texts(name: &str, pairs: &[(String, String)]) -> Json {
    let pairs: Vec<Json> =
        pairs.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect();
    json!({name: pairs})
}

fn span(span: &Finished) -> Json {
    let mut json = json!({
        "traceId": trace_id(&span.context),
        "spanId": span_id(span.context.span),
        "name": span.name,
        "kind": match span.kind { Kind::Internal => 1, Kind::Server => 2, Kind::Client => 3 },
        "startTimeUnixNano": nanos(span.began),
        "endTimeUnixNano": nanos(span.ended),
        "attributes": attributes(&span.attributes),
        "flags": 1,
    });
    if span.parent != 0 {
        json["parentSpanId"] = span_id(span.parent).into();
    }
    if !span.events.is_empty() {
        let events = span.events.iter();
        json["events"] =
            events.map(|event| json!({"timeUnixNano": nanos(event.at), "name": event.name})).collect();
    }
    if !span.links.is_empty() {
        let links = span.links.iter();
        json["links"] =
            links.map(|to| json!({"traceId": trace_id(to), "spanId": span_id(to.span)})).collect();
    }
    if let Some(message) = &span.failure {
        json["status"] = json!({"code": ERROR, "message": message});
    }
    json
}

fn trace_id(context: &SpanContext) -> String {
    format!("{:032x}", context.trace)
}

fn span_id(id: u64) -> String {
    format!("{id:016x}")
}

fn nanos(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

fn attributes(attributes: &Attributes) -> Json {
    let value = |value: &Value| match value {
        Value::Text(text) => json!({"stringValue": text}),
        Value::Int(number) => json!({"intValue": number.to_string()}),
        Value::Float(number) => json!({"doubleValue": number}),
        Value::Bool(flag) => json!({"boolValue": flag}),
        Value::Texts(texts) => {
            let values: Vec<Json> = texts.iter().map(|text| json!({"stringValue": text})).collect();
            json!({"arrayValue": {"values": values}})
        }
    };
    attributes.0.iter().map(|(name, of)| json!({"key": name, "value": value(of)})).collect()
}

fn metric(metric: &Metric, (began, now): &(String, String)) -> Json {
    let definition = metric.definition;
    let point = |(labels, series): (&Vec<(String, String)>, &Series)| {
        let mut point = texts("attributes", labels);
        point["timeUnixNano"] = now.as_str().into();
        match definition.kind {
            Type::Gauge => point["asDouble"] = series.value.into(),
            Type::Counter => {
                point["startTimeUnixNano"] = began.as_str().into();
                point["asInt"] = (series.value as u64).to_string().into();
            }
            Type::Histogram => {
                point["startTimeUnixNano"] = began.as_str().into();
                point["count"] = series.count.to_string().into();
                point["sum"] = series.sum.into();
                let bounds = series.buckets.iter().map(|(bound, _)| *bound).filter(|bound| bound.is_finite());
                point["explicitBounds"] = bounds.collect();
                point["bucketCounts"] = bucket_counts(series);
            }
        }
        point
    };
    let points: Vec<Json> = metric.series.iter().map(point).collect();
    let mut json = json!({"name": definition.name, "description": definition.help, "unit": definition.unit});
    match definition.kind {
        Type::Gauge => json["gauge"] = json!({"dataPoints": points}),
        Type::Counter => {
            json["sum"] =
                json!({"dataPoints": points, "aggregationTemporality": CUMULATIVE, "isMonotonic": true});
        }
        Type::Histogram => {
            json["histogram"] = json!({"dataPoints": points, "aggregationTemporality": CUMULATIVE});
        }
    }
    json
}

/// Converts cumulative bucket counts (Prometheus) to counts per bucket (OTLP).
fn bucket_counts(series: &Series) -> Json {
    let mut before = 0;
    let between = series.buckets.iter().map(|(_, up_to)| {
        let number = up_to.saturating_sub(before);
        before = *up_to;
        number.to_string()
    });
    between.collect()
}
