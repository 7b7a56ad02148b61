//! Replies of fake servers, which a test may alter before they are sent.

use parking_lot::Mutex;

/// A reply before it is sent.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Number of bytes of the body that are sent before the connection is closed, if the reply is
    /// truncated.
    pub cut_at: Option<usize>,
}

/// Alters a reply; the text is the request's method and path.
type Alter = Box<dyn FnMut(&str, Reply) -> Reply + Send>;

/// Optional function that alters the replies of a fake server. Replies are unaltered until a test
/// sets it.
#[derive(Default)]
pub struct Alteration(Mutex<Option<Alter>>);

impl Alteration {
    /// Alters all replies from now on.
    pub fn set(&self, alter: impl FnMut(&str, Reply) -> Reply + Send + 'static) {
        *self.0.lock() = Some(Box::new(alter));
    }

    /// Sends replies unaltered from now on.
    pub fn clear(&self) {
        *self.0.lock() = None;
    }

    /// Returns the reply to send.
    pub fn apply(&self, request: &str, reply: Reply) -> Reply {
        match self.0.lock().as_mut() {
            Some(alter) => alter(request, reply),
            None => reply,
        }
    }
}

impl Reply {
    /// The reply as sent over HTTP/1.1 on a connection that is closed afterwards.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} Fake\r\n", self.status).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        let length = self.body.len();
        bytes.extend_from_slice(format!("Connection: close\r\nContent-Length: {length}\r\n\r\n").as_bytes());
        bytes.extend_from_slice(&self.body[..self.cut_at.unwrap_or(length).min(length)]);
        bytes
    }
}
