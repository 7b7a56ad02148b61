//! Deleting what has much that belongs to it.

use uuid::Uuid;

use crate::error::Result;
use crate::ids::TenantId;
use crate::records::{Conversation, Message, Run, Upload};
use crate::scan::Scan;
use crate::tx::Tx;

impl Tx {
    /// Deletes a conversation with its messages, its runs with their journals, and its uploads.
    /// What it cost stays on record. False if there is no such conversation. None of its runs may
    /// be live.
    pub fn delete_conversation(&mut self, tenant: TenantId, id: Uuid) -> Result<bool> {
        for run in self.scan::<Run>(tenant, Scan::index("by_conversation").prefix(id.as_bytes()))?.items {
            self.drop_run(tenant, run.id)?;
            self.delete::<Run>(tenant, &run.id)?;
        }
        for message in self.scan::<Message>(tenant, Scan::table().prefix(id.as_bytes()))?.items {
            self.delete::<Message>(tenant, &message.id)?;
        }
        for upload in self.scan::<Upload>(tenant, Scan::table())?.items {
            if upload.conversation_id == Some(id) {
                self.delete::<Upload>(tenant, &upload.id)?;
            }
        }
        self.delete::<Conversation>(tenant, &id)
    }
}
