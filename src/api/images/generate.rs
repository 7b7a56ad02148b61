//! Pictures that a model draws.

use assist::ask::{Asker, NoAnswer};
use assist::media::{self, Chosen};
use providers::media::image::{GeneratedImage, ImageModel};

use super::{Picture, SIDE};
use crate::App;
use crate::http::{Api, Caller, Code, Refusal};

/// What a picture is to show.
pub struct Wanted {
    /// In words that a model understands.
    pub prompt: String,
    /// The words that a pattern follows from, where no model understands any.
    pub seed: String,
    /// The model; else the one that is used when nobody chose.
    pub model: Option<String>,
}

/// A picture, and what drew it.
pub struct Generated {
    /// The picture, as it will be kept.
    pub picture: Picture,
    /// Full id of the model.
    pub drawn_by: String,
    /// Why it was not the model that is usually asked.
    pub note: Option<String>,
}

/// Has a picture drawn, and puts it on the bill. A model that was named and fails is an error; where none was
/// named, its failure is told in a note, and a pattern is drawn in its place.
pub async fn generate(app: &App, caller: &Caller, wanted: Wanted) -> Api<Generated> {
    let asker = Asker { tenant: caller.tenant, user: caller.user, token_id: caller.token_id };
    let chosen = match media::choose::<dyn ImageModel>(&app.run_context, asker, wanted.model.as_deref()).await
    {
        // Every model is hidden from the caller, and none was named.
        Err(NoAnswer::UnknownModel(_)) if wanted.model.is_none() => return pattern(wanted.seed, None).await,
        chosen => chosen?,
    };
    let Chosen { ref offered, .. } = chosen;
    let (id, own) = (offered.info.id.clone(), offered.info.provider == "builtin");
    let words = if own { wanted.seed.clone() } else { wanted.prompt };
    let failed = match media::draw(&app.store, chosen, words, (SIDE, SIDE)).await {
        Ok(drawn) => match kept(drawn).await {
            Ok(picture) => return Ok(Generated { picture, drawn_by: id, note: None }),
            Err(why) => why,
        },
        Err(why @ NoAnswer::Upstream(_)) => why.into(),
        Err(why) => return Err(why.into()),
    };
    match wanted.model {
        Some(_) => Err(failed),
        None => pattern(wanted.seed, Some(format!("{id} drew nothing: {}", failed.shown_detail()))).await,
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
    Ok(Generated { picture: kept(drawn).await?, drawn_by: format!("builtin/{}", sketch::NAME), note })
}

async fn kept(drawn: GeneratedImage) -> Api<Picture> {
    let unusable = |why: Refusal| {
        Refusal::new(Code::UpstreamFailed).detail("the model's picture cannot be read").because(why)
    };
    Picture::made(drawn.data).await.map_err(unusable)
}
