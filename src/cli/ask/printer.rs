//! Prints events to the standard output: the original JSON, or only the text of the answer.

use serde::Deserialize;
use serde_json::Value;
use std::io::{self, IsTerminal, StdoutLock, Write};

/// The fields of an event that this command reads.
#[derive(Deserialize)]
pub(super) struct StreamEvent {
    /// The sequence number of the event, from 1.
    pub seq: u64,
    /// The type of the event, such as `text.delta`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The fields of the event's type.
    #[serde(default)]
    pub data: Value,
}

pub(super) struct Printer {
    json: bool,
    /// Whether the output is a terminal. Control characters in an answer could reprogram a terminal, so they are
    /// removed.
    terminal: bool,
    /// Whether the printed text ends without a line break.
    within_line: bool,
}

impl Printer {
    pub fn new(json: bool) -> Self {
        Self { json, terminal: io::stdout().is_terminal(), within_line: false }
    }

    /// Prints one event. `line` contains it as sent by the server.
    pub fn print(&mut self, line: &[u8], event: &StreamEvent) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            out.write_all(line)?;
            return out.write_all(b"\n");
        }
        match event.kind.as_str() {
            "text.delta" => self.text(&mut out, event.data["text"].as_str().unwrap_or_default()),
            "text.start" | "run.ended" if self.within_line => self.text(&mut out, "\n"),
            "run.reset" => {
                if self.within_line {
                    self.text(&mut out, "\n")?;
                }
                self.note("the answer restarts from the beginning");
                Ok(())
            }
            "run.recovered" => {
                self.note("the server was restarted; the answer continues");
                Ok(())
            }
            "form.required" => {
                self.note("the run waits for a form, which can be answered in the conversation");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn text(&mut self, out: &mut StdoutLock<'_>, text: &str) -> io::Result<()> {
        let Some(last) = text.chars().next_back() else { return Ok(()) };
        self.within_line = last != '\n';
        if !self.terminal {
            return out.write_all(text.as_bytes());
        }
        let printable = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        out.write_all(text.chars().filter(printable).collect::<String>().as_bytes())
    }

    /// Flushes the standard output.
    pub fn flush(&self) -> io::Result<()> {
        io::stdout().lock().flush()
    }

    /// Prints a remark to the standard error, below the text. No line break is added to the standard output, so that
    /// redirected output contains only the answer.
    pub fn note(&self, words: &str) {
        let _ = self.flush();
        self.leave_line();
        eprintln!("understudy: {words}");
    }

    /// Starts a new line on the terminal for subsequent output on the standard error.
    pub fn leave_line(&self) {
        if self.within_line && self.terminal {
            eprintln!();
        }
    }
}
