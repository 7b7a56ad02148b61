//! What a benchmark requests from the fake provider.

/// The response that a request wants from the provider, sent in the request's own parameters.
#[derive(Clone, Copy)]
pub struct Ask {
    pub chunks: u64,
    /// Microseconds between chunks; 0 means as fast as possible.
    pub gap_us: u64,
    /// Chunks per write to the socket.
    pub burst: u64,
    /// Sends nothing after its chunks and keeps the response open.
    pub stall: bool,
    /// Alternates text and reasoning chunks, so that no chunk can be folded into the one before.
    pub turns: bool,
    pub stream: bool,
}

impl Ask {
    /// Paced at 100 chunks per second.
    pub fn paced(chunks: u64) -> Ask {
        Ask { chunks, gap_us: 10_000, burst: 1, stall: false, turns: false, stream: true }
    }

    pub fn fast(chunks: u64, burst: u64) -> Ask {
        Ask { chunks, gap_us: 0, burst, stall: false, turns: false, stream: true }
    }

    /// A complete response of ten words, sent at once.
    pub fn plain() -> Ask {
        Ask { stream: false, ..Ask::fast(10, 10) }
    }

    /// One chunk, then silence.
    pub fn silent() -> Ask {
        Ask { stall: true, ..Ask::fast(1, 1) }
    }

    pub fn parameters(&self) -> String {
        let (stall, turns) = (u64::from(self.stall), u64::from(self.turns));
        let Ask { chunks, gap_us, burst, .. } = self;
        format!(r#""chunks":{chunks},"gap_us":{gap_us},"burst":{burst},"stall":{stall},"turns":{turns}"#)
    }

    /// Reads the parameters that `parameters` wrote from the body of a request, ignoring everything
    /// else in it.
    pub fn parse(body: &[u8]) -> Ask {
        let text = String::from_utf8_lossy(body);
        let value = |name: &str| {
            let rest = &text[text.find(&format!("\"{name}\":"))? + name.len() + 3..];
            let digits = rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u64>().ok()
        };
        Ask {
            chunks: value("chunks").unwrap_or(3),
            gap_us: value("gap_us").unwrap_or(0),
            burst: value("burst").unwrap_or(1),
            stall: value("stall") == Some(1),
            turns: value("turns") == Some(1),
            stream: text.contains("\"stream\":true"),
        }
    }
}
