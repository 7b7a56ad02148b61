//! `config check`.

use super::{bad, good, run, understudy};
use serde_json::{Value, json};

#[test]
fn config_check_reports_every_fault_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let (file, data) = (dir.path().join("my.toml"), dir.path().join("data"));
    let text = r#"
[server]
listn = "0.0.0.0:80"
workers = "many"
[limits]
json_bytes = 0
form_files = -1
[auth]
failures_minutes = 0
[runs]
stream_ttl_hours = nan
[cors]
origins = ["*"]
[web]
allow = ["not a host", "10.0.0.0/8", "another wrong one"]
[models]
default = "absent/model"
[[providers]]
name = "Upper"
base_url = "https://a.example/v1"
[[providers]]
name = "b"
base_url = "https://b.example/v1"
api_key = "env:NOPE"
"#;
    std::fs::write(&file, text).unwrap();
    let check = |more: &[&str]| {
        let mut command = understudy(&data);
        command.args(["config", "check", "--config"]).arg(&file).args(more);
        command.env("UNDERSTUDY_AUTH__REFRESH_DAYS", "5000").env("UNDERSTUDY_SECRETS_KEY", "short");
        command
            .env("UNDERSTUDY_ADMIN_PASSWORD", "short")
            .env("UNDERSTUDY_LOG__LEVL", "info")
            .output()
            .unwrap()
    };
    let said = bad(&check(&[]), 2);
    for named in [
        "there is no setting `server.listn`; did you mean `listen`?",
        "server.workers: ",
        "limits.json_bytes must be at least 1",
        "limits.form_files: ",
        "auth.failures_minutes must be at least 1",
        "auth.refresh_days must be",
        "runs.stream_ttl_hours must be",
        "cors.origins",
        "web.allow: `not a host`",
        "web.allow: `another wrong one`",
        "models.default \"absent/model\": there is no such provider",
        "provider \"Upper\"",
        "provider \"b\": api_key = \"env:NOPE\"",
        "UNDERSTUDY_SECRETS_KEY: ",
        "UNDERSTUDY_ADMIN_PASSWORD must have at least 12 characters",
        "environment: there is no setting `log.levl`",
    ] {
        assert!(said.contains(named), "{named} is not in:\n{said}");
    }
    assert!(said.lines().all(|line| line.starts_with("understudy: ")), "{said}");
    let output = check(&["--json"]);
    assert_eq!(output.status.code(), Some(2));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["valid"], false);
    assert_eq!(told["errors"].as_array().unwrap().len(), said.lines().count());
    assert!(!data.exists(), "nothing was made");
}

#[test]
fn config_check_accepts_the_defaults_and_names_an_unreadable_file() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    assert_eq!(good(&run(&data, &["config", "check"])), "the configuration is valid\n");
    let told: Value = serde_json::from_str(&good(&run(&data, &["config", "check", "--json"]))).unwrap();
    assert_eq!(told, json!({"valid": true, "errors": []}));
    let said = bad(&run(&data, &["config", "check", "--config", "/nonexistent/my.toml"]), 2);
    assert!(said.contains("cannot read /nonexistent/my.toml"), "{said}");
    let file = dir.path().join("my.toml");
    std::fs::write(&file, "[server\n").unwrap();
    let said = bad(&run(&data, &["config", "check", "--config", file.to_str().unwrap()]), 2);
    assert!(said.contains("my.toml"), "{said}");
    assert!(!data.exists(), "nothing was made");
}

#[test]
fn help_documents_the_exit_codes() {
    let dir = tempfile::tempdir().unwrap();
    let help = good(&run(dir.path(), &["--help"]));
    assert!(help.contains("Exit codes:") && help.contains("trying again does not help"), "{help}");
}
