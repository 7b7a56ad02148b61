use super::*;

fn host(kind: ProviderKind, base_url: &str, key: Option<&str>, headers: &[(&str, &str)]) -> Arc<Host> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    }
    let base_url = crate::config::base_url(base_url).unwrap();
    let provider = CheckedProvider::new("acme", base_url);
    Arc::new(Host::new(CheckedProvider { kind, api_key: key.map(str::to_owned), headers: map, ..provider }))
}

fn open(base_url: &str, key: Option<&str>) -> Arc<Host> {
    host(ProviderKind::Openai, base_url, key, &[])
}

fn keys(key: &str) -> Keys {
    Keys::new([("acme".to_owned(), Secret::from(key))].into(), Default::default())
}

fn sent(line: &Line, name: &str) -> Option<String> {
    Some(line.headers().get(name)?.to_str().unwrap().to_owned())
}

#[test]
fn host_url_appends_the_path_and_preserves_the_query() {
    assert_eq!(open("http://x/v1/", None).url("a/b").as_str(), "http://x/v1/a/b");
    assert_eq!(open("http://x", None).url("models").as_str(), "http://x/models");
    let azure = open("https://x/openai?api-version=2", None);
    assert_eq!(azure.url("chat").as_str(), "https://x/openai/chat?api-version=2");
}

#[test]
fn host_client_can_be_built_for_both_schemes() {
    assert!(open("http://x/v1", None).client().is_ok());
    // Without certificates the result is an error; a missing crypto provider would be a panic.
    let _ = open("https://x/v1", None).client().map(drop);
}

#[test]
fn is_loopback_recognizes_this_machine() {
    for local in ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"] {
        assert!(open(local, None).local, "{local}");
    }
    assert!(!open("http://localhost.example/v1", None).local);
}

#[test]
fn error_messages_contain_no_keys() {
    let host = open("http://x/v1", Some("hunter2-key"));
    for (line, key) in
        [(host.line(&Keys::default()), "hunter2-key"), (host.line(&keys("tenant-9")), "tenant-9")]
    {
        let line = line.unwrap();
        let error =
            line.reported(format!("{{\"message\":\"bad {key}\",\"type\":\"auth_error\"}}").as_bytes());
        assert_eq!(error.kind, ProviderErrorKind::Auth);
        assert_eq!(line.cleaned(error).message, "acme: bad [key removed]");
        let padding = "x".repeat(195);
        let rubbish = line.rubbish(format!("{padding}{key}").as_bytes());
        assert!(!rubbish.message.contains(&key[..5]), "{}", rubbish.message);
        let debug = format!("{:?}", line.headers());
        assert!(!debug.contains(key), "{debug}");
    }
}

#[test]
fn host_sends_the_key_in_the_header_of_its_kind() {
    for (kind, name, value) in [
        (ProviderKind::Openai, "authorization", "Bearer k-1"),
        (ProviderKind::Anthropic, "x-api-key", "k-1"),
        (ProviderKind::Gemini, "x-goog-api-key", "k-1"),
    ] {
        let line = host(kind, "http://x/v1", Some("k-1"), &[]).line(&Keys::default()).unwrap();
        assert_eq!(sent(&line, name).as_deref(), Some(value));
        let versioned = sent(&line, "anthropic-version").is_some();
        assert_eq!(versioned, kind == ProviderKind::Anthropic);
    }
}

#[test]
fn line_with_an_own_key_sends_no_other_key() {
    let configured = [("authorization", "Bearer c-1"), ("x-api-key", "c-2"), ("api-key", "c-3")];
    for (kind, headers, name, value) in [
        (ProviderKind::Openai, &configured[..], "authorization", "Bearer own"),
        (ProviderKind::Openai, &configured[2..], "api-key", "own"),
        (ProviderKind::Anthropic, &configured[..], "x-api-key", "own"),
    ] {
        let line = host(kind, "http://x/v1", None, headers).line(&keys("own")).unwrap();
        assert_eq!(sent(&line, name).as_deref(), Some(value));
        let shown: Vec<_> = line.headers().values().map(|v| v.to_str().unwrap().to_owned()).collect();
        assert!(!shown.iter().any(|value| value.contains("c-")), "{shown:?}");
    }
    let another = Keys::new([("other".to_owned(), Secret::from("own"))].into(), Default::default());
    let line = host(ProviderKind::Openai, "http://x/v1", Some("c-4"), &[]).line(&another).unwrap();
    assert_eq!(sent(&line, "authorization").as_deref(), Some("Bearer c-4"));
}

#[test]
fn line_returns_an_error_without_a_required_key() {
    let refused = |host: &Arc<Host>, keys: &Keys| host.line(keys).err().map(|error| error.kind);
    for (kind, url) in [
        (ProviderKind::Anthropic, "http://x/v1"),
        (ProviderKind::Gemini, "http://x/v1"),
        (ProviderKind::Openai, "https://api.openai.com/v1"),
    ] {
        let keyless = host(kind, url, None, &[]);
        assert_eq!(refused(&keyless, &Keys::default()), Some(ProviderErrorKind::Auth));
        assert_eq!(refused(&keyless, &keys("own")), None);
        assert_eq!(refused(&keyless, &keys("o\nwn")), Some(ProviderErrorKind::Auth));
        assert_eq!(refused(&host(kind, url, Some("c"), &[]), &Keys::default()), None);
        assert_eq!(refused(&host(kind, url, None, &[("authorization", "x")]), &Keys::default()), None);
    }
    assert_eq!(refused(&open("http://localhost:8000/v1", None), &Keys::default()), None);
}
