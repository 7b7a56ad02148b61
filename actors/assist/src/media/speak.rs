use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use providers::media::speech::{AudioStream, SpeechModel, SpeechRequest};
use storage::Store;
use tokio::sync::mpsc;

use super::SelectedModel;
use super::bill::Bill;
use crate::ask::NoAnswer;

/// Pieces that wait for a listener who is slower than the model.
const WAITING: usize = 4;

/// Sound, piece by piece, as it is made. It ends once it is on the bill; dropping it ends the call, and what
/// began is on the bill all the same.
pub struct Sound(mpsc::Receiver<Result<Bytes, NoAnswer>>);

impl Stream for Sound {
    type Item = Result<Bytes, NoAnswer>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Has a text spoken. Resolves once the first sound is there; dropping the future before ends the call, and
/// costs nothing.
///
/// # Errors
/// Whatever kept the model from speaking; that costs nothing, and neither does a failure later on.
pub async fn speak(
    store: &Store,
    chosen: SelectedModel<dyn SpeechModel>,
    request: SpeechRequest,
) -> Result<Sound, NoAnswer> {
    let SelectedModel { requester, offered, keys } = chosen;
    let quantity = request.text.chars().count() as u64;
    let request = SpeechRequest { model: offered.upstream_id.clone(), keys, ..request };
    let sound = offered.model.speak(request).await?;
    let bill = Bill { requester, model: offered.info.clone(), quantity, estimated: false, tokens: None };
    let (to, from) = mpsc::channel(WAITING);
    // A task of its own, so that it is on the bill whatever becomes of the one who listens.
    tasks::spawn(pass_on(sound, to, bill, store.clone()));
    Ok(Sound(from))
}

async fn pass_on(
    mut sound: AudioStream,
    to: mpsc::Sender<Result<Bytes, NoAnswer>>,
    bill: Bill,
    store: Store,
) {
    loop {
        let piece = tokio::select! {
            () = to.closed() => break,
            piece = sound.next() => piece,
        };
        match piece {
            Some(Ok(piece)) if to.send(Ok(piece.clone())).await.is_ok() => {}
            Some(Ok(_)) | None => break,
            Some(Err(why)) => {
                // A client that has disconnected needs no error.
                let _ = to.send(Err(why.into())).await;
                return;
            }
        }
    }
    // Hangs up before the record is written.
    drop(sound);
    if let Err(why) = bill.book(&store).await {
        tracing::error!(%why, "speech is not on the bill");
        let _ = to.send(Err(why.into())).await;
    }
}
