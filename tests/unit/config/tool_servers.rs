use std::collections::BTreeMap;
use understudy::parts::config::{ToolServerClient, ToolServersConfig, plain_host};

#[test]
fn check_validates_the_hosts_of_clients() {
    let check = |hosts: &[&str]| {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let client = ToolServerClient { client_id: "a".into(), client_secret: None, hosts };
        let clients = BTreeMap::from([("https://id.example".to_owned(), client)]);
        ToolServersConfig { clients, ..ToolServersConfig::default() }.check()
    };
    assert_eq!(check(&["mcp.example", "mcp.example:8443", "[::1]:80"]), Ok(()));
    for hosts in [&[] as &[&str], &[""], &["https://mcp.example"], &["mcp.example/mcp"], &["a b"]] {
        assert!(check(hosts).is_err(), "{hosts:?}");
    }
    assert_eq!(plain_host("MCP.Example:443").as_deref(), Some("mcp.example"));
    assert!(serde_json::from_str::<ToolServerClient>(r#"{"client_id": "a"}"#).is_err());
}
