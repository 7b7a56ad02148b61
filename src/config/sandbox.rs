//! Where scripts run.

use serde::Deserialize;
use std::path::PathBuf;

/// `[sandbox]`: the processes in which scripts run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxConfig {
    /// The program that runs them; this one where none is named.
    pub program: Option<PathBuf>,
    /// Scripts that run at once; 0 for two per core.
    pub children: usize,
    /// Processes that are kept ready.
    pub spares: usize,
    /// Memory that one script may have at most.
    pub memory_mib: u64,
}

impl SandboxConfig {
    /// As the sandbox takes it.
    pub fn sandbox(&self) -> sandbox::SandboxConfig {
        sandbox::SandboxConfig {
            program: self.program.clone(),
            children: self.children,
            spares: self.spares,
            memory_bytes: self.memory_mib << 20,
            ..sandbox::SandboxConfig::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.memory_mib {
            1..=4096 => Ok(()),
            _ => Err("sandbox.memory_mib must be between 1 and 4096".to_owned()),
        }
    }
}
