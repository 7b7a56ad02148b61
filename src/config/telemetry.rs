//! Settings of the OTLP export.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;
use telemetry::export::Settings;

/// `[telemetry]`: traces and metrics that are exported over OTLP/HTTP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The URL of the receiver, without `/v1/traces`. Without it, nothing is exported unless the environment sets a
    /// receiver.
    pub endpoint: Option<String>,
    /// The headers of each export request; `env:NAME` reads an environment variable.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The name that identifies this server among others.
    pub service_name: Option<String>,
    /// Whether traces are exported.
    pub traces: bool,
    /// Whether metrics are exported.
    pub metrics: bool,
    /// The fraction of new traces that is recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// The maximum number of bytes of each prompt and each answer in spans; 0 for none.
    pub content_bytes: usize,
    /// Whether requests to model providers carry `traceparent`.
    pub propagate_to_providers: bool,
    /// Whether the `traceparent` of callers is continued.
    pub accept_traceparent: bool,
    /// The maximum number of spans waiting for export.
    pub queue_spans: usize,
    /// The maximum number of spans in one export request.
    pub batch_spans: usize,
    /// The time that spans wait to be batched, in seconds.
    pub export_seconds: f64,
    /// The interval at which metrics are exported, in seconds.
    pub metrics_seconds: f64,
    /// The time limit for the receiver's response, in seconds.
    pub timeout_seconds: f64,
    /// The pause before the first retry, in seconds.
    pub retry_seconds: f64,
    /// The time that a shutdown waits for the last export, in seconds.
    pub shutdown_seconds: f64,
}

