//! Uploaded bundles: reading them and testing them in the sandbox.

use assist::skills::bundle::{self, BundleFault};
use assist::skills::{BundleInspection, InspectError, inspect};
use bytes::Bytes;
use domain::skills::SkillBundle;
use jobs::skill_build::pack::pack;
use storage::records::{GrantLevel, SkillDraft, SkillDraftState, SkillVersion};
use storage::{Blobs, Reader, Row, TenantId, Timestamp};
use uuid::Uuid;

use super::schema::SkillFields;
use crate::App;
use crate::http::{Api, Caller, Code, Fault, Refusal, UploadedFile};
use domain::assistants::access;

/// Maximum size of a bundle, in bytes.
const MAX_BYTES: u64 = 5 << 20;

/// A valid bundle from which a skill can be created.
#[derive(Clone)]
pub struct ReceivedSkill {
    pub inspected: BundleInspection,
    /// The version record of the bundle.
    pub version: SkillVersion,
    /// The draft from which the bundle was made: its assistant and its job.
    pub draft: Option<(Uuid, Uuid)>,
    bytes: Bytes,
}

impl ReceivedSkill {
    /// The bundle in the form that the rules for skills accept.
    pub fn bundle(&self) -> SkillBundle<'_> {
        let Self { inspected, version, draft, .. } = self;
        SkillBundle {
            name: &inspected.name,
            description: &inspected.description,
            usable_in: inspected.usable_in,
            content: &inspected.content,
            version,
            draft: *draft,
        }
    }

    /// Stores the bundle as a blob. A row must refer to it within an hour, or garbage collection may delete it.
    pub async fn keep(&self, app: &App, tenant: TenantId) -> Api<()> {
        app.store.blobs().put_bytes(tenant, self.bytes.clone()).await?;
        Ok(())
    }
}

/// Reads the bundle of a form, if there is one: a file or a draft. Returns 422 with all faults of the bundle.
pub async fn receive(
    app: &App,
    caller: &Caller,
    files: &[UploadedFile],
    fields: &SkillFields,
) -> Api<Option<ReceivedSkill>> {
    let (filename, bytes) = match (files, fields.draft()) {
        ([], None) => return Ok(None),
        ([file], None) => (file.filename.clone(), read(file).await?),
        ([], Some((assistant, job))) => drafted(app, caller, assistant, job).await?,
        ([_, _, ..], None) => return Err(fault("only one file is allowed", "too_many")),
        (_, Some(_)) => return Err(fault("a file and a draft cannot be combined", "too_many")),
    };
    examine(app, caller, filename, bytes, fields.draft()).await.map(Some)
}

/// Reads a bundle and tests it in the sandbox, without storing it.
pub async fn examine(
    app: &App,
    caller: &Caller,
    filename: String,
    bytes: Bytes,
    draft: Option<(Uuid, Uuid)>,
) -> Api<ReceivedSkill> {
    let (name, content) = (filename.clone(), bytes.clone());
    let parsed = tasks::blocking(move || bundle::read(&name, &content)).await;
    let parsed = parsed.map_err(|why| Refusal::new(Code::Internal).because(why))?.map_err(refused)?;
    let inspected = match inspect(&app.sandbox, parsed).await {
        Ok(inspected) => inspected,
        Err(InspectError::Faults(faults)) => return Err(refused(faults)),
        Err(InspectError::Unavailable(why)) => {
            return Err(Refusal::new(Code::Overloaded).detail(why).retry_after(1));
        }
    };
    let version = SkillVersion {
        content_hash: inspected.content_hash.clone(),
        blob_id: Blobs::id_of(&bytes),
        filename,
        created_at: Timestamp::now(),
        created_by: caller.user,
    };
    Ok(ReceivedSkill { inspected, version, draft, bytes })
}

/// A 422 response for a form that requires a bundle and has none.
pub fn missing() -> Refusal {
    fault("a file or a draft is required", "missing")
}

fn fault(msg: &str, kind: &'static str) -> Refusal {
    Refusal::invalid("body", ["file"], msg, kind)
}

fn refused(faults: Vec<BundleFault>) -> Refusal {
    let to_fault = |fault: BundleFault| {
        let loc = ["file", &fault.path];
        let loc = loc.into_iter().filter(|step| !step.is_empty());
        let message = match fault.line {
            Some(line) => format!("line {line}: {}", fault.message),
            None => fault.message.clone(),
        };
        Fault::new("body", loc, message, "bundle")
    };
    Refusal::faulty(faults.into_iter().map(to_fault).collect())
}

async fn read(file: &UploadedFile) -> Api<Bytes> {
    if file.size > MAX_BYTES {
        return Err(
            Refusal::new(Code::TooLarge).detail(format!("a bundle may have at most {MAX_BYTES} bytes"))
        );
    }
    let path = file.path().to_owned();
    let read = tasks::blocking(move || std::fs::read(path)).await;
    let read = read.map_err(std::io::Error::other).and_then(|read| read);
    read.map(Bytes::from).map_err(|why| Refusal::new(Code::Internal).because(why))
}

/// Packs the bundle of a draft that is ready.
async fn drafted(app: &App, caller: &Caller, assistant: Uuid, job: Uuid) -> Api<(String, Bytes)> {
    let caller = caller.clone();
    let draft = app.store.read(move |reader| draft_of(reader, &caller, assistant, job)).await?;
    if !matches!(draft.state, SkillDraftState::Ready | SkillDraftState::Published) {
        return Err(Refusal::new(Code::Conflict).detail("the draft is not ready"));
    }
    let packed = pack(&draft.files).map_err(|why| Refusal::new(Code::Internal).because(why))?;
    Ok((draft.body.skill_filename, Bytes::from(packed)))
}

/// Loads a draft of an assistant that the caller may change.
pub fn draft_of(reader: &Reader, caller: &Caller, assistant: Uuid, job: Uuid) -> Api<Row<SkillDraft>> {
    access::at_least(reader, caller, assistant, GrantLevel::Editor)?;
    let draft = reader.get::<SkillDraft>(caller.tenant, &(assistant, job))?;
    draft.ok_or_else(|| Refusal::not_found("draft"))
}
