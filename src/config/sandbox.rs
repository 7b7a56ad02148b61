//! Settings of the processes in which scripts run.

use serde::Deserialize;
use std::path::PathBuf;

/// `[sandbox]`: the processes in which scripts run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxConfig {
    /// The program that runs scripts; the server's own executable by default.
    pub program: Option<PathBuf>,
    /// The number of scripts that run at once; 0 for two per core.
    pub children: usize,
    /// The number of idle processes that are kept ready.
    pub spares: usize,
    /// The memory limit of one script, in MiB.
    pub memory_mib: u64,
}

impl SandboxConfig {
    /// The settings in the form that the sandbox takes.
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
