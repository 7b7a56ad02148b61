use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::StreamExt;
use providers::{ChatDelta, ChatModel, ChatStream, FinishReason};
use storage::records::UsageRecord;
use storage::{Row, Scan, StoreOptions};
use tokio::sync::Notify;

use super::*;

/// A model that returns the given deltas, and then ends or stalls.
#[derive(Default)]
struct Puppet {
    says: Vec<ChatDelta>,
    /// Whether requests with a response format are refused.
    shapeless: bool,
    /// Notified when all deltas have been returned.
    said: Arc<Notify>,
    /// Number of answers in progress.
    open: Arc<AtomicUsize>,
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ChatModel for Puppet {
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ProviderError> {
        if self.shapeless && request.parameters.contains_key("response_format") {
            return Err(ProviderError::new(ProviderErrorKind::Refused, "no such parameter"));
        }
        self.open.fetch_add(1, Ordering::SeqCst);
        let (open, said) = (Open(self.open.clone()), self.said.clone());
        let rest = futures::stream::poll_fn(move |_| {
            let _held = &open;
            said.notify_one();
            std::task::Poll::Pending
        });
        Ok(Box::pin(futures::stream::iter(self.says.clone()).map(Ok).chain(rest)))
    }
}

fn question(puppet: Puppet, patience: Duration, schema: Option<Value>) -> Ask {
    let mut model = Model::new("puppet", "one", Arc::new(puppet));
    model.info.prices.output_nanos_per_token = 7;
    Ask {
        requester: Requester {
            tenant: TenantId(Uuid::from_u128(1)),
            user: Uuid::from_u128(2),
            token_id: None,
        },
        kind: "utils",
        model: Arc::new(model),
        keys: Keys::default(),
        models: Models::builtin(),
        system: "Answer.".into(),
        prompt: "What is it?".into(),
        schema,
        patience,
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions::new(dir.path())).unwrap();
    (dir, store)
}

fn bills(store: &Store) -> Vec<Row<UsageRecord>> {
    let tenant = TenantId(Uuid::from_u128(1));
    store.read_now(|reader| reader.scan::<UsageRecord>(tenant, Scan::table())).unwrap().items
}

fn word(text: &str) -> ChatDelta {
    ChatDelta::Text(text.into())
}

fn used(input_tokens: u64, output_tokens: u64) -> ChatDelta {
    ChatDelta::Usage(providers::Usage { input_tokens, output_tokens, ..Default::default() })
}

const LONG: Duration = Duration::from_secs(600);

#[tokio::test]
async fn ask_returns_the_answer_and_books_it_once() {
    let (_dir, store) = store();
    let says = vec![word("It is "), word("this."), used(9, 3), ChatDelta::Finish(FinishReason::Stop)];
    let answer = ask(&store, question(Puppet { says, ..Puppet::default() }, LONG, None)).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.json, answer.cost_nanos), ("It is this.", None, 21));
    let bills = bills(&store);
    assert_eq!(bills.len(), 1);
    assert_eq!((bills[0].model.as_str(), bills[0].cost_nanos, bills[0].estimated), ("puppet/one", 21, false));
    assert_eq!((bills[0].user, bills[0].kind.as_str()), (Uuid::from_u128(2), "utils"));
}

#[tokio::test]
async fn ask_retries_without_an_unsupported_response_format() {
    let (_dir, store) = store();
    let schema = || Some(json!({"type": "object"}));
    let says = |text: &str| vec![word(text), used(9, 3), ChatDelta::Finish(FinishReason::Stop)];
    for shapeless in [false, true] {
        let puppet = Puppet { says: says("Here: {\"a\": 1}"), shapeless, ..Puppet::default() };
        let answer = ask(&store, question(puppet, LONG, schema())).await.unwrap();
        assert_eq!(answer.json, Some(json!({"a": 1})));
    }
    let puppet = Puppet { says: says("No."), ..Puppet::default() };
    let refused = ask(&store, question(puppet, LONG, schema())).await;
    assert!(matches!(refused, Err(NoAnswer::Unusable(_))), "{refused:?}");
    assert_eq!(bills(&store).len(), 3, "what is of no use is paid all the same");
}

#[tokio::test]
async fn ask_books_partial_output_after_a_timeout() {
    let (_dir, store) = store();
    let puppet = Puppet { says: vec![word("It is ")], ..Puppet::default() };
    let open = puppet.open.clone();
    let late = ask(&store, question(puppet, Duration::from_millis(50), None)).await;
    assert!(late.as_ref().is_err_and(NoAnswer::is_timeout), "{late:?}");
    assert_eq!(open.load(Ordering::SeqCst), 0);
    let bills = bills(&store);
    assert_eq!((bills.len(), bills[0].estimated, bills[0].usage.output_tokens), (1, true, 2));
}

#[tokio::test]
async fn ask_bills_a_fallback_as_itself_without_reported_usage() {
    let answering = || ChatDelta::Answering { model: "other/two".into() };
    let other = || {
        let mut other = Model::new("other", "two", Arc::new(Puppet::default()));
        other.info.prices.output_nanos_per_token = 1_000;
        other
    };
    let paid = |tokens| {
        ChatDelta::Usage(providers::Usage {
            input_tokens: 9,
            output_tokens: tokens,
            cost_nanos: Some(3_000),
            ..Default::default()
        })
    };
    let whole = vec![answering(), word("It is "), paid(3), ChatDelta::Finish(FinishReason::Stop)];
    for (says, patience, cost, estimated) in [
        (whole, LONG, 3_000, false),
        (vec![answering(), word("It is ")], Duration::from_millis(50), 2_000, true),
    ] {
        let (_dir, store) = store();
        let question = question(Puppet { says, ..Puppet::default() }, patience, None);
        question.models.add(other());
        let answer = ask(&store, question).await;
        assert_eq!(answer.is_err(), estimated);
        let bills = bills(&store);
        assert_eq!(bills.len(), 1);
        assert_eq!((bills[0].model.as_str(), bills[0].provider.as_str()), ("other/two", "other"));
        assert_eq!((bills[0].cost_nanos, bills[0].estimated), (cost, estimated));
    }
}

#[tokio::test]
async fn dropping_ask_ends_the_call_and_books_partial_output() {
    let (_dir, store) = store();
    let puppet = Puppet { says: vec![word("It is ")], ..Puppet::default() };
    let (open, said) = (puppet.open.clone(), puppet.said.clone());
    {
        let asking = ask(&store, question(puppet, LONG, None));
        tokio::pin!(asking);
        tokio::select! {
            answer = &mut asking => panic!("{answer:?}"),
            () = said.notified() => {}
        }
        assert_eq!(open.load(Ordering::SeqCst), 1);
    }
    for _ in 0..1_000 {
        if !bills(&store).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let bills = bills(&store);
    assert_eq!((bills.len(), bills[0].estimated, bills[0].usage.output_tokens), (1, true, 2));
    assert_eq!(open.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn ask_books_nothing_without_output() {
    let (_dir, store) = store();
    let nothing = ask(&store, question(Puppet::default(), Duration::from_millis(20), None)).await;
    assert!(nothing.is_err_and(|why| why.is_timeout()));
    assert_eq!(bills(&store), []);
    let here = answered(&store, question(Puppet::default(), LONG, None), "two words".into()).await.unwrap();
    assert_eq!((here.usage.input_tokens, here.usage.output_tokens), (3, 2));
    assert_eq!(bills(&store).len(), 1);
}
