//! Loading of assistants that may be in the bin.

use domain::assistants::access;
use storage::authority::Ground;
use storage::records::{Assistant, Shared};
use storage::{Reader, Row};
use uuid::Uuid;

use crate::http::{Api, Caller, Loadable};

/// An assistant that the caller may see, or an assistant in the bin that the caller owns.
pub struct AlsoBinned(pub Row<Assistant>);

impl Loadable for AlsoBinned {
    const PARAM: &'static str = "assistant_id";
    const NAME: &'static str = "assistant";

    fn load(reader: &Reader, caller: &Caller, id: Uuid) -> Api<Option<Self>> {
        Ok(access::visible_or_binned(reader, caller, id)?.map(Self))
    }

    fn grounds(&self, _: &Reader, caller: &Caller) -> Api<Vec<Ground>> {
        Ok(self.0.body.grounds_of(caller))
    }
}
