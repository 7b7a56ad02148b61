//! The most recently recorded ratios, from `benches/recorded.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::Outcome;

/// Names of rows, each with `ratio`, `date` and `command`.
pub struct Recorded(BTreeMap<String, Value>);

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../recorded.json"))
}

impl Recorded {
    /// Reads the file. Returns an empty record if nothing has been recorded yet.
    pub fn read() -> Outcome<Recorded> {
        match std::fs::read(path()) {
            Ok(text) => Ok(Recorded(serde_json::from_slice(&text)?)),
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Ok(Recorded(BTreeMap::new())),
            Err(fault) => Err(fault.into()),
        }
    }

    #[cfg(test)]
    pub fn of<const N: usize>(entries: [(String, Value); N]) -> Recorded {
        Recorded(BTreeMap::from(entries))
    }

    pub fn ratio(&self, name: &str) -> Option<f64> {
        self.0.get(name)?["ratio"].as_f64()
    }

    /// Sets the given ratios, leaves the others unchanged, and writes the file.
    pub fn replace(&mut self, ratios: &[(String, f64)], command: &str) -> Outcome<()> {
        let date = Command::new("date").args(["-u", "+%F"]).output()?;
        let date = String::from_utf8(date.stdout)?;
        for (name, ratio) in ratios {
            let ratio = (ratio * 1000.0).round() / 1000.0;
            let entry = json!({"ratio": ratio, "date": date.trim(), "command": command});
            self.0.insert(name.clone(), entry);
        }
        Ok(std::fs::write(path(), serde_json::to_string_pretty(&self.0)? + "\n")?)
    }
}
