use providers::Secret;
use understudy::parts::config::{ExternalServiceConfig, client, origin_of};

fn read(text: &str) -> Result<(), String> {
    let config: ExternalServiceConfig = toml::from_str(text).map_err(|why| why.to_string())?;
    assert!(!format!("{config:?}").contains("hush"), "the secret shows");
    config.check("tracker")
}

#[test]
fn check_validates_services() {
    let id = "client_id = \"a\"\n";
    assert_eq!(read(&format!("{id}issuer = \"https://id.example\"\nclient_secret = \"hush\"")), Ok(()));
    assert_eq!(read(&format!("{id}issuer = \"http://localhost:9000\"")), Ok(()));
    let both = "authorization_endpoint = \"https://x.example/a\"\ntoken_endpoint = \"https://x.example/t\"\n";
    assert_eq!(read(&format!("{id}{both}")), Ok(()));
    let hosts = "issuer = \"https://id.example\"\nhosts = [\"api.example\", \"http://10.0.0.5:8080\"]";
    assert_eq!(read(&format!("{id}{hosts}")), Ok(()));
    for wrong in [
        String::new(),
        "issuer = \"https://id.example\"".to_owned(),
        id.to_owned(),
        format!("{id}issuer = \"http://id.example\""),
        format!("{id}issuer = \"http://localhost.example\""),
        format!("{id}issuer = \"https://\""),
        format!("{id}{both}issuer = \"https://id.example\""),
        format!("{id}token_endpoint = \"https://x.example/t\""),
        format!("{id}issuer = \"https://id.example\"\nunknown = 1"),
        format!("{id}issuer = \"https://id.example\"\nhosts = [\"api.example/path\"]"),
        format!("{id}issuer = \"https://id.example\"\nuserinfo_endpoint = \"http://id.example/me\""),
        "client_id = \" \"\nissuer = \"https://id.example\"".to_owned(),
    ] {
        assert!(read(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn client_reads_secrets_from_the_environment_or_fails() {
    let secret = |text: &str| Secret::from(text);
    let lookup = |name: &str| (name == "THERE").then(|| "hush".to_owned());
    let read = |text: &str| client("key", "id", Some(&secret(text)), &lookup);
    assert_eq!(read("env:THERE").unwrap().secret.unwrap().expose(), "hush");
    assert_eq!(read("plain").unwrap().secret.unwrap().expose(), "plain");
    assert_eq!(read("env:MISSING").unwrap_err(), "key: the variable MISSING is not set");
    assert!(client("key", "id", None, &lookup).unwrap().secret.is_none());
}

#[test]
fn origin_of_includes_the_scheme() {
    assert_eq!(origin_of("api.example").as_deref(), Some("https://api.example"));
    assert_eq!(origin_of("API.example:443").as_deref(), Some("https://api.example"));
    assert_eq!(origin_of("http://10.0.0.5:8080").as_deref(), Some("http://10.0.0.5:8080"));
    for wrong in ["", "a b", "ftp://x", "x/y", "user@x", "x?y"] {
        assert_eq!(origin_of(wrong), None, "{wrong}");
    }
}
