//! The server under test before the fake provider, and the conversations that are had with it.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::load::{Tally, Until, ask};
use crate::server::{Server, connect, request};
use crate::target::Target;
use crate::{Ask, Outcome};

pub struct Understudy {
    server: Server,
    wire: String,
}

/// The provider, as a setting.
fn settings(provider: SocketAddr) -> String {
    format!(
        r#"
[[providers]]
name = "fake"
kind = "openai"
base_url = "http://{provider}/v1"
models = ["bench"]
timeouts = {{ first_byte_s = 600, idle_s = 600 }}
"#
    )
}

impl Deref for Understudy {
    type Target = Server;
    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Understudy {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}

impl Understudy {
    /// Starts the binary on an empty folder.
    pub async fn start(provider: SocketAddr, wire: &str) -> Outcome<Understudy> {
        Ok(Understudy { server: Server::start(&settings(provider)).await?, wire: wire.to_owned() })
    }

    /// Makes conversations, before any clock runs.
    pub async fn conversations(&self, count: usize) -> Outcome<Vec<String>> {
        let (made, left) = (RefCell::new(Vec::with_capacity(count)), Cell::new(count));
        let makers = (0..count.min(32)).map(|_| async {
            let mut connection = connect(self.address).await?;
            while left.get() > 0 {
                left.set(left.get() - 1);
                let answer = self.call_on(&mut connection, "POST", "/api/conversations", &json!({})).await?;
                made.borrow_mut().push(answer["id"].as_str().unwrap_or_default().to_owned());
            }
            Outcome::Ok(())
        });
        futures::future::try_join_all(makers).await?;
        Ok(made.into_inner())
    }

    /// A target with that many fresh conversations.
    pub async fn target(&self, conversations: usize) -> Outcome<Rc<Target>> {
        let made = self.conversations(conversations).await?;
        Ok(Rc::new(Target::understudy(self.address, self.authorization.clone(), &self.wire, made)))
    }

    /// The request that attaches to a conversation's stream from its first event.
    pub fn attach(&self, conversation: &str, stream: &str) -> Vec<u8> {
        let path = format!("/api/conversations/{conversation}/streams/{stream}?after=0&wire={}", self.wire);
        request("GET", &path, &[("authorization", &self.authorization)], &[])
    }

    /// Starts one completion, reads it up to the provider's mark and leaves; answers the request
    /// that attaches to it.
    pub async fn stalled(&self, conversation: &str, asked: &Ask, tally: &Tally) -> Outcome<Vec<u8>> {
        let path = format!("/api/conversations/{conversation}/completion");
        let form = crate::target::form(&path, &self.authorization, &self.wire, asked);
        let mut connection = connect(self.address).await?;
        ask(&mut connection, &form, Until::Mark, tally).await?;
        let path = format!("/api/conversations/{conversation}/streams/active");
        let active = self.call("GET", &path, &Value::Null).await?;
        let stream = active["stream_id"].as_str().ok_or_else(|| format!("no stream in {active}"))?;
        Ok(self.attach(conversation, stream))
    }

    /// Starts as many stalled runs, each in a conversation of its own; answers what attaches to each.
    pub async fn stalled_runs(&self, count: usize, asked: Ask) -> Outcome<Vec<Vec<u8>>> {
        let (tally, mut attaches) = (Tally::default(), Vec::with_capacity(count));
        for batch in self.conversations(count).await?.chunks(100) {
            let started = batch.iter().map(|conversation| self.stalled(conversation, &asked, &tally));
            attaches.extend(futures::future::try_join_all(started).await?);
        }
        Ok(attaches)
    }
}
