//! Compares the table of metrics with the code, the documentation, a live server and the alert rules.

mod exposition;

use crate::api::gateway::{V1, asking};
use crate::api::streams::reading::{ask_words, conversation};
use crate::harness::fake_provider::FakeProvider;
use crate::harness::{TestServer, until};
use exposition::{Family, families, value};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use telemetry::metrics::{ALL, Definition, Type, table::IDS};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}

#[test]
fn metrics_are_declared_in_the_table_and_emitted() {
    let mut code = String::new();
    for folder in ["src", "actors", "storage/src", "providers/src", "knowledge/src", "sandbox/src"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut code);
    }
    for call in ["counter!(", "gauge!(", "histogram!("] {
        assert!(!code.contains(call), "`{call}` emits a metric that the table does not declare");
    }
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("telemetry/src/export"), &mut code);
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let silent: Vec<_> = IDS.iter().filter(|id| !words.contains(**id)).collect();
    assert!(silent.is_empty(), "declared, but never emitted: {silent:?}");
}

#[test]
fn metrics_follow_the_conventions() {
    let mut names = BTreeSet::new();
    for metric in ALL {
        let name = metric.name;
        assert!(names.insert(name), "{name} is declared twice");
        assert!(name.starts_with("understudy_"), "{name}");
        assert!(metric.help.ends_with('.') && metric.help.len() > 20, "{name}: {}", metric.help);
        assert_eq!(name.ends_with("_total"), metric.kind == Type::Counter, "{name}");
        assert_eq!(metric.unit == "s", name.ends_with("_seconds"), "{name}");
        assert_eq!(metric.unit == "By", name.ends_with("_bytes"), "{name}");
        assert_eq!(metric.buckets.is_empty(), metric.kind != Type::Histogram, "{name}");
        // Ids of people and objects would make the number of series grow without limit.
        for label in metric.labels {
            assert!(!label.ends_with("id") && !["user", "tenant", "path"].contains(label), "{name}: {label}");
        }
    }
}

#[test]
fn metrics_are_documented() {
    let text = read("docs/metrics.md");
    let (_, rest) = text.split_once("<!-- metrics -->\n").expect("the beginning of the table");
    let (documented, _) = rest.split_once("<!-- /metrics -->").expect("the end of the table");
    let row = |metric: &&Definition| {
        let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        let labels = if labels.is_empty() { "none".to_owned() } else { labels.join(", ") };
        let Definition { name, kind, unit, help, .. } = metric;
        format!("| `{name}` | {} | {unit} | {labels} | {help} |\n", kind.as_str())
    };
    let head = "| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n";
    let declared: String = std::iter::once(head.to_owned()).chain(ALL.iter().map(row)).collect();
    assert_eq!(
        documented, declared,
        "docs/metrics.md differs from the table in telemetry/src/metrics/table.rs"
    );
}

/// The declaration of a series name, which may have the suffix of a histogram.
fn declared(name: &str) -> Option<&'static Definition> {
    let of = |name: &str| ALL.iter().copied().find(|metric| metric.name == name);
    let suffixes = ["_bucket", "_sum", "_count"];
    of(name).or_else(|| {
        let base = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix))?;
        of(base).filter(|metric| metric.kind == Type::Histogram)
    })
}

