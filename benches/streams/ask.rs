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
    pub stream: bool,
}

impl Ask {
    /// Paced at 100 chunks a second.
    pub fn paced(chunks: u64) -> Ask {
        Ask { chunks, gap_us: 10_000, burst: 1, stall: false, stream: true }
    }

    pub fn fast(chunks: u64, burst: u64) -> Ask {
        Ask { chunks, gap_us: 0, burst, stall: false, stream: true }
    }

    pub fn parameters(&self) -> String {
        let stall = u64::from(self.stall);
        format!(r#""chunks":{},"gap_us":{},"burst":{},"stall":{stall}"#, self.chunks, self.gap_us, self.burst)
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
            stream: text.contains("\"stream\":true"),
        }
    }
}
