//! Speech, transcripts and pictures: asked of a model outside of any run, and put on the bill.
//!
//! What comes of nothing costs nothing. Speech is paid for by its words as soon as the first sound came:
//! the provider has them all by then, and charges for all of them, whether the client listens to the end or not.

mod bill;
mod draw;
mod listen;
mod speak;

use std::sync::Arc;

use providers::{Keys, Media, MediaHandle};

use crate::ask::{NoAnswer, Requester};
use crate::offer::offer;
use crate::run_context::RunContext;

pub use draw::draw;
pub use listen::{Transcription, listen};
pub use speak::{Sound, speak};

/// A model that was chosen for a user who may use it.
pub struct SelectedModel<M: ?Sized> {
    /// On whose behalf.
    pub requester: Requester,
    pub offered: Arc<MediaHandle<M>>,
    /// The keys to ask it with.
    pub keys: Keys,
}

/// The named model of a kind, or else the one that is used where none was chosen.
///
/// # Errors
/// [`NoAnswer::UnknownModel`] where there is none of this name for the caller, or none at all, and
/// [`NoAnswer::OverBudget`] where they may spend no more.
pub async fn choose<M: Media + ?Sized>(
    run_context: &RunContext,
    requester: Requester,
    named: Option<&str>,
) -> Result<SelectedModel<M>, NoAnswer> {
    let offer = offer(&run_context.store, &run_context.models, requester.tenant, requester.user).await?;
    let unknown = || NoAnswer::UnknownModel(named.unwrap_or(M::KIND.tag()).to_owned());
    let offered = offer.media::<M>(named).ok_or_else(unknown)?;
    offer.within_budget()?;
    Ok(SelectedModel { requester, offered, keys: offer.keys() })
}
