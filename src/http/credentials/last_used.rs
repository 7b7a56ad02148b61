//! Times when API tokens were last used: recorded at each request, written periodically.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::records::ApiToken;
use storage::{Store, TenantId, Timestamp};
use uuid::Uuid;

/// The interval at which the recorded uses are written.
pub const WRITE_EVERY: Duration = Duration::from_secs(15);

const MINUTE: i64 = 60_000;

#[derive(Default)]
struct Notes {
    /// The last minute that was recorded or written for each token.
    minutes: HashMap<Uuid, i64>,
    /// Minutes that have not been written yet.
    waiting: HashMap<Uuid, i64>,
}

/// Records the last uses of tokens.
#[derive(Clone, Default)]
pub(super) struct LastUsed(Arc<Mutex<Notes>>);

impl LastUsed {
    /// Records that a token is being used.
    pub fn note(&self, token: Uuid, now: Timestamp) {
        let minute = now.as_millis() / MINUTE;
        let mut notes = self.0.lock();
        if notes.minutes.insert(token, minute) != Some(minute) {
            notes.waiting.insert(token, minute);
        }
    }

    /// Writes the recorded uses in one transaction.
    pub async fn write(&self, store: &Store) -> storage::Result<()> {
        let waiting = {
            let mut notes = self.0.lock();
            let past = Timestamp::now().as_millis() / MINUTE - 2;
            notes.minutes.retain(|_, minute| *minute > past);
            std::mem::take(&mut notes.waiting)
        };
        if waiting.is_empty() {
            return Ok(());
        }
        store
            .run(move |tx| {
                for (id, minute) in &waiting {
                    let Some(mut token) = tx.get::<ApiToken>(TenantId::SYSTEM, id)? else { continue };
                    let used = Timestamp::from_millis(minute * MINUTE);
                    if token.last_used_at.is_none_or(|last| last < used) {
                        token.last_used_at = Some(used);
                        tx.update(TenantId::SYSTEM, token)?;
                    }
                }
                Ok(())
            })
            .await
    }
}
