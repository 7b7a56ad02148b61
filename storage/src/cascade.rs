//! Cascading deletion of objects with many dependent rows.

use uuid::Uuid;

use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys::{self, HEAD, RecordKey};
use crate::record::{Record, Row};
use crate::records::{
    Assistant, Chunk, ChunkVectors, Conversation, DataCount, DataItem, DebugSession, Document, KnowledgeBase,
    Memory, MemoryMark, Message, Run, SkillDraft, Upload,
};
use crate::scan::Scan;
use crate::tx::Tx;

/// Number of data items that are read together, initially.
const DATA_ITEMS: usize = 64;

impl Tx {
    /// Deletes a conversation with its messages, its runs with their journals, and its uploads. Usage records are
    /// retained. Returns false if the conversation does not exist. None of its runs may be live.
    pub fn delete_conversation(&mut self, tenant: TenantId, id: Uuid) -> Result<bool> {
        if let Some(mut row) = self.get::<Conversation>(tenant, &id)? {
            self.place_conversation(tenant, &mut row.body, None)?;
        }
        for run in self.scan::<Run>(tenant, Scan::index("by_conversation").prefix(id.as_bytes()))?.items {
            self.drop_run(tenant, run.id)?;
            self.delete::<Run>(tenant, &run.id)?;
        }
        // Reads only the heads, because the messages of a conversation may take much memory.
        for message in self.heads::<Message>(tenant, id.as_bytes())? {
            self.delete_message(tenant, &message.id)?;
        }
        for upload in self.scan::<Upload>(tenant, Scan::table())?.items {
            if upload.conversation_id == Some(id) {
                self.delete::<Upload>(tenant, &upload.id)?;
            }
        }
        self.delete::<Conversation>(tenant, &id)
    }

    /// Deletes the passages and vectors of a document, except those of the generations in `retained`.
    pub fn delete_chunks(&mut self, tenant: TenantId, document: Uuid, retained: &[u32]) -> Result<()> {
        let prefix = document.as_bytes().to_vec();
        for chunk in self.scan::<Chunk>(tenant, Scan::table().prefix(prefix.clone()))?.items {
            if !retained.contains(&chunk.id.generation) {
                self.delete::<Chunk>(tenant, &chunk.id)?;
            }
        }
        for vectors in self.scan::<ChunkVectors>(tenant, Scan::table().prefix(prefix))?.items {
            if !retained.contains(&vectors.id.generation) {
                self.delete::<ChunkVectors>(tenant, &vectors.id)?;
            }
        }
        Ok(())
    }

    /// Deletes a document with its passages and its last run. Returns the generations that indexes may contain; `None`
    /// if the document does not exist. Its run must not be live.
    pub fn delete_document(
        &mut self,
        tenant: TenantId,
        base: Uuid,
        document: Uuid,
    ) -> Result<Option<Vec<(Uuid, u32)>>> {
        let Some(row) = self.get::<Document>(tenant, &(base, document))? else { return Ok(None) };
        self.delete_chunks(tenant, document, &[])?;
        if let Some(run) = row.run_id {
            self.drop_run(tenant, run)?;
            self.delete::<Run>(tenant, &run)?;
        }
        self.delete::<Document>(tenant, &row.id)?;
        if let Some(mut base) = self.get::<KnowledgeBase>(tenant, &base)? {
            base.documents = base.documents.saturating_sub(1);
            self.update(tenant, base)?;
        }
        let built = row.builds.iter().map(|build| build.generation);
        let generations = built.chain(row.draft.iter().map(|draft| draft.generation));
        Ok(Some(generations.map(|generation| (document, generation)).collect()))
    }

    /// Deletes a knowledge base with its documents. Returns the generations of documents that indexes may contain. None
    /// of its runs may be live.
    pub fn delete_knowledge_base(&mut self, tenant: TenantId, base: Uuid) -> Result<Vec<(Uuid, u32)>> {
        let mut removed = Vec::new();
        let documents = Scan::table().prefix(base.as_bytes().to_vec());
        for document in self.scan::<Document>(tenant, documents)?.items {
            removed.extend(self.delete_document(tenant, base, document.id.1)?.into_iter().flatten());
        }
        self.delete::<KnowledgeBase>(tenant, &base)?;
        Ok(removed)
    }

    /// Deletes an assistant with its data items, its own knowledge base, the memories that belong to it alone, drafts
    /// of skills for it, logins at its tool servers, and its debug sessions. Returns the generations of documents in
    /// its knowledge base that indexes may contain; `None` if the assistant does not exist. Conversations, other
    /// knowledge bases, skills and automations that refer to it are retained; automations then report that it does not
    /// exist. Neither its knowledge base nor its drafts may have live runs.
    pub fn delete_assistant(&mut self, tenant: TenantId, id: Uuid) -> Result<Option<Vec<(Uuid, u32)>>> {
        let Some(row) = self.get::<Assistant>(tenant, &id)? else { return Ok(None) };
        let removed = match row.own_knowledge {
            Some(base) => self.delete_knowledge_base(tenant, base)?,
            None => Vec::new(),
        };
        self.delete_data_items(tenant, id)?;
        self.delete::<MemoryMark>(tenant, &id)?;
        let of_it = Scan::index("by_assistant").prefix(id.as_bytes().to_vec());
        for memory in self.scan::<Memory>(tenant, of_it)?.items {
            self.delete::<Memory>(tenant, &memory.id)?;
        }
        for draft in self.scan::<SkillDraft>(tenant, Scan::table().prefix(id.as_bytes().to_vec()))?.items {
            self.drop_run(tenant, draft.id.1)?;
            self.delete::<Run>(tenant, &draft.id.1)?;
            self.delete::<SkillDraft>(tenant, &draft.id)?;
        }
        self.forget_connections_with(tenant, id)?;
        for session in self.scan::<DebugSession>(tenant, Scan::table())?.items {
            if session.id.1 == id {
                self.delete::<DebugSession>(tenant, &session.id)?;
            }
        }
        self.delete::<Assistant>(tenant, &id)?;
        Ok(Some(removed))
    }

    /// Deletes all data items of an assistant. They can be hundreds of megabytes, so they do not become preconditions
    /// of the commit. Instead, every transaction that adds an item writes the count, which this transaction depends on.
    fn delete_data_items(&mut self, tenant: TenantId, assistant: Uuid) -> Result<()> {
        self.delete::<DataCount>(tenant, &assistant)?;
        let prefix = [keys::head(DataItem::TABLE, tenant).as_slice(), assistant.as_bytes()].concat();
        let mut from = Some(KeyRange::prefix(&prefix));
        while let Some(mut range) = from.take() {
            let found = self.walk(range.clone(), Direction::Forward, DATA_ITEMS).take(DATA_ITEMS);
            for (key, value) in found.collect::<Result<Vec<_>>>()? {
                let id = <(Uuid, Uuid)>::decode(&key[HEAD..])?;
                self.note_deleted(tenant, &Row::<DataItem>::decode(id, &value)?, &value);
                range.start = [&key[..], &[0]].concat();
                from = Some(range.clone());
                self.raw_delete(key);
            }
        }
        Ok(())
    }
}
