//! Blobs and the rows that need them.

use super::{Doctor, Problem, place_of};
use crate::blobs::{BlobEntry, BlobId, Blobs};
use crate::engine::{Direction, KeyRange};
use crate::error::Result;
use crate::ids::TenantId;
use crate::keys;
use crate::progress::Progress;
use crate::reader::Reader;
use crate::records::kinds;
use crate::store::Store;
use crate::waiting::LocalRuntime;
use futures::StreamExt;
use ring::digest::{Context, SHA256};
use std::collections::{HashMap, HashSet};

impl Doctor<'_> {
    /// Checks that each needed blob exists and that its content matches its id. Blobs that are no longer needed are
    /// noted: the server deletes them when they are an hour old.
    pub(super) fn blobs(&mut self) -> Result<()> {
        self.begin("blobs");
        let blobs = self.store.blobs().clone();
        let here = LocalRuntime::new()?;
        let listed = here.wait(blobs.list())?;
        let mut needed = self.needed_blobs()?;
        let total = Some(listed.len() as u64);
        for (done, blob) in (0..).zip(listed) {
            (self.progress)(Progress::items("blobs", done, total));
            self.report.checked += 1;
            let place = format!("blob {} of tenant {}", blob.id, blob.tenant);
            if needed.remove(&(blob.tenant, blob.id.clone())).is_none() {
                if self.repair {
                    here.wait(blobs.delete(blob.tenant, &blob.id))?;
                }
                let repaired = self.repair.then(|| "deleted".to_owned());
                let what = "no row refers to it".to_owned();
                self.report.notes.push(Problem { what, where_: place, repaired });
            } else if !here.wait(is_whole(&blobs, &blob))? {
                self.report_problem(place, "its content does not match its id");
            }
        }
        for ((tenant, id), row) in needed {
            self.report_problem(row, format!("its blob {id} of tenant {tenant} is missing"));
        }
        Ok(())
    }
}

impl Doctor<'_> {
    /// The blobs that readable rows need, each with one of these rows.
    fn needed_blobs(&self) -> Result<HashMap<(TenantId, BlobId), String>> {
        let mut needed = HashMap::new();
        for kind in kinds() {
            let Some(blobs_of) = kind.blobs else { continue };
            for pair in self.table(kind.table) {
                let (key, value) = pair?;
                let (Ok(tenant), Ok(blobs)) = (keys::tenant(&key), blobs_of(&key, &value)) else { continue };
                for blob in blobs {
                    needed.entry((tenant, blob)).or_insert_with(|| place_of(kind.name, &key));
                }
            }
        }
        Ok(needed)
    }
}

async fn is_whole(blobs: &Blobs, listed: &BlobEntry) -> Result<bool> {
    let mut blob = blobs.get(listed.tenant, &listed.id).await?;
    let mut context = Context::new(&SHA256);
    while let Some(piece) = blob.bytes.next().await {
        context.update(&piece?);
    }
    Ok(BlobId::from_digest(context.finish().as_ref()) == listed.id)
}

/// The blobs that rows need.
fn needed(reader: &Reader) -> Result<HashSet<(TenantId, BlobId)>> {
    let mut needed = HashSet::new();
    for kind in kinds() {
        let Some(blobs_of) = kind.blobs else { continue };
        for pair in reader.walk(KeyRange::prefix(&kind.table), Direction::Forward, 64) {
            let (key, value) = pair?;
            let tenant = keys::tenant(&key)?;
            needed.extend(blobs_of(&key, &value)?.into_iter().map(|id| (tenant, id)));
        }
    }
    Ok(needed)
}

impl Store {
    /// Deletes the blobs that no row needs and that are older than an hour. Returns the deleted blobs. Call this
    /// periodically. An unreadable row stops it, because it is unknown which blobs that row needs.
    pub async fn sweep_blobs(&self) -> Result<Vec<BlobEntry>> {
        let listed = self.blobs().list().await?;
        let engine = self.inner.engine.clone();
        let needed = self.read(move |_| needed(&Reader::new(engine))).await?;
        self.blobs().sweep_orphans(listed, &needed).await
    }
}
