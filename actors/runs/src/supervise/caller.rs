//! On whose behalf a run works.

use storage::TenantId;
use storage::records::SkillUsableIn;
use uuid::Uuid;

use crate::journal::Fence;

/// On whose behalf a run works, and its tools are called.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// Whose run it is.
    pub tenant: TenantId,
    /// Whose rights it has.
    pub user: Uuid,
    /// The assistant that works.
    pub assistant_id: Option<Uuid>,
    /// The conversation it works in.
    pub conversation_id: Option<Uuid>,
    pub run_id: Option<Uuid>,
    /// Conversation or workflow; [`SkillUsableIn::Both`] is neither and anything.
    pub place: SkillUsableIn,
    /// The epoch of the run; what its tools write is refused once a later one has the run.
    pub fence: Option<Fence>,
}
