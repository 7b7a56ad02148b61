//! What tool servers said that they offer, kept for some minutes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use providers::mcp::{McpError, ServerTool};

use super::{Place, ToolServersConfig};

/// Lists that are kept at once.
const MOST: usize = 2_000;

type Said = Result<Arc<[ServerTool]>, McpError>;

/// Lists by place.
#[derive(Default)]
pub(super) struct Lists(Mutex<HashMap<Place, (Instant, Said)>>);

impl Lists {
    /// What a server said, while that is believed.
    pub fn get(&self, place: &Place, config: &ToolServersConfig) -> Option<Said> {
        let lists = self.0.lock();
        let (at, said) = lists.get(place)?;
        let kept = if said.is_ok() { config.list_kept } else { config.failure_kept };
        (at.elapsed() < kept).then(|| said.clone())
    }

    /// Keeps what a server said. Where there are too many, what is believed no longer goes, and then all.
    pub fn keep(&self, place: Place, said: Said, config: &ToolServersConfig) {
        let mut lists = self.0.lock();
        if lists.len() >= MOST {
            lists.retain(|_, (at, _)| at.elapsed() < config.list_kept);
        }
        if lists.len() >= MOST {
            lists.clear();
        }
        lists.insert(place, (Instant::now(), said));
    }

    /// Forgets what a server said.
    pub fn forget(&self, place: &Place) {
        self.0.lock().remove(place);
    }
}
