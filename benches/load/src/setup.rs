//! The processes of a comparison: the fake provider, and in front of it a bare proxy and this server.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::client::{Tally, Until, ask};
use crate::run::{Extent, Figures, Load, run};
use crate::server::{Process, Server, connect, request};
use crate::target::form;
use crate::{Ask, Outcome, Side, Target, role};

/// Responses per second for which conversations are created in advance when a load runs at full speed.
const MAX_ANSWERS_PER_SECOND: f64 = 4_000.0;

/// The interface through which this server is called.
#[derive(Clone)]
pub enum Interface {
    /// The OpenAI-compatible interface, which the bare proxy is called through as well.
    OpenAi,
    /// Completions in conversations, streamed in this encoding.
    Conversations { wire: String },
}

pub struct Setup {
    /// First, so that the server ends before its provider. Otherwise its live runs would fail, each with a
    /// warning.
    pub server: Server,
    interface: Interface,
    _provider: Process,
    bare: (Process, SocketAddr),
}

/// The settings of a provider of the server. `more` and `model` are additional settings of the provider and of
/// its model `bench`.
pub fn provider(name: &str, address: SocketAddr, more: &str, model: &str) -> String {
    format!(
        r#"
[[providers]]
name = "{name}"
kind = "openai"
base_url = "http://{address}/v1"
models = [{{ id = "bench"{model} }}]
timeouts = {{ first_byte_s = 600, idle_s = 600 }}
{more}
"#
    )
}

impl Setup {
    /// Starts the provider, the proxy and the server.
    pub async fn start(interface: Interface) -> Outcome<Setup> {
        Setup::with(interface, "", &[]).await
    }

    /// Like `start`, with additional settings of the server's model and environment variables for the server.
    pub async fn with(interface: Interface, model: &str, environment: &[(&str, &str)]) -> Outcome<Setup> {
        let at = role::start("provider", &[])?;
        let bare = role::start("bare", &[&at.1.to_string()])?;
        let server = Server::start_with(&provider("fake", at.1, "", model), environment).await?;
        Ok(Setup { server, interface, _provider: at.0, bare })
    }

    /// The process of a side, whose processor time and memory are measured.
    pub fn process(&self, side: Side) -> &Process {
        match side {
            Side::Base => &self.bare.0,
            Side::Subject => &self.server.process,
        }
    }

    pub fn bare_address(&self) -> SocketAddr {
        self.bare.1
    }

    /// The target of a side. Conversations are created for this many responses.
    pub async fn target(&self, side: Side, answers: usize) -> Outcome<Rc<Target>> {
        let Server { address, authorization, .. } = &self.server;
        Ok(Rc::new(match (side, &self.interface) {
            (Side::Base, _) => Target::bare(self.bare.1),
            (Side::Subject, Interface::OpenAi) => Target::gateway(*address, authorization, "fake/bench"),
            (Side::Subject, Interface::Conversations { wire }) => {
                let conversations = self.conversations(answers).await?;
                Target::conversations(*address, authorization, wire, conversations)
            }
        }))
    }

    /// Runs a load against a side.
    pub async fn run(&self, side: Side, load: Load) -> Outcome<Figures> {
        let answers = match load.extent {
            Extent::Counted(answers) => answers,
            Extent::Timed { warm_up, window } => {
                let seconds = (warm_up + window).as_secs_f64();
                let paced = load.connections as f64 * 1e6 / (load.ask.gap_us * load.ask.chunks).max(1) as f64;
                // At the end, one more response of each connection is in progress.
                (seconds * paced.min(MAX_ANSWERS_PER_SECOND)) as u64 + 2 * load.connections as u64
            }
        };
        let target = self.target(side, answers as usize).await?;
        run(&target, self.process(side), load).await
    }

    /// Creates conversations in advance, so that their creation is not measured.
    pub async fn conversations(&self, count: usize) -> Outcome<Vec<String>> {
        let (made, left) = (RefCell::new(Vec::with_capacity(count)), Cell::new(count));
        let makers = (0..count.min(32)).map(|_| async {
            let mut connection = connect(self.server.address).await?;
            while left.get() > 0 {
                left.set(left.get() - 1);
                let answer =
                    self.server.call_on(&mut connection, "POST", "/api/conversations", &json!({})).await?;
                made.borrow_mut().push(answer["id"].as_str().unwrap_or_default().to_owned());
            }
            Outcome::Ok(())
        });
        futures::future::try_join_all(makers).await?;
        Ok(made.into_inner())
    }

    /// Starts one completion, reads it up to the provider's mark and disconnects. Returns a handle for attaching
    /// to its stream.
    pub async fn stalled(&self, conversation: &str, asked: &Ask) -> Outcome<Attach> {
        let Interface::Conversations { wire } = &self.interface else {
            return Err("streams are attached to in conversations".into());
        };
        let form = form(conversation, &self.server.authorization, wire, asked);
        ask(&mut connect(self.server.address).await?, &form, Until::Mark, &Tally::default()).await?;
        let path = format!("/api/conversations/{conversation}/streams/active");
        let active = self.server.call("GET", &path, &Value::Null).await?;
        let stream = active["stream_id"].as_str().ok_or_else(|| format!("no stream in {active}"))?;
        Ok(Attach {
            path: format!("/api/conversations/{conversation}/streams/{stream}"),
            wire: wire.clone(),
            last: active["last_seq"].as_u64().unwrap_or_default(),
        })
    }

    /// Starts this many stalled runs, each in its own conversation.
    pub async fn stalled_runs(&self, count: usize, asked: Ask) -> Outcome<Vec<Attach>> {
        let mut attaches = Vec::with_capacity(count);
        for batch in self.conversations(count).await?.chunks(100) {
            let started = batch.iter().map(|conversation| self.stalled(conversation, &asked));
            attaches.extend(futures::future::try_join_all(started).await?);
        }
        Ok(attaches)
    }
}

/// A stream that clients can attach to.
pub struct Attach {
    path: String,
    wire: String,
    /// The sequence number of its last event at the time of the lookup.
    pub last: u64,
}

impl Attach {
    /// The request that reads the stream from after an event; 0 reads all of it.
    pub fn after(&self, server: &Server, event: u64) -> Vec<u8> {
        let path = format!("{}?after={event}&wire={}", self.path, self.wire);
        request("GET", &path, &[("authorization", &server.authorization)], &[])
    }
}

/// Replaces the messages of a conversation with generated ones, alternating between its user and a model.
/// Returns the conversation.
pub async fn fill(server: &Server, conversation: &str, messages: u64, bytes: usize) -> Outcome<Value> {
    fill_on(server, &mut connect(server.address).await?, conversation, messages, bytes).await
}

/// Like `fill`, on an open connection.
pub async fn fill_on(
    server: &Server,
    connection: &mut TcpStream,
    conversation: &str,
    messages: u64,
    bytes: usize,
) -> Outcome<Value> {
    let text = |number: u64| format!("{number} {}", "word ".repeat(bytes.div_ceil(5)));
    let role = |number: u64| if number.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Vec<_> =
        (0..messages).map(|number| json!({"role": role(number), "content": text(number)})).collect();
    let path = format!("/api/conversations/{conversation}/payload");
    server.call_on(connection, "PUT", &path, &json!({"messages": messages})).await
}