/// Reads an environment variable; empty variables count as not set.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl TelemetryConfig {
    /// The settings in the form that the exporter takes; `None` if nothing is exported. `lookup` reads the environment:
    /// the variables of the OpenTelemetry specification apply where the settings have no value.
    ///
    /// # Errors
    /// A value that cannot be used, with its name.
    pub fn settings(&self, lookup: Lookup<'_>) -> Result<Option<Settings>, String> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        if lookup("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let traces = self.url("traces", self.traces, &lookup)?;
        let metrics = self.url("metrics", self.metrics, &lookup)?;
        if traces.is_none() && metrics.is_none() {
            return Ok(None);
        }
        if let Some(protocol) = lookup("OTEL_EXPORTER_OTLP_PROTOCOL").filter(|protocol| protocol == "grpc") {
            return Err(format!(
                "OTEL_EXPORTER_OTLP_PROTOCOL is {protocol:?}, but telemetry is exported by HTTP only; name the HTTP port of \
                 the receiver (usually 4318) and unset the variable"
            ));
        }
        Ok(Some(Settings {
            traces,
            metrics,
            headers: self.headers(&lookup)?,
            resource: self.resource(&lookup)?,
            sample_ratio: self.sample_ratio,
            content_bytes: self.content_bytes,
            propagate: self.propagate_to_providers,
            accept: self.accept_traceparent,
            queue_spans: self.queue_spans,
            batch_spans: self.batch_spans,
            export_every: Duration::from_secs_f64(self.export_seconds),
            metrics_every: Duration::from_secs_f64(self.metrics_seconds),
            timeout: Duration::from_secs_f64(self.timeout_seconds),
            retry: Duration::from_secs_f64(self.retry_seconds),
        }))
    }

    /// The time that a shutdown waits for the last export.
    pub fn shutdown(&self) -> Duration {
        Duration::from_secs_f64(self.shutdown_seconds)
    }

    fn url(&self, signal: &str, wanted: bool, lookup: Lookup<'_>) -> Result<Option<String>, String> {
        if !wanted {
            return Ok(None);
        }
        let below = |base: String| format!("{}/v1/{signal}", base.trim_end_matches('/'));
        let own = format!("OTEL_EXPORTER_OTLP_{}_ENDPOINT", signal.to_ascii_uppercase());
        let url = match &self.endpoint {
            Some(endpoint) => Some(below(endpoint.clone())),
            None => lookup(&own).or_else(|| lookup("OTEL_EXPORTER_OTLP_ENDPOINT").map(below)),
        };
        match url {
            Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => {
                Err(format!("telemetry.endpoint: {url:?} does not begin with http:// or https://"))
            }
            url => Ok(url),
        }
    }

    fn headers(&self, lookup: Lookup<'_>) -> Result<Vec<(String, String)>, String> {
        let mut headers = match lookup("OTEL_EXPORTER_OTLP_HEADERS") {
            Some(list) => pairs("OTEL_EXPORTER_OTLP_HEADERS", &list)?,
            None => Vec::new(),
        };
        for (name, value) in &self.headers {
            let value = match value.strip_prefix("env:") {
                Some(variable) => lookup(variable)
                    .ok_or_else(|| format!("telemetry.headers: the variable {variable} is not set"))?,
                None => value.clone(),
            };
            headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value));
        }
        Ok(headers)
    }

    fn resource(&self, lookup: Lookup<'_>) -> Result<Vec<(String, String)>, String> {
        let mut resource = match lookup("OTEL_RESOURCE_ATTRIBUTES") {
            Some(list) => pairs("OTEL_RESOURCE_ATTRIBUTES", &list)?,
            None => Vec::new(),
        };
        let named = self.service_name.clone().or_else(|| lookup("OTEL_SERVICE_NAME"));
        let mut put = |name: &str, value: String, over: bool| {
            let known = resource.iter().any(|(known, _)| known == name);
            if over || !known {
                resource.retain(|(known, _)| known != name);
                resource.push((name.to_owned(), value));
            }
        };
        let over = named.is_some();
        put("service.name", named.unwrap_or_else(|| "understudy".to_owned()), over);
        put("service.version", env!("CARGO_PKG_VERSION").to_owned(), false);
        put("service.instance.id", uuid::Uuid::new_v4().to_string(), false);
        Ok(resource)
    }

    pub fn check(&self) -> Result<(), String> {
        if !(0.0..=1.0).contains(&self.sample_ratio) {
            return Err("telemetry.sample_ratio must be a number from 0 to 1".to_owned());
        }
        let hours = 24.0 * 3600.0;
        for (name, seconds, least) in [
            ("export_seconds", self.export_seconds, 0.0),
            ("metrics_seconds", self.metrics_seconds, 0.1),
            ("timeout_seconds", self.timeout_seconds, 0.1),
            ("retry_seconds", self.retry_seconds, 0.01),
            ("shutdown_seconds", self.shutdown_seconds, 0.0),
        ] {
            if !(least..=hours).contains(&seconds) {
                return Err(format!("telemetry.{name} must be a number of seconds from {least} to {hours}"));
            }
        }
        for (name, number, most) in
            [("queue_spans", self.queue_spans, 1 << 20), ("batch_spans", self.batch_spans, 1 << 16)]
        {
            if number == 0 || number > most {
                return Err(format!("telemetry.{name} must be from 1 to {most}"));
            }
        }
        match self.content_bytes {
            0..=1_048_576 => Ok(()),
            _ => Err("telemetry.content_bytes must be at most 1048576".to_owned()),
        }
    }
}

/// Parses `name=value,name=value` with percent encoding, as defined by the specification.
fn pairs(variable: &str, list: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{variable}: {pair:?} has no `=`"))?;
        let decoded = |text: &str| {
            let plus_kept = text.trim().replace('+', "%2B").replace('&', "%26");
            let mut decoded =
                actix_web::web::Query::<BTreeMap<String, String>>::from_query(&format!("v={plus_kept}"))
                    .map_err(|_| format!("{variable}: {text:?} is not percent-encoded text"))?;
            decoded.remove("v").ok_or_else(|| format!("{variable}: {text:?} cannot be read"))
        };
        Ok((decoded(name)?, decoded(value)?))
    };
    list.split(',').filter(|one| !one.trim().is_empty()).map(pair).collect()
}
