//! A model with scripted answers that records the requests it receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::StreamExt;
use parking_lot::Mutex;
use providers::{ChatDelta, ChatModel, ChatRequest, ChatStream, FinishReason, Model, ProviderError, Usage};

use super::Stage;

/// One answer: the deltas, and whether the model then hangs instead of ending.
pub struct Turn {
    pub deltas: Vec<Result<ChatDelta, ProviderError>>,
    pub hangs: bool,
}

#[derive(Default)]
pub struct Scripted {
    turns: Mutex<Vec<Turn>>,
    pub requests: Mutex<Vec<ChatRequest>>,
    /// Number of answers in progress.
    pub open: AtomicUsize,
}

struct Open(Arc<Scripted>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Handle(Arc<Scripted>);

#[async_trait]
impl ChatModel for Handle {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        self.0.requests.lock().push(request);
        let turn = self.0.turns.lock().remove(0);
        if let [Err(why)] = &turn.deltas[..] {
            return Err(why.clone());
        }
        self.0.open.fetch_add(1, Ordering::SeqCst);
        let open = Open(Arc::clone(&self.0));
        let said = futures::stream::iter(turn.deltas);
        let rest =
            if turn.hangs { futures::stream::pending().boxed() } else { futures::stream::empty().boxed() };
        Ok(said
            .chain(rest)
            .inspect(move |_| {
                let _ = &open;
            })
            .boxed())
    }
}

/// Adds a model `test/m` to a stage. The model gives these answers and costs one nano-dollar per token.
pub fn model(stage: &Stage, turns: Vec<Turn>) -> Arc<Scripted> {
    let scripted = Arc::new(Scripted { turns: Mutex::new(turns), ..Scripted::default() });
    let mut model = Model::new("test", "m", Arc::new(Handle(Arc::clone(&scripted))));
    model.info.prices.input_nanos_per_token = 1;
    model.info.prices.output_nanos_per_token = 1;
    stage.models.add(model);
    scripted
}

pub fn says(text: &str) -> Turn {
    let words = text.split_inclusive(' ').map(|word| ChatDelta::Text(word.into()));
    let usage = Usage { input_tokens: 10, output_tokens: 2, ..Usage::default() };
    whole(words.chain([ChatDelta::Usage(usage), ChatDelta::Finish(FinishReason::Stop)]).collect())
}

pub fn calls(name: &str, arguments: &str) -> Turn {
    whole(vec![
        ChatDelta::ToolCallStart { index: 0, call_id: "c1".into(), name: name.into() },
        ChatDelta::ToolCallArguments { index: 0, delta: arguments.into() },
        ChatDelta::Finish(FinishReason::ToolCalls),
    ])
}

pub fn hangs_after(text: &str) -> Turn {
    Turn { deltas: vec![Ok(ChatDelta::Text(text.into()))], hangs: true }
}

pub fn breaks_after(text: &str, why: ProviderError) -> Turn {
    Turn { deltas: vec![Ok(ChatDelta::Text(text.into())), Err(why)], hangs: false }
}

pub fn refuses(why: ProviderError) -> Turn {
    Turn { deltas: vec![Err(why)], hangs: false }
}

fn whole(deltas: Vec<ChatDelta>) -> Turn {
    Turn { deltas: deltas.into_iter().map(Ok).collect(), hangs: false }
}
