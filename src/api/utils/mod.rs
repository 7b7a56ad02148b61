//! The area `utils`: passages of a text, the text of a file, better prompts, and documents that fit a
//! query. Nothing of what is sent is kept, but for the bill of what models took.

mod arrange;
mod chunks;
mod file_text;
mod filter;
mod improve;
mod share;

use assist::ask::Asker;

use crate::http::{Caller, operations};

/// What bills call the calls of models made here.
const KIND: &str = "utils";

operations!(mod chunks, file_text, improve, filter);

/// On whose behalf models are asked.
fn asker(caller: &Caller) -> Asker {
    Asker { tenant: caller.tenant, user: caller.user, token_id: caller.token_id }
}
