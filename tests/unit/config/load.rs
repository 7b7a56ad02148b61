use understudy::Config;

fn load(text: &str) -> Result<Config, String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("my.toml");
    std::fs::write(&file, text).unwrap();
    Config::load(Some(&file)).map_err(|error| error.to_string().replace(dir.path().to_str().unwrap(), ""))
}

#[test]
fn default_file_is_complete() {
    let config = Config::default();
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.auth.access().as_secs(), 900);
    assert!(config.providers.is_empty());
}

#[test]
fn load_overrides_the_keys_in_the_file() {
    let config = load("[server]\nlisten = \"0.0.0.0:9\"\n[[providers]]\nname = \"x\"\nkind = \"openai\"\nbase_url = \"http://x/v1\"").unwrap();
    assert_eq!((config.server.listen.port(), config.limits.json_bytes), (9, 2 << 20));
    assert_eq!(config.providers().providers[0].name, "x");
}

#[test]
fn load_refuses_and_names_a_misspelt_key() {
    assert_eq!(
        load("[server]\nlistn = \"0.0.0.0:9\"").unwrap_err(),
        "/my.toml: there is no setting `server.listn`; did you mean `listen`?"
    );
    assert_eq!(
        load("[sever]\nlisten = \"0.0.0.0:9\"").unwrap_err(),
        "/my.toml: there is no setting `sever`; did you mean `server`?"
    );
    let error = load("[[providers]]\nname = \"x\"\nkind = \"openai\"\nbase_urll = \"http://x\"").unwrap_err();
    assert!(error.contains("base_urll"), "{error}");
}

#[test]
fn load_names_a_wrong_value() {
    let error = load("[auth]\naccess_minutes = \"long\"").unwrap_err();
    assert!(error.contains("auth.access_minutes"), "{error}");
    assert!(load("[auth]\naccess_minutes = 0").unwrap_err().contains("auth.access_minutes"));
    assert!(load("[blobs]\nkind = \"s3\"").unwrap_err().contains("blobs.bucket"));
    assert!(load("[cors]\norigins = [\"*\"]").unwrap_err().contains("cors.origins"));
    assert!(load("[server").unwrap_err().contains("my.toml"));
}

#[test]
fn load_refuses_non_finite_and_excessive_durations() {
    for wrong in ["[runs]\nstream_ttl_hours = nan", "[runs]\nchat_ttl_minutes = inf"] {
        assert!(load(wrong).unwrap_err().contains("must be a finite number"), "{wrong}");
    }
    for wrong in [
        "[runs]\nstream_ttl_hours = -1.0",
        "[auth]\nimpersonation_hours = 9223372036854775807",
        "[limits]\nbody_seconds = 9223372036854775807",
    ] {
        assert!(load(wrong).unwrap_err().contains("a hundred years"), "{wrong}");
    }
}

#[test]
fn cookie_same_site_none_requires_https_and_origins() {
    let none = "[auth]\ncookie_same_site = \"none\"\n";
    let url = "[server]\npublic_url = \"https://example.org\"\n";
    let origins = "[cors]\norigins = [\"https://app.example.com\"]\n";
    for lacking in [none.to_owned(), format!("{none}{url}"), format!("{none}{origins}")] {
        assert!(load(&lacking).unwrap_err().contains("auth.cookie_same_site"), "{lacking}");
    }
    load(&format!("{none}{url}{origins}")).unwrap();
    assert!(load("[auth]\ncookie_same_site = \"strict\"").unwrap_err().contains("cookie_same_site"));
}

#[test]
fn directories_hosts_must_be_valid() {
    load("[directories]\nhosts = [\"public\", \"*.corp.example\", \"10.0.0.0/8\", \"ldap.local:636\"]")
        .unwrap();
    assert!(load("[directories]\nhosts = [\"http://ldap\"]").unwrap_err().contains("directories.hosts"));
}

#[test]
fn mail_requires_a_sender_and_a_public_url() {
    let mail = "[mail]\nurl = \"smtp://a:hunter22@mail.example.org\"\n";
    let from = "from = \"a@example.org\"\n";
    assert!(load(mail).unwrap_err().contains("mail.from"));
    assert!(load(&format!("{mail}{from}")).unwrap_err().contains("server.public_url"));
    let config = load(&format!("{mail}{from}[server]\npublic_url = \"https://example.org\"")).unwrap();
    assert!(!format!("{config:?}").contains("hunter22"));
    assert!(load("[mail]\nseconds = 0.0").unwrap_err().contains("mail.seconds"));
    assert!(load("[mail]\njoin_url = \"ftp://x\"").unwrap_err().contains("mail.join_url"));
}

#[test]
fn load_reports_all_faults_at_once() {
    let error = load(
        "[server]\nlistn = 1\n[auth]\naccess_minutes = \"long\"\nrefresh_days = []\n[[providers]]\nkind = 1",
    )
    .unwrap_err();
    for key in ["server.listn", "auth.access_minutes", "auth.refresh_days", "providers.0.kind"] {
        assert!(error.contains(key), "{key}: {error}");
    }
    assert_eq!(error.lines().count(), 5, "{error}");
    assert!(error.contains("/my.toml: the setting `providers.0.name` is missing"), "{error}");
}
