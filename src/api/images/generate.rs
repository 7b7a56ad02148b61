//! Images that a model generates.

use assist::ask::NoAnswer;
use assist::media::{self, SelectedModel};
use providers::media::image::{GeneratedImage, ImageModel};

use super::{Picture, SIDE};
use crate::App;
use crate::http::{Api, Caller, Code, Refusal};

/// A request for an image.
pub struct Wanted {
    /// The prompt for a model that understands text.
    pub prompt: String,
    /// The text from which the built-in model derives a pattern. Used when no model that understands a prompt
    /// is available.
    pub seed: String,
    /// The id of the model. Defaults to the tenant's default model.
    pub model: Option<String>,
}

/// A generated image and the model that generated it.
pub struct Generated {
    /// The image in the form in which it is stored.
    pub picture: Picture,
    /// The full id of the model that generated the image.
    pub drawn_by: String,
    /// Why the default model was not used.
    pub note: Option<String>,
}

/// Generates an image and bills it. If a model that the request names fails, the call fails. If the default
/// model fails, a pattern is drawn instead and the note reports the failure.
pub async fn generate(app: &App, caller: &Caller, wanted: Wanted) -> Api<Generated> {
    let requester = caller.into();
    let chosen = match media::choose::<dyn ImageModel>(&app.run_context, requester, wanted.model.as_deref())
        .await
    {
        // The request names no model, and every model is hidden from the caller.
        Err(NoAnswer::UnknownModel(_)) if wanted.model.is_none() => return pattern(wanted.seed, None).await,
        chosen => chosen?,
    };
    let SelectedModel { ref offered, .. } = chosen;
    let (id, own) = (offered.info.id.clone(), offered.info.provider == "builtin");
    let words = if own { wanted.seed.clone() } else { wanted.prompt };
    let failed = match media::draw(&app.store, chosen, words, (SIDE, SIDE)).await {
        Ok(drawn) => match stored_picture(drawn).await {
            Ok(picture) => return Ok(Generated { picture, drawn_by: id, note: None }),
            Err(why) => why,
        },
        Err(why @ NoAnswer::Upstream(_)) => why.into(),
        Err(why) => return Err(why.into()),
    };
    match wanted.model {
        Some(_) => Err(failed),
        None => {
            pattern(wanted.seed, Some(format!("{id} generated no image: {}", failed.shown_detail()))).await
        }
    }
}

#[cfg(not(feature = "builtin-media"))]
async fn pattern(_: String, note: Option<String>) -> Api<Generated> {
    let omission = "the built-in model that draws patterns is not part of this build, which lacks the feature `builtin-media`";
    let detail = note.map_or_else(|| omission.to_owned(), |note| format!("{note}; {omission}"));
    Err(Refusal::new(Code::UpstreamFailed).detail(detail))
}

#[cfg(feature = "builtin-media")]
async fn pattern(seed: String, note: Option<String>) -> Api<Generated> {
    use providers::media::image::ImageRequest;
    use providers::sketch::{self, Sketch};

    let (model, keys) = (sketch::NAME.to_owned(), providers::Keys::default());
    let request = ImageRequest { model, prompt: seed, size: (SIDE, SIDE), keys };
    let drawn = Sketch.draw(request).await.map_err(|why| Refusal::new(Code::Internal).because(why))?;
    Ok(Generated {
        picture: stored_picture(drawn).await?,
        drawn_by: format!("builtin/{}", sketch::NAME),
        note,
    })
}

async fn stored_picture(drawn: GeneratedImage) -> Api<Picture> {
    let unusable = |why: Refusal| {
        Refusal::new(Code::UpstreamFailed).detail("the image of the model cannot be read").because(why)
    };
    Picture::from_generated(drawn.data).await.map_err(unusable)
}
