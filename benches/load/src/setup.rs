//! The processes of a comparison: the fake provider, a bare proxy before it, and this server before it.

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

/// Answers per second for which conversations are made beforehand, when a load goes as fast as it can.
const MOST_ANSWERS_PER_SECOND: f64 = 4_000.0;

/// How this server is asked.
#[derive(Clone)]
pub enum Interface {
    /// As the bare proxy is: by the OpenAI-compatible interface.
    OpenAi,
    /// By completions in conversations, in this encoding.
    Conversations { wire: String },
}

pub struct Setup {
    /// First, so that it ends before its provider: runs that live would fail, each with a warning.
    pub server: Server,
    interface: Interface,
    _provider: Process,
    bare: (Process, SocketAddr),
}

/// A provider of the server's, as a setting. `more` are further settings of it and of its model `bench`.
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
    /// Starts all three.
    pub async fn start(interface: Interface) -> Outcome<Setup> {
        Setup::with(interface, "", &[]).await
    }

    /// Starts all three, the server with further settings of its model, and of its own in its environment.
    pub async fn with(interface: Interface, model: &str, environment: &[(&str, &str)]) -> Outcome<Setup> {
        let at = role::start("provider", &[])?;
        let bare = role::start("bare", &[&at.1.to_string()])?;
        let server = Server::start_with(&provider("fake", at.1, "", model), environment).await?;
        Ok(Setup { server, interface, _provider: at.0, bare })
    }

    /// The process of a side, whose processor time and memory count.
    pub fn process(&self, side: Side) -> &Process {
        match side {
            Side::Base => &self.bare.0,
            Side::Subject => &self.server.process,
        }
    }

    pub fn bare_address(&self) -> SocketAddr {
        self.bare.1
    }

    /// How a side is asked; conversations are made for so many answers.
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
                // One more of each connection is under way at the end.
                (seconds * paced.min(MOST_ANSWERS_PER_SECOND)) as u64 + 2 * load.connections as u64
            }
        };
        let target = self.target(side, answers as usize).await?;
        run(&target, self.process(side), load).await
    }

    /// Makes conversations, before any clock runs.
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

    /// Starts one completion, reads it up to the provider's mark and leaves; answers the request
    /// that attaches to it from its first event.
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

    /// Starts as many stalled runs, each in a conversation of its own.
    pub async fn stalled_runs(&self, count: usize, asked: Ask) -> Outcome<Vec<Attach>> {
        let mut attaches = Vec::with_capacity(count);
        for batch in self.conversations(count).await?.chunks(100) {
            let started = batch.iter().map(|conversation| self.stalled(conversation, &asked));
            attaches.extend(futures::future::try_join_all(started).await?);
        }
        Ok(attaches)
    }
}

/// A stream that can be attached to.
pub struct Attach {
    path: String,
    wire: String,
    /// The number of its last event, when it was looked up.
    pub last: u64,
}

impl Attach {
    /// The request that reads it from after an event; 0 for all of it.
    pub fn after(&self, server: &Server, event: u64) -> Vec<u8> {
        let path = format!("{}?after={event}&wire={}", self.path, self.wire);
        request("GET", &path, &[("authorization", &server.authorization)], &[])
    }
}

/// Puts messages into a conversation, in turns of its user and of a model, in place of those it has; answers the
/// conversation.
pub async fn fill(server: &Server, conversation: &str, messages: u64, bytes: usize) -> Outcome<Value> {
    fill_on(server, &mut connect(server.address).await?, conversation, messages, bytes).await
}

/// The same on a connection that is open.
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
