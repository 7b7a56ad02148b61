//! Where a load goes: all subjects are asked the same, in the terms of the OpenAI interface.

use std::net::SocketAddr;

use crate::Ask;
use crate::server::request;

/// Where this server has that interface.
const GATEWAY: &str = "/api/chat/partner_compatible/v1/chat/completions";

pub struct Target {
    pub address: SocketAddr,
    path: &'static str,
    /// None for those that ask for no credential.
    authorization: Option<String>,
    model: &'static str,
}

impl Target {
    /// The provider itself, or a pass-through proxy.
    pub fn bare(address: SocketAddr) -> Target {
        Target { address, path: "/v1/chat/completions", authorization: None, model: "bench" }
    }

    /// This server, asked for one of its models.
    pub fn gateway(address: SocketAddr, authorization: &str, model: &'static str) -> Target {
        Target { address, path: GATEWAY, authorization: Some(authorization.to_owned()), model }
    }

    /// The bytes that ask for an answer. There is always one more; `Some` is what loads ask for.
    pub fn completion(&self, ask: &Ask) -> Option<Vec<u8>> {
        let body = format!(
            r#"{{"model":"{}","messages":[{{"role":"user","content":"Say something."}}],"stream":{},{}}}"#,
            self.model,
            ask.stream,
            ask.parameters()
        );
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(self.authorization.as_deref().map(|value| ("authorization", value)));
        Some(request("POST", self.path, &headers, body.as_bytes()))
    }
}
