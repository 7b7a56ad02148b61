//! Registers every run kind. This is the only place that names them all.

use std::sync::Arc;

use assist::RunContext;
use assist::completion::Completion;
use jobs::automation::AutomationKind;
use jobs::directory_sync::{DirectoriesConfig, DirectorySync};
use jobs::ingest::Ingest;
use jobs::skill_build::SkillBuild;
use jobs::video::{Video, VideoConfig};
use runs::RunHandlers;
use storage::records::RunKind;
use workflow::{Starter, Workflow};

/// Settings of the run kinds.
#[derive(Clone, Copy, Debug)]
pub struct RunKindsConfig {
    /// The number of documents that are extracted and indexed at once.
    pub ingests_at_once: usize,
    /// Settings of video jobs.
    pub video: VideoConfig,
    /// Settings of directories that provide groups.
    pub directories: DirectoriesConfig,
}

impl Default for RunKindsConfig {
    fn default() -> Self {
        Self { ingests_at_once: 2, video: VideoConfig::default(), directories: DirectoriesConfig::default() }
    }
}

pub fn run_handlers(config: &RunKindsConfig, run_context: &Arc<RunContext>) -> RunHandlers {
    let workflows = Arc::new(Starter);
    RunHandlers::default()
        .with(RunKind::Completion, Completion::new(run_context.clone(), workflows.clone()))
        .with(RunKind::Workflow, Workflow::new(run_context.clone()))
        .with(RunKind::Automation, AutomationKind::new(workflows))
        .with(RunKind::Ingest, Ingest::new(run_context.clone(), config.ingests_at_once))
        .with(RunKind::DirectorySync, DirectorySync::new(config.directories))
        .with(RunKind::SkillBuild, SkillBuild::new(run_context.clone()))
        .with(RunKind::Video, Video::new(run_context.clone(), config.video))
}
