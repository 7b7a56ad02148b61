//! The identity and context on whose behalf a run works.

use storage::TenantId;
use storage::records::SkillUsableIn;
use uuid::Uuid;

use crate::journal::Fence;

/// The identity and context on whose behalf a run works and calls its tools.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The tenant that owns the run.
    pub tenant: TenantId,
    /// The user whose permissions apply.
    pub user: Uuid,
    /// The assistant that does the work.
    pub assistant_id: Option<Uuid>,
    /// The conversation that the work belongs to.
    pub conversation_id: Option<Uuid>,
    pub run_id: Option<Uuid>,
    /// Whether the work belongs to a conversation or a workflow. [`SkillUsableIn::Both`] stands for neither and imposes
    /// no restriction.
    pub place: SkillUsableIn,
    /// The epoch of the run. Writes of its tools are rejected once a later epoch owns the run.
    pub fence: Option<Fence>,
}