#[test]
fn alert_rules_use_metrics_and_labels_that_exist() {
    let rules = read("docs/examples/alerts.yml");
    let tests = read("docs/examples/alerts.test.yml");
    // Labels that Prometheus adds.
    let added = ["instance", "job", "le"];
    let mut used = BTreeSet::new();
    for text in [&rules, &tests] {
        let mut rest = text.as_str();
        while let Some(at) = rest.find("understudy_") {
            rest = &rest[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let metric = declared(&rest[..end]).unwrap_or_else(|| panic!("no metric {}", &rest[..end]));
            used.insert(metric.name);
            rest = &rest[end..];
            let Some(selector) = rest.strip_prefix('{').and_then(|rest| rest.split('}').next()) else {
                continue;
            };
            for label in selector.split("\", ").flat_map(|pair| pair.split(['=', '!']).next()) {
                let label = label.trim().trim_start_matches(',').trim();
                assert!(
                    metric.labels.contains(&label) || added.contains(&label),
                    "{} has no label {label:?}",
                    metric.name
                );
            }
        }
    }
    assert!(used.len() > 10, "only {used:?}");
    // Every rule has a test, and every grouping names labels that some metric has.
    let labels: BTreeSet<&str> = ALL.iter().flat_map(|metric| metric.labels).copied().chain(added).collect();
    for line in rules.lines() {
        if let Some(alert) = line.trim().strip_prefix("- alert: ") {
            assert!(
                tests.contains(&format!("alertname: {alert}\n")),
                "{alert} has no test in alerts.test.yml"
            );
        }
        for group in line.split("by (").skip(1).filter_map(|rest| rest.split(')').next()) {
            for label in group.split(", ") {
                assert!(labels.contains(label), "{line}: no metric has the label {label:?}");
            }
        }
    }
}

/// A server whose provider has a unique name, so that the provider's series belong to this test.
async fn metered(name: &'static str) -> (TestServer, FakeProvider) {
    let provider = FakeProvider::start().await;
    let mut config = provider.impatient();
    config.name = name.to_owned();
    let server = TestServer::start_with(move |settings| settings.providers.push(config)).await;
    (server, provider)
}

async fn scrape(server: &TestServer) -> Vec<Family> {
    families(&server.anonymous().get("/metrics").await.expect(200).text())
}

#[tokio::test]
async fn metrics_of_a_live_server_match_the_table() {
    let (server, _provider) = metered("listed").await;
    let user = server.user();
    let conversation = conversation(&user).await;
    ask_words(&user, &conversation, 3, 0).await.rest().await;
    user.post(&format!("{V1}/chat/completions"), asking("listed/echo", "one two three")).await.ok();
    server.settled().await;
    let families = scrape(&server).await;
    for family in &families {
        let metric = ALL.iter().find(|metric| metric.name == family.name);
        let metric = metric.unwrap_or_else(|| panic!("{} is emitted, but missing in the table", family.name));
        assert_eq!(family.kind, metric.kind.as_str(), "{}", family.name);
        assert_eq!(family.help, metric.help, "{}", family.name);
        for sample in &family.samples {
            let labels: BTreeSet<&str> =
                sample.labels.iter().map(|(name, _)| &**name).filter(|name| *name != "le").collect();
            assert_eq!(labels, metric.labels.iter().copied().collect(), "{}", sample.name);
        }
    }
    // Metrics without labels exist from the start.
    for metric in ALL.iter().filter(|metric| metric.labels.is_empty() && metric.kind != Type::Histogram) {
        assert!(families.iter().any(|family| family.name == metric.name), "{} is missing", metric.name);
    }
    let positive = ["understudy_disk_free_bytes", "understudy_disk_used_bytes", "understudy_store_bytes"];
    for name in positive.into_iter().chain(["understudy_store_healthy", "understudy_uptime_seconds"]) {
        assert!(value(&families, name, &[]).unwrap_or_default() > 0.0, "{name}");
    }
}

#[tokio::test]
async fn metrics_count_requests_by_operation_and_route() {
    let server = TestServer::start().await;
    server.user().get("/api/users/me").await.ok();
    server.user().get("/api/conversations/00000000-0000-0000-0000-000000000001").await.not_found();
    server.anonymous().get("/api/no-such-thing").await.expect(404);
    let count = async |operation: &str, method: &str, route: &str, status: &str| {
        let labels = [("operation", operation), ("method", method), ("route", route), ("status", status)];
        value(&scrape(&server).await, "understudy_http_requests_total", &labels).unwrap_or_default()
    };
    assert!(count("users.get_current_user", "GET", "/api/users/me", "2xx").await >= 1.0);
    assert!(count("none", "any", "none", "4xx").await >= 1.0);
    // A path with an id is counted under its template, so that ids do not create series.
    let text = server.anonymous().get("/metrics").await.text();
    assert!(text.contains("route=\"/api/conversations/{conversation_id}\""), "{text}");
    assert!(!text.contains("00000000-0000-0000-0000-000000000001"), "an id is used as a label");
    assert!(!text.contains("no-such-thing"), "an unknown path is used as a label");
    let metrics_off = |config: &mut understudy::Config| {
        config.server.metrics = understudy::config::MetricsAccess::Off;
    };
    let off = server.restart_with(metrics_off).await;
    off.anonymous().get("/metrics").await.problem(404, "route_not_found");
}

#[tokio::test]
async fn metrics_count_runs_models_and_tokens() {
    let (server, provider) = metered("metered").await;
    let user = server.user();
    let ask = async |model: &str, text: &str| {
        user.post(&format!("{V1}/chat/completions"), asking(&format!("metered/{model}"), text)).await
    };
    let before = scrape(&server).await;
    ask("echo", "one two three").await.ok();
    ask("refuse", "no").await.expect(400);
    ask("rubbish", "what").await;
    server.settled().await;
    let of = |families: &[Family], name: &str, labels: &[(&str, &str)]| {
        value(families, name, labels).unwrap_or_default()
    };
    let mut after = Vec::new();
    // A run is counted after its end is durable, possibly after a reader has seen the end. The gauges of providers
    // belong to the server that was scraped last, possibly by another test in this process.
    until("the runs and the provider are counted", async || {
        after = scrape(&server).await;
        let failed = |families: &[Family]| {
            of(families, "understudy_runs_ended_total", &[("kind", "completion"), ("outcome", "failed")])
        };
        let state = |state: &str| {
            of(&after, "understudy_provider_state", &[("provider", "metered"), ("state", state)])
        };
        let states = ["up", "degraded", "down", "unknown"].map(state).iter().sum::<f64>();
        failed(&after) >= failed(&before) + 2.0 && states == 1.0
    })
    .await;
    let calls = |outcome: &str, model: &str| {
        let labels = [("provider", "metered"), ("model", model), ("outcome", outcome)];
        of(&after, "understudy_model_calls_total", &labels)
    };
    assert_eq!(calls("ok", "metered/echo"), 1.0);
    assert_eq!(calls("upstream_refused", "metered/refuse"), 1.0);
    assert_eq!(calls("upstream_protocol", "metered/rubbish"), 1.0);
    let tokens = |kind: &str| {
        let labels = [("provider", "metered"), ("model", "metered/echo"), ("type", kind)];
        of(&after, "understudy_model_tokens_total", &labels)
    };
    assert!(tokens("input") > 0.0 && tokens("output") > 0.0);
    let labels = [("provider", "metered"), ("model", "metered/echo")];
    assert_eq!(of(&after, "understudy_model_call_duration_seconds_count", &labels), 1.0);
    assert_eq!(of(&after, "understudy_model_first_piece_seconds_count", &labels), 1.0);
    // Other tests in this process are counted here as well.
    let grown = |name: &str, labels: &[(&str, &str)]| of(&after, name, labels) - of(&before, name, labels);
    let ended =
        |outcome| grown("understudy_runs_ended_total", &[("kind", "completion"), ("outcome", outcome)]);
    assert!(ended("succeeded") >= 1.0 && ended("failed") >= 2.0);
    assert!(grown("understudy_runs_started_total", &[("kind", "completion")]) >= 3.0);
    assert!(grown("understudy_run_duration_seconds_count", &[("kind", "completion")]) >= 3.0);
    drop(provider);
}

#[tokio::test]
async fn metrics_count_refusals_and_open_streams() {
    let server = TestServer::start_with(|config| config.auth.failures_per_account = 2).await;
    let before = scrape(&server).await;
    let login = json!({"email": "unknown@example.org", "password": "wrong-wrong-wrong"});
    for _ in 0..2 {
        server.anonymous().post("/api/auth/login/", login.clone()).await.problem(401, "login_failed");
    }
    server.anonymous().post("/api/auth/login/", login).await.problem(429, "login_throttled");
    server.client("no-token-of-ours").get("/api/users/me").await.expect(401);
    let grown = async |name: &str, labels: &[(&str, &str)]| {
        let now = value(&scrape(&server).await, name, labels).unwrap_or_default();
        now - value(&before, name, labels).unwrap_or_default()
    };
    assert!(grown("understudy_logins_refused_total", &[("reason", "login_failed")]).await >= 2.0);
    assert!(grown("understudy_logins_refused_total", &[("reason", "login_throttled")]).await >= 1.0);
    assert!(grown("understudy_limit_refusals_total", &[("code", "login_throttled")]).await >= 1.0);
    let refused = scrape(&server).await;
    let refused = refused.iter().find(|family| family.name == "understudy_credentials_refused_total");
    assert!(refused.is_some_and(|family| !family.samples.is_empty()));

    let user = server.user();
    let conversation = conversation(&user).await;
    let mut stream = ask_words(&user, &conversation, 400, 20).await;
    stream.frame().await;
    let open = async || {
        let families = scrape(&server).await;
        let live = [("kind", "completion"), ("state", "running")];
        value(&families, "understudy_streams_open", &[("kind", "run")]).unwrap_or_default() >= 1.0
            && value(&families, "understudy_runs_live", &live).unwrap_or_default() >= 1.0
    };
    until("the stream and its run are counted", open).await;
}
