//! What is asked of the fake provider.

/// What a request asks of the provider; it travels in the request's own parameters.
#[derive(Clone, Copy)]
pub struct Ask {
    pub chunks: u64,
    /// Microseconds between chunks; 0 is as fast as it can.
    pub gap_us: u64,
    /// Chunks in one write to the socket.
    pub burst: u64,
    /// Says nothing more after its chunks, and keeps the answer open.
    pub stall: bool,
    /// Text and thoughts in turns, none of which can be folded into the one before.
    pub turns: bool,
    pub stream: bool,
}

impl Ask {
    /// Paced at 100 chunks a second.
    pub fn paced(chunks: u64) -> Ask {
        Ask { chunks, gap_us: 10_000, burst: 1, stall: false, turns: false, stream: true }
    }

    pub fn fast(chunks: u64, burst: u64) -> Ask {
        Ask { chunks, gap_us: 0, burst, stall: false, turns: false, stream: true }
    }

    /// A whole answer of ten words, at once.
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

    /// Reads what `parameters` wrote out of a request's body, whatever else stands in it.
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
