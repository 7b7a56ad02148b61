//! Speech, transcripts and images: requested from a model outside of any run, and billed.
//!
//! A request without a result is not billed. Speech is billed by its characters as soon as the first audio has arrived:
//! by then the provider has the whole text and charges for all of it, whether or not the client listens to the end.

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

/// A model that was selected for a user who may use it.
pub struct SelectedModel<M: ?Sized> {
    /// The user on whose behalf the model is called.
    pub requester: Requester,
    pub offered: Arc<MediaHandle<M>>,
    /// API keys for the call.
    pub keys: Keys,
}

/// Selects the named model of a kind, or the default one.
///
/// # Errors
/// [`NoAnswer::UnknownModel`] if the caller has no model with this name, or no model of the kind at all, and
/// [`NoAnswer::OverBudget`] if the caller's budget is exhausted.
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
