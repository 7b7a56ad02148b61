//! Where a load goes, and how that kind of server is asked.

use std::cell::RefCell;
use std::net::SocketAddr;

use crate::Ask;
use crate::server::request;

/// The one boundary of the multipart forms; stands in no field.
const BOUNDARY: &str = "understudy-bench";

enum Kind {
    /// The provider's own interface: the provider itself, or a pass-through proxy.
    Openai,
    /// This server: each answer is the first of a conversation, so that all are alike.
    Understudy { authorization: String, wire: String, conversations: RefCell<Vec<String>> },
}

pub struct Target {
    pub address: SocketAddr,
    kind: Kind,
}

impl Target {
    pub fn openai(address: SocketAddr) -> Target {
        Target { address, kind: Kind::Openai }
    }

    pub fn understudy(
        address: SocketAddr,
        authorization: String,
        wire: &str,
        conversations: Vec<String>,
    ) -> Target {
        let conversations = RefCell::new(conversations);
        Target { address, kind: Kind::Understudy { authorization, wire: wire.to_owned(), conversations } }
    }

    /// The bytes that ask for an answer; `None` when the conversations made beforehand are used up.
    pub fn completion(&self, ask: &Ask) -> Option<Vec<u8>> {
        match &self.kind {
            Kind::Openai => {
                let body = format!(
                    r#"{{"model":"bench","messages":[{{"role":"user","content":"Say something."}}],"stream":{},{}}}"#,
                    ask.stream,
                    ask.parameters()
                );
                Some(request(
                    "POST",
                    "/v1/chat/completions",
                    &[("content-type", "application/json")],
                    body.as_bytes(),
                ))
            }
            Kind::Understudy { authorization, wire, conversations } => {
                let conversation = conversations.borrow_mut().pop()?;
                let path = format!("/api/conversations/{conversation}/completion");
                Some(form(&path, authorization, wire, ask))
            }
        }
    }
}

/// A completion as the multipart form that the interface asks for.
pub fn form(path: &str, authorization: &str, wire: &str, ask: &Ask) -> Vec<u8> {
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
    request("POST", path, &[("content-type", &kind), ("authorization", authorization)], body.as_bytes())
}
