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

/// Number of audio chunks that are buffered for a listener who is slower than the model.
const WAITING: usize = 4;

/// Audio, chunk by chunk, as it is generated. It ends once it has been billed. Dropping it ends the call; audio that
/// has started is billed nevertheless.
pub struct Sound(mpsc::Receiver<Result<Bytes, NoAnswer>>);

impl Stream for Sound {
    type Item = Result<Bytes, NoAnswer>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}

/// Converts a text to speech. Resolves once the first audio has arrived. Dropping the future before then ends the call
/// and bills nothing.
///
/// # Errors
/// The error that prevented the speech. Nothing is billed then, and also not after a later failure.
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
    // A separate task, so that the speech is billed even if the listener disconnects.
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
    // Ends the call before the record is written.
    drop(sound);
    if let Err(why) = bill.book(&store).await {
        tracing::error!(%why, "speech could not be billed");
        let _ = to.send(Err(why.into())).await;
    }
}
