//! Projects: the conversation count of each must equal the number of its conversations.

use super::rows::row_of;
use super::{Doctor, place_of};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys;
use crate::record::{Record, Row};
use crate::records::{Conversation, Project, ProjectCount};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use uuid::Uuid;

impl Doctor<'_> {
    /// Compares the counts with the conversations. An unreadable conversation is reported by the check of rows; with
    /// such a row, no count can be verified.
    pub(super) fn projects(&mut self) -> Result<()> {
        self.begin("projects");
        let mut counts: BTreeMap<(TenantId, Uuid), u64> = BTreeMap::new();
        for pair in self.table(Conversation::TABLE) {
            let (key, value) = pair?;
            self.checked();
            let Ok((tenant, row)) = row_of::<Conversation>(&key, &value) else { return Ok(()) };
            let Some(project) = row.project_id else { continue };
            let is_there =
                self.reader.raw_get(&keys::record_key(Project::TABLE, tenant, &project))?.is_some();
            match is_there {
                true => *counts.entry((tenant, project)).or_default() += 1,
                false => self.report_problem(
                    place_of(Conversation::NAME, &key),
                    format!("its project {project} does not exist"),
                ),
            }
        }
        for pair in self.table(ProjectCount::TABLE) {
            let (key, value) = pair?;
            let Ok((tenant, mut row)) = row_of::<ProjectCount>(&key, &value) else { continue };
            self.checked();
            let place = place_of(ProjectCount::NAME, &key);
            if self.reader.raw_get(&keys::record_key(Project::TABLE, tenant, &row.id))?.is_none() {
                self.repair_entry(place, "its project does not exist", "deleted", |batch| batch.delete(key))?;
                continue;
            }
            let counted = counts.remove(&(tenant, row.id)).unwrap_or_default();
            if row.conversations != counted {
                let what = format!("it has {}, but there are {counted}", row.conversations);
                row.conversations = counted;
                let value = row.next()?;
                self.repair_entry(place, what, "recounted", |batch| batch.put(key, value))?;
            }
        }
        for ((tenant, project), conversations) in counts {
            let key = keys::record_key(ProjectCount::TABLE, tenant, &project);
            let now = Timestamp::now();
            let body = ProjectCount { conversations };
            let value = Row { id: project, version: 1, created_at: now, updated_at: now, body }.encode()?;
            let place = place_of(ProjectCount::NAME, &key);
            self.repair_entry(place, "it is missing", "recounted", |batch| batch.put(key, value))?;
        }
        self.commit()
    }
}
