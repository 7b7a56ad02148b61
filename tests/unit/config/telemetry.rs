use ::telemetry::export::Settings;
use understudy::Config;
use understudy::parts::config::TelemetryConfig;

fn settings(config: &TelemetryConfig, variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
    let found =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    config.settings(&found)
}

fn config() -> TelemetryConfig {
    Config::default().telemetry
}

#[test]
fn settings_export_nothing_by_default() {
    assert!(settings(&config(), &[]).unwrap().is_none());
    let off = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x:4318"), ("OTEL_SDK_DISABLED", "true")];
    assert!(settings(&config(), &off).unwrap().is_none());
}

#[test]
fn settings_read_the_opentelemetry_environment() {
    let found = settings(
        &config(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://metrics.example.org/in"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20QQ==, x-scope=a+b"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,service.name=other"),
            ("OTEL_SERVICE_NAME", "desk"),
        ],
    );
    let found = found.unwrap().unwrap();
    assert_eq!(found.traces.as_deref(), Some("http://collector:4318/v1/traces"));
    assert_eq!(found.metrics.as_deref(), Some("https://metrics.example.org/in"));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(found.headers, [pair("authorization", "Basic QQ=="), pair("x-scope", "a+b")]);
    assert!(found.resource.contains(&pair("service.name", "desk")));
    assert!(!found.resource.contains(&pair("service.name", "other")));
    assert!(found.resource.contains(&pair("deployment.environment.name", "test")));
    assert_eq!((found.content_bytes, found.propagate), (0, false));
}

#[test]
fn settings_take_precedence_over_the_environment() {
    let mut config = config();
    config.endpoint = Some("http://127.0.0.1:4318".to_owned());
    config.metrics = false;
    config.headers.insert("x-key".to_owned(), "env:KEY".to_owned());
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://other"),
        ("KEY", "s"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "X-Key=t"),
    ];
    let found = settings(&config, &environment).unwrap().unwrap();
    assert_eq!(found.traces.as_deref(), Some("http://127.0.0.1:4318/v1/traces"));
    assert_eq!((found.metrics, found.headers), (None, vec![("x-key".to_owned(), "s".to_owned())]));
    assert!(settings(&config, &[]).unwrap_err().contains("KEY is not set"));
}

#[test]
fn settings_name_invalid_values() {
    let endpoint = |url| [("OTEL_EXPORTER_OTLP_ENDPOINT", url)];
    assert!(settings(&config(), &endpoint("collector:4317")).unwrap_err().contains("http://"));
    let grpc = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
    assert!(settings(&config(), &grpc).unwrap_err().contains("4318"));
    for wrong in [f64::NAN, -0.1, 1.5] {
        let config = TelemetryConfig { sample_ratio: wrong, ..config() };
        assert!(config.check().unwrap_err().contains("telemetry.sample_ratio"));
    }
    let config = TelemetryConfig { timeout_seconds: f64::INFINITY, ..config() };
    assert!(config.check().unwrap_err().contains("telemetry.timeout_seconds"));
}
