//! An LDAP server with a single entry, at the top, and no groups; its replies are mutated.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The only entry.
const TOP: &[u8] = b"dc=example,dc=org";
pub const PASSWORD: &str = "ldap-password-0123456789";
/// The tags of the answered requests, bind and search (RFC 4511), and the tags of their responses.
const ANSWERS: [(u8, u8); 2] = [(0x60, 0x61), (0x63, 0x65)];

/// A running server. It stops when this is dropped.
pub struct FakeLdap {
    address: SocketAddr,
    mutation: Arc<Mutex<Mutation>>,
    task: tokio::task::JoinHandle<()>,
}

/// How requests are answered.
#[derive(Clone, Copy, Default)]
struct Mutation {
    round: usize,
    seed: u64,
    /// The response to mutate, counted from 0 over all connections.
    nth: usize,
    /// Whether all other responses are mutated as well.
    always: bool,
    /// Responses so far.
    answers: usize,
}

impl FakeLdap {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let mutation = Arc::new(Mutex::new(Mutation::default()));
        let shared = mutation.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, shared.clone()));
            }
        });
        Self { address, mutation, task }
    }

    /// The settings of a directory that uses this server.
    pub fn credential(&self) -> Value {
        json!({"secret": PASSWORD, "directory": {"kind": "ldap", "url": format!("ldap://{}", self.address),
            "bind_dn": "cn=reader,dc=example,dc=org", "base_dn": "dc=example,dc=org"}})
    }

    /// Answers correctly from now on.
    pub fn obey(&self) {
        *self.mutation.lock() = Mutation { nth: usize::MAX, ..Mutation::default() };
    }

    /// Answers all requests with a result whose name is not a string from now on.
    pub fn break_all(&self) {
        *self.mutation.lock() = Mutation { round: 7, always: true, ..Mutation::default() };
    }

    /// Mutates replies from now on. Returns a description of the mutation.
    pub fn mutate(&self, round: usize, seed: u64) -> String {
        let nth = round % 7;
        *self.mutation.lock() = Mutation { round, seed, nth, always: false, answers: 0 };
        format!("reply {nth} of LDAP, mutation {round} with {seed}")
    }
}

impl Drop for FakeLdap {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers each request of a connection with success, except for the response that is mutated.
async fn serve(mut socket: TcpStream, mutation: Arc<Mutex<Mutation>>) -> Option<()> {
    let mut bytes = vec![0; 4_096];
    loop {
        let length = socket.read(&mut bytes).await.ok().filter(|length| *length > 0)?;
        let (id, asked) = message(&bytes[..length])?;
        let (_, answer) = ANSWERS.iter().find(|(tag, _)| *tag == asked)?;
        let mut reply = Vec::new();
        // Only a search for the top entry itself returns an entry, without attributes; a search below it returns
        // none.
        if bytes[..length].windows(5).any(|part| part == [0x0a, 0x01, 0x00, 0x0a, 0x01]) {
            let name = u8::try_from(TOP.len()).expect("a short name");
            reply.extend([0x30, name + 9, 0x02, 0x01, id, 0x64, name + 4, 0x04, name]);
            reply.extend(TOP.iter().chain(&[0x30, 0x00]));
        }
        // The message, its id, and a result: success, no name, no text.
        reply.extend([0x30, 0x0c, 0x02, 0x01, id, *answer, 0x07, 0x0a, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00]);
        let Mutation { round, seed, nth, always, answers } = *mutation.lock();
        if answers == nth || always {
            mutate(&mut reply, round, &mut StdRng::seed_from_u64(seed));
        }
        mutation.lock().answers += 1;
        socket.write_all(&reply).await.ok()?;
    }
}

/// The id and the tag of a request.
fn message(bytes: &[u8]) -> Option<(u8, u8)> {
    // A length of more than 127 follows the number of its bytes.
    let head = if bytes.get(1)? & 0x80 == 0 { 2 } else { 2 + usize::from(bytes[1] & 0x7f) };
    Some((*bytes.get(head + 2)?, *bytes.get(head + 3)?))
}

/// Makes the name of a result a list instead of a string.
fn constructed_name(reply: &mut [u8]) {
    let at = reply.len() - 4;
    reply[at] = 0x24;
}

fn mutate(reply: &mut Vec<u8>, round: usize, dice: &mut StdRng) {
    let at = dice.random_range(0..reply.len());
    match round % 10 {
        0 => reply.truncate(at),
        1 => reply[at] ^= 1 << dice.random_range(0..8),
        2 => reply[at] = dice.random(),
        // Lengths beyond everything that follows, in four bytes and in more bytes than an integer has.
        3 => drop(reply.splice(1..2, [0x84, 0xff, 0xff, 0xff, 0xff])),
        4 => drop(reply.splice(1..2, [0x89, 1, 2, 3, 4, 5, 6, 7, 8, 9])),
        // A result code other than success.
        5 => {
            let at = reply.len() - 5;
            reply[at] = [1, 7, 10, 32, 49, 50, 80, 255][dice.random_range(0..8)];
        }
        // An indefinite length.
        6 => drop(reply.splice(1..2, [0x80])),
        7 => constructed_name(reply),
        8 => *reply = (0..dice.random_range(1..2_000)).map(|_| dice.random()).collect(),
        _ => {
            // Deeply nested lists.
            let inner = std::mem::take(reply);
            reply.extend([0x30, 0x84, 0, 0, 0xff, 0xff].repeat(3_000));
            reply.extend(inner);
        }
    }
}
