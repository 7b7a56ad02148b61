//! Listing teams.

use storage::records::Team;
use storage::{Reader, Scan};

use super::schema::ListTeams;
use super::view::{TeamResponseList, TeamSummary};
use crate::api::picked::picked;
use crate::http::{Api, Caller, Code, Refusal};

/// A page of the caller's teams, or of all.
pub fn list(reader: &Reader, caller: &Caller, asked: &ListTeams) -> Api<TeamResponseList> {
    let paging = asked.paging();
    let page = match asked.all {
        true if !caller.is_admin() => {
            return Err(Refusal::new(Code::RoleMissing).detail("`all` is for administrators of the tenant"));
        }
        true => reader.scan::<Team>(caller.tenant, paging.scan(Scan::table())?)?,
        false => picked::<Team>(reader, caller.tenant, caller.teams.iter().copied(), &paging)?,
    };
    Ok(page.map(|row| TeamSummary::of(row, caller)).into())
}
