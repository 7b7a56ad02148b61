//! Settings of tool servers that assistants connect to.

use std::collections::BTreeMap;
use std::time::Duration;

use assist::connections::ToolClientSettings;
use assist::tool_servers::ToolServersConfig as Settings;
use providers::Secret;
use providers::mcp::McpLimits;
use providers::web::host_of;
use serde::Deserialize;

use super::external::{client, is_safe};

/// A hundred years in seconds: practically no limit, and still a number that can be added to a time.
const MAX_SECONDS: f64 = 100.0 * 365.0 * 86_400.0;

/// Limits for tool servers.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolServersConfig {
    /// The time limit for connecting, and for the list of tools, in seconds.
    pub connect_s: f64,
    /// The time limit for a call that reports no progress, in seconds.
    pub call_timeout_s: f64,
    /// The total time limit for a call, in seconds, regardless of its progress reports.
    pub longest_call_s: f64,
    /// The maximum number of tools that are used from one server.
    pub tools: usize,
    /// The maximum size of a call's result that is passed on to the model, in KiB.
    pub result_kib: usize,
    /// The maximum size of one response that is read, in MiB.
    pub answer_mib: u64,
    /// The time for which a server's list of tools is cached, in seconds.
    pub list_kept_s: f64,
    /// The time for which a server that did not respond is not contacted, in seconds.
    pub failure_kept_s: f64,
    /// Registrations of this server at authorization servers of tool servers, by issuer.
    pub clients: BTreeMap<String, ToolServerClient>,
}

/// A client that an operator has registered at an authorization server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolServerClient {
    pub client_id: String,
    /// The client secret, or `env:NAME` to read it from the environment; public clients have none.
    pub client_secret: Option<Secret>,
    /// The hosts of the tool servers that the client is used for: `mcp.example.org`, `mcp.example.org:8443`.
    pub hosts: Vec<String>,
}

impl Default for ToolServersConfig {
    fn default() -> Self {
        Self {
            connect_s: 5.0,
            call_timeout_s: 60.0,
            longest_call_s: 600.0,
            tools: 200,
            result_kib: 128,
            answer_mib: 8,
            list_kept_s: 300.0,
            failure_kept_s: 15.0,
            clients: BTreeMap::new(),
        }
    }
}

impl ToolServersConfig {
    pub fn check(&self) -> Result<(), String> {
        let spans = [
            ("connect_s", self.connect_s, 0.1),
            ("call_timeout_s", self.call_timeout_s, 0.1),
            ("longest_call_s", self.longest_call_s, 0.1),
            ("list_kept_s", self.list_kept_s, 0.0),
            ("failure_kept_s", self.failure_kept_s, 0.0),
        ];
        if let Some((name, _, least)) =
            spans.iter().find(|(_, value, least)| !(*least..=MAX_SECONDS).contains(value))
        {
            return Err(format!("tool_servers.{name} must be a number of seconds, at least {least}"));
        }
        for (issuer, client) in &self.clients {
            if !is_safe(issuer) {
                let must = "an issuer must begin with https://, or with http:// on this machine";
                return Err(format!("tool_servers.clients.{issuer:?}: {must}"));
            }
            if client.client_id.trim().is_empty() {
                return Err(format!("tool_servers.clients.{issuer:?}.client_id is empty"));
            }
            if client.hosts.is_empty() {
                return Err(format!("tool_servers.clients.{issuer:?}.hosts names no tool server"));
            }
            if let Some(host) = client.hosts.iter().find(|host| plain_host(host).is_none()) {
                return Err(format!("tool_servers.clients.{issuer:?}.hosts: `{host}` is not a valid host"));
            }
        }
        let sizes = [
            ("tools", self.tools, 1_000),
            ("result_kib", self.result_kib, 16 << 10),
            ("answer_mib", usize::try_from(self.answer_mib).unwrap_or(usize::MAX), 1 << 10),
        ];
        match sizes.iter().find(|(_, value, most)| !(1..=*most).contains(value)) {
            Some((name, _, most)) => Err(format!("tool_servers.{name} must be 1 to {most}")),
            None => Ok(()),
        }
    }

    /// The clients in the form that logins take. `lookup` reads the environment.
    pub(super) fn clients(
        &self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<BTreeMap<String, ToolClientSettings>, String> {
        let read = |(issuer, it): (&String, &ToolServerClient)| {
            let key = format!("tool_servers.clients.{issuer:?}.client_secret");
            let client = client(&key, &it.client_id, it.client_secret.as_ref(), lookup)?;
            let hosts = it.hosts.iter().filter_map(|host| plain_host(host)).collect();
            Ok((issuer.clone(), ToolClientSettings { client, hosts }))
        };
        self.clients.iter().map(read).collect()
    }

    /// The settings in the form that runs take.
    pub fn settings(&self) -> Settings {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Settings {
            limits: McpLimits {
                connect: seconds(self.connect_s),
                call: seconds(self.call_timeout_s),
                longest: seconds(self.longest_call_s.max(self.call_timeout_s)),
                tools: self.tools,
                result_bytes: self.result_kib << 10,
                answer_bytes: self.answer_mib << 20,
            },
            list_kept: seconds(self.list_kept_s),
            failure_kept: seconds(self.failure_kept_s),
        }
    }
}

/// Normalizes a host with an optional port for comparison with the hosts of URLs; `None` if the text contains anything
/// else.
pub fn plain_host(host: &str) -> Option<String> {
    let bare = !host.is_empty() && !host.contains(['/', '@', '?', '#', '\\', ' ']);
    host_of(&format!("https://{host}")).filter(|_| bare)
}
