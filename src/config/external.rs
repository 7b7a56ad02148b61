//! Services at which users log in by OAuth.

use providers::Secret;
use serde::Deserialize;

/// A service at which users log in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalServiceConfig {
    /// The name shown; else the name of the table.
    pub display_name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Where its endpoints are found out; or else both of them are named.
    pub issuer: Option<String>,
    /// Where users log in.
    pub authorization_endpoint: Option<String>,
    /// Where tokens are fetched.
    pub token_endpoint: Option<String>,
    /// Where tokens are given back.
    pub revocation_endpoint: Option<String>,
    /// As what this server is known there.
    pub client_id: String,
    /// Its password there, or `env:NAME` to read it from the environment; public clients have none.
    pub client_secret: Option<Secret>,
    /// What users are asked to allow.
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl ExternalServiceConfig {
    pub(super) fn check(&self, name: &str) -> Result<(), String> {
        let key = format!("external_services.{name}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 63 || !name.chars().all(plain) {
            return Err(format!(
                "{key}: names are made of lower-case letters, digits, `-` and `_`, 63 at most"
            ));
        }
        match (&self.issuer, &self.authorization_endpoint, &self.token_endpoint) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => {}
            _ => {
                return Err(format!(
                    "{key} needs `issuer`, or `authorization_endpoint` and `token_endpoint`"
                ));
            }
        }
        let addresses = [
            ("issuer", &self.issuer),
            ("authorization_endpoint", &self.authorization_endpoint),
            ("token_endpoint", &self.token_endpoint),
            ("revocation_endpoint", &self.revocation_endpoint),
        ];
        for (field, address) in addresses {
            if address.as_deref().is_some_and(|address| !is_safe(address)) {
                return Err(format!(
                    "{key}.{field} must begin with https://, or with http:// on this machine"
                ));
            }
        }
        match self.client_id.trim().is_empty() {
            true => Err(format!("{key}.client_id is empty")),
            false => Ok(()),
        }
    }
}

/// Passwords go there, so nobody on the way may read along.
fn is_safe(address: &str) -> bool {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = |start: &str| {
        address.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    };
    address.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        || local.into_iter().any(is_local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(), String> {
        let config: ExternalServiceConfig =
            figment::Figment::from(<figment::providers::Toml as figment::providers::Format>::string(text))
                .extract()
                .map_err(|why| why.to_string())?;
        assert!(!format!("{config:?}").contains("hush"), "the secret shows");
        config.check("tracker")
    }

    #[test]
    fn services_are_checked() {
        let id = "client_id = \"a\"\n";
        assert_eq!(read(&format!("{id}issuer = \"https://id.example\"\nclient_secret = \"hush\"")), Ok(()));
        assert_eq!(read(&format!("{id}issuer = \"http://localhost:9000\"")), Ok(()));
        let both =
            "authorization_endpoint = \"https://x.example/a\"\ntoken_endpoint = \"https://x.example/t\"\n";
        assert_eq!(read(&format!("{id}{both}")), Ok(()));
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
            "client_id = \" \"\nissuer = \"https://id.example\"".to_owned(),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
