//! The destination of a load, and how requests to it are built.

use std::cell::RefCell;
use std::net::SocketAddr;

use crate::Ask;
use crate::server::request;

/// Path of the OpenAI-compatible interface of this server.
const GATEWAY: &str = "/api/chat/partner_compatible/v1/chat/completions";
/// The boundary of all multipart forms; it occurs in no field.
const BOUNDARY: &str = "understudy-bench";

enum Kind {
    /// The OpenAI interface at a path: the provider itself, a pass-through proxy, or this server, which requires a
    /// credential.
    OpenAi { path: &'static str, model: &'static str, authorization: Option<String> },
    /// Conversations of this server. Each response is the first of its conversation, so that all responses cost the same.
    Conversations { authorization: String, wire: String, fresh: RefCell<Vec<String>> },
}

pub struct Target {
    pub address: SocketAddr,
    kind: Kind,
}

impl Target {
    /// The provider itself, or a pass-through proxy.
    pub fn bare(address: SocketAddr) -> Target {
        let kind = Kind::OpenAi { path: "/v1/chat/completions", model: "bench", authorization: None };
        Target { address, kind }
    }

    /// This server's OpenAI interface, with one of its models.
    pub fn gateway(address: SocketAddr, authorization: &str, model: &'static str) -> Target {
        let kind = Kind::OpenAi { path: GATEWAY, model, authorization: Some(authorization.to_owned()) };
        Target { address, kind }
    }

    /// This server's conversations, created in advance.
    pub fn conversations(
        address: SocketAddr,
        authorization: &str,
        wire: &str,
        conversations: Vec<String>,
    ) -> Target {
        let (authorization, wire) = (authorization.to_owned(), wire.to_owned());
        let fresh = RefCell::new(conversations);
        Target { address, kind: Kind::Conversations { authorization, wire, fresh } }
    }

    /// The bytes of a request for a response; `None` if the conversations created in advance are used up.
    pub fn completion(&self, ask: &Ask) -> Option<Vec<u8>> {
        match &self.kind {
            Kind::OpenAi { path, model, authorization } => {
                let body = format!(
                    r#"{{"model":"{model}","messages":[{{"role":"user","content":"Say something."}}],"stream":{},{}}}"#,
                    ask.stream,
                    ask.parameters()
                );
                let mut headers = vec![("content-type", "application/json")];
                headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
                Some(request("POST", path, &headers, body.as_bytes()))
            }
            Kind::Conversations { authorization, wire, fresh } => {
                Some(form(&fresh.borrow_mut().pop()?, authorization, wire, ask))
            }
        }
    }
}

/// A completion request in a conversation, as the multipart form that the interface requires.
pub fn form(conversation: &str, authorization: &str, wire: &str, ask: &Ask) -> Vec<u8> {
    let parameters = format!("{{{}}}", ask.parameters());
    let stream = ask.stream.to_string();
    let mut fields =
        vec![("message", "Say something."), ("model", "fake/bench"), ("parameters", &parameters)];
    fields.push(("stream", &stream));
    if ask.stream {
        fields.push(("wire", wire));
    }
    let mut body = String::new();
    for (name, value) in fields {
        body +=
            &format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    body += &format!("--{BOUNDARY}--\r\n");
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let path = format!("/api/conversations/{conversation}/completion");
    request("POST", &path, &[("content-type", &kind), ("authorization", authorization)], body.as_bytes())
}
