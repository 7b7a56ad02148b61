//! Creating and changing skills.

use domain::Precondition;
use domain::skills::{self, Created, SkillInput};
use storage::records::Skill;
use storage::{BlobId, Reader, Row, Tx};
use uuid::Uuid;

use super::received::ReceivedSkill;
use super::view::SkillDetailResponse;
use crate::http::{Api, Caller};

/// The skill that results from an uploaded bundle.
pub enum Uploaded {
    New(SkillDetailResponse),
    /// The caller has uploaded the same content before.
    Existing(SkillDetailResponse),
}

/// Creates a skill that the caller owns, unless the caller has a skill with the same content.
pub fn create(tx: &mut Tx, caller: &Caller, input: &SkillInput, received: &ReceivedSkill) -> Api<Uploaded> {
    Ok(match skills::create(tx, caller, input, received.bundle())? {
        Created::New(row) => Uploaded::New(detail(tx, caller, row)?),
        Created::Existing(row) => Uploaded::Existing(detail(tx, caller, row)?),
    })
}

/// Changes a skill that the caller may edit.
pub fn change(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    expected: (&Precondition, Option<u64>),
    input: &SkillInput,
    received: Option<&ReceivedSkill>,
) -> Api<SkillDetailResponse> {
    let row = skills::change(tx, caller, id, expected, input, received.map(ReceivedSkill::bundle))?;
    detail(tx, caller, row)
}

/// Sets the avatar of a skill.
pub fn set_picture(tx: &mut Tx, caller: &Caller, id: Uuid, picture: BlobId) -> Api<SkillDetailResponse> {
    let row = skills::set_picture(tx, caller, id, picture)?;
    detail(tx, caller, row)
}

/// A skill with its instructions, functions and files.
pub fn detail(reader: &Reader, caller: &Caller, row: Row<Skill>) -> Api<SkillDetailResponse> {
    let content = skills::content(reader, caller, &row)?;
    Ok(SkillDetailResponse::new(row, content, caller))
}
