use std::time::Duration;

use proptest::prelude::*;
use storage::{StoreOptions, journal};

use super::pending::Item;
use super::rate::CommitRate;
use super::*;
use crate::event::EventData;

/// A journal whose committer waits for an urgent request, so that pushed events remain pending.
struct Scene {
    journal: Arc<RunJournal>,
    store: Store,
    _folder: tempfile::TempDir,
}

const EPOCH: u32 = 1;

impl Scene {
    async fn set(pace: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(StoreOptions { pace, ..StoreOptions::new(folder.path()) }).unwrap();
        let (tenant, run) = (TenantId(Uuid::now_v7()), Uuid::now_v7());
        let mut begun = storage::Batch::new();
        journal::set_epoch(&mut begun, tenant, run, EPOCH);
        store.commit(begun).await.unwrap();
        let journal = RunJournal::open(store.clone(), tenant, run, EPOCH, 0, JournalLimits::default());
        Self { journal, store, _folder: folder }
    }

    /// Creates a journal whose events wait for a follower indefinitely.
    async fn unfollowed() -> Self {
        let Self { journal, store, _folder } = Self::set(Duration::ZERO).await;
        let limits = JournalLimits { unfollowed: Some(NEVER), ..JournalLimits::default() };
        let journal = RunJournal::open(store.clone(), journal.tenant, journal.run, EPOCH, 0, limits);
        Self { journal, store, _folder }
    }

    fn writer(&self) -> Writer {
        self.journal.writer(EPOCH)
    }

    /// Makes the committer take everything that it was called for.
    async fn commit_what_waits(&self) {
        let mut other = storage::Batch::new();
        journal::set_epoch(&mut other, self.journal.tenant, Uuid::now_v7(), EPOCH);
        self.store.commit(other).await.unwrap();
    }

    /// The events that are on disk.
    fn written(&self) -> Vec<Event> {
        self.store.journal_read(self.journal.tenant, self.journal.run, 0, usize::MAX).unwrap()
    }

    /// Commits one more event and the run's terminal record, of which there can be only one.
    fn seal(&self, first_seq: u64) -> PendingCommit {
        let prepared = self.store.prepare(|tx| {
            journal::put_terminal(tx.batch(), self.journal.tenant, self.journal.run, "{}".into());
            Ok::<_, storage::Error>(())
        });
        let ((), batch, rings) = prepared.unwrap();
        self.writer().seal([title("sealed")], first_seq, batch, rings).unwrap()
    }
}

fn delta(text: &str) -> EventData {
    EventData::TextDelta { part: "1".into(), text: text.into() }
}

fn title(title: &str) -> EventData {
    EventData::Title { title: title.into() }
}

const NEVER: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn seal_after_a_preview_shares_the_commit_of_waiting_events() {
    // Retried because the committer may take the waiting events before they are previewed.
    for _ in 0..100 {
        if seal_in_view_of_two().await == 3 {
            return;
        }
    }
    panic!("the events never shared one commit");
}

/// Seals an event after a preview of two others. Returns the number of events in the first commit.
async fn seal_in_view_of_two() -> usize {
    let scene = Scene::set(NEVER).await;
    let writer = scene.writer();
    writer.push(title("a")).unwrap();
    writer.push(delta("b")).unwrap();
    let preview = writer.preview().await.unwrap();
    assert_eq!((preview.durable, preview.ahead.len(), preview.next_seq()), (0, 2, 3));
    scene.seal(preview.next_seq()).verdict().await.unwrap();
    let chunk = scene.journal.read(0).next().await.unwrap().unwrap();
    let written = scene.written();
    assert_eq!(written[..2], preview.ahead[..]);
    assert_eq!(written[..chunk.events.len()], chunk.events);
    assert_eq!(written.len(), 3);
    chunk.events.len()
}

#[tokio::test]
async fn rejected_seal_leaves_earlier_events() {
    let scene = Scene::set(NEVER).await;
    let writer = scene.writer();
    let mut other = storage::Batch::new();
    journal::put_terminal(&mut other, scene.journal.tenant, scene.journal.run, "{}".into());
    scene.store.commit(other).await.unwrap();
    writer.push(delta("a")).unwrap();
    let preview = writer.preview().await.unwrap();
    assert_eq!(scene.seal(preview.next_seq()).verdict().await, Err(SealError::Conflict));
    writer.push(title("b")).unwrap();
    let again = writer.preview().await.unwrap();
    assert_eq!(again.next_seq(), 3);
    writer.flush().await.unwrap();
    let written = scene.written();
    assert_eq!(written[..1], preview.ahead[..]);
    assert_eq!(written[again.durable as usize..], again.ahead[..]);
    assert_eq!(scene.journal.lag(), 0);
}

#[tokio::test]
async fn seal_detects_events_pushed_after_the_preview() {
    let scene = Scene::set(NEVER).await;
    let writer = scene.writer();
    writer.push(delta("a")).unwrap();
    let preview = writer.preview().await.unwrap();
    writer.push(delta("b")).unwrap();
    assert_eq!(scene.seal(preview.next_seq()).verdict().await, Err(SealError::Moved));
    writer.flush().await.unwrap();
    assert_eq!(scene.written().len(), 2, "it did not fold into what was told");
    assert_eq!(scene.written()[..1], preview.ahead[..]);
}

#[tokio::test]
async fn preview_fails_for_an_older_epoch() {
    let scene = Scene::set(NEVER).await;
    let writer = scene.writer();
    writer.push(delta("a")).unwrap();
    scene.journal.begin_epoch(EPOCH + 1).await;
    assert_eq!(writer.preview().await.err(), Some(WriteError));
    let preview = scene.journal.writer(EPOCH + 1).preview().await.unwrap();
    assert_eq!(preview.next_seq(), 1, "what no reader has seen is gone");
}

#[derive(Clone, Debug)]
enum Step {
    Delta(String),
    Title,
    Group(usize),
    Records,
    Flush,
    Look,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => "[a-z]{1,9}".prop_map(Step::Delta),
        2 => Just(Step::Title),
        1 => (1..90usize).prop_map(Step::Group),
        1 => Just(Step::Records),
        1 => Just(Step::Flush),
        2 => Just(Step::Look),
    ];
    prop::collection::vec(step, 1..40)
}

/// Checks that the events in a preview are the ones that are written, whatever is pushed and whenever the committer
/// runs.
async fn looks_come_true(steps: Vec<Step>) {
    let scene = Scene::set(Duration::ZERO).await;
    let writer = scene.writer();
    let mut looks = Vec::new();
    for step in steps {
        match step {
            Step::Delta(text) => writer.push(delta(&text)).unwrap(),
            Step::Title => writer.push(title("t")).unwrap(),
            Step::Group(size) => writer.push_all(vec![title("g").into(); size]).unwrap(),
            Step::Records => {
                let prepared = scene.store.prepare(|_| Ok::<_, storage::Error>(()));
                let ((), batch, rings) = prepared.unwrap();
                writer.seal([title("r")], 0, batch, rings).unwrap();
            }
            Step::Flush => writer.flush().await.unwrap(),
            Step::Look => looks.push(writer.preview().await.unwrap()),
        }
    }
    let last = writer.preview().await.unwrap();
    scene.seal(last.next_seq()).verdict().await.unwrap();
    let written = scene.written();
    assert_eq!(written.len() as u64, last.next_seq());
    for look in looks.into_iter().chain([last]) {
        let from = look.durable as usize;
        assert_eq!(written[from..from + look.ahead.len()], look.ahead[..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn previews_match_the_written_events(steps in steps()) {
        tokio::runtime::Runtime::new().unwrap().block_on(looks_come_true(steps));
    }
}

fn ended() -> EventData {
    let terminal = crate::Terminal {
        status: storage::records::RunState::Succeeded,
        reason: None,
        cancelled_by: None,
        error: None,
        usage: Default::default(),
        cost_nanos: 0,
        last_seq: 0,
        started_at: None,
        finished_at: storage::Timestamp::now(),
        partial: false,
    };
    EventData::RunEnded { terminal }
}

/// Commits the unloading of the run, if the next event would get this sequence number.
fn unload(writer: &Writer, store: &Store, next_seq: u64) -> PendingCommit {
    let ((), batch, rings) = store.prepare(|_| Ok::<_, storage::Error>(())).unwrap();
    writer.seal_unloaded(next_seq, batch, rings).unwrap()
}

#[tokio::test]
async fn cursor_of_an_unloaded_run_continues_in_its_next_journal() {
    let scene = Scene::set(Duration::ZERO).await;
    let (store, tenant, run) = (scene.store.clone(), scene.journal.tenant, scene.journal.run);
    let journals = Journals::new(usize::MAX);
    let open = |epoch, end| {
        let limits = JournalLimits::default();
        RunJournal::open_within(journals.clone(), store.clone(), (tenant, run), epoch, end, limits)
    };
    let first = open(EPOCH, 0);
    let writer = first.writer(EPOCH);
    writer.push(title("a")).unwrap();
    writer.flush().await.unwrap();
    let (mut cursor, mut slow) = (first.read(0), first.read(0));
    assert_eq!(cursor.next().await.unwrap().unwrap().last_seq(), 1);
    writer.push(title("b")).unwrap();
    assert_eq!(unload(&writer, &store, 2).verdict().await, Err(SealError::Moved), "there is a new event");
    unload(&writer, &store, 3).verdict().await.unwrap();
    assert!(first.mark().is_over() && !first.mark().ended);
    assert_eq!(writer.push(title("c")), Err(WriteError));
    drop((writer, first));
    assert_eq!(cursor.next().await.unwrap().unwrap().last_seq(), 2);

    let reader = tokio::spawn(async move {
        let next = cursor.next().await.unwrap().unwrap();
        (cursor, next)
    });
    while journals.waiting() == 0 {
        tokio::task::yield_now().await;
    }
    let mut next = storage::Batch::new();
    journal::set_epoch(&mut next, tenant, run, EPOCH + 1);
    store.commit(next).await.unwrap();
    let second = open(EPOCH + 1, 2);
    second.announce();
    let writer = second.writer(EPOCH + 1);
    writer.push(title("c")).unwrap();
    let (mut cursor, next) = reader.await.unwrap();
    assert_eq!((next.first_seq(), next.last_seq()), (3, 3));
    let mut seen = 0;
    while seen < 3 {
        seen = slow.next().await.unwrap().unwrap().last_seq();
    }
    let sealed = store.prepare(|tx| {
        journal::put_terminal(tx.batch(), tenant, run, "{}".into());
        Ok::<_, storage::Error>(())
    });
    let ((), batch, rings) = sealed.unwrap();
    writer.seal([ended()], 0, batch, rings).unwrap().verdict().await.unwrap();
    for cursor in [&mut cursor, &mut slow] {
        assert_eq!(cursor.next().await.unwrap().unwrap().last_seq(), 4);
        assert!(cursor.next().await.unwrap().is_none());
    }
    drop((cursor, slow, writer, second));
    while journals.waiting() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn journals_share_a_budget_and_readers_continue_from_disk() {
    let scene = Scene::set(Duration::ZERO).await;
    let journals = super::Journals::new(64 * 1024);
    let (tenant, limits) = (scene.journal.tenant, JournalLimits::default());
    let mut opened = Vec::new();
    for _ in 0..4 {
        let run = Uuid::now_v7();
        let begun = scene.store.run(move |tx| {
            journal::set_epoch(tx.batch(), tenant, run, EPOCH);
            Ok::<_, storage::Error>(())
        });
        begun.await.unwrap();
        let open =
            RunJournal::open_within(journals.clone(), scene.store.clone(), (tenant, run), EPOCH, 0, limits);
        opened.push(open);
    }
    for round in 0..20 {
        for journal in &opened {
            let writer = journal.writer(EPOCH);
            writer.push(title(&format!("{round} {}", "x".repeat(4_000)))).unwrap();
            writer.flush().await.unwrap();
            assert!(journals.memory() <= 64 * 1024, "{}", journals.memory());
        }
    }
    for journal in &opened {
        let (mut cursor, mut seen) = (journal.read(0), 0);
        while seen < 20 {
            seen += cursor.next().await.unwrap().expect("an event").events.len();
        }
        assert_eq!(cursor.position(), 20);
    }
    drop(opened);
    // A timer may hold a journal for a moment.
    let freed = async {
        while journals.memory() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), freed).await.expect("ended journals use no memory");
}

#[tokio::test]
async fn push_folds_the_deltas_of_a_burst() {
    let scene = Scene::set(Duration::ZERO).await;
    let writer = scene.writer();
    let mut text = String::new();
    for number in 0..200 {
        let word = format!("{number} ");
        writer.push(delta(&word)).unwrap();
        text.push_str(&word);
        // Gives the committer time for one commit per delta, if it made that many.
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
    }
    writer.flush().await.unwrap();
    let events = scene.written();
    let shown: String = events
        .iter()
        .map(|event| match serde_json::from_slice(&event.json).unwrap() {
            EventData::TextDelta { text, .. } => text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(shown, text);
    assert!(events.len() < 100, "{} events", events.len());
}

#[test]
fn pending_commits_the_first_words_without_delay() {
    let (tenant, run) = (TenantId(Uuid::now_v7()), Uuid::now_v7());
    let mut pending = Pending::new(EPOCH, 1, Pace::Followed, Arc::new(CommitRate::new()));
    let mut push = |data: EventData| {
        let call = pending.push(Item::Event(data.into(), storage::Timestamp::now()));
        if call == Call::Now {
            pending.take(tenant, run).expect("a batch");
            let in_flight = pending.in_flight.take().expect("what was taken");
            pending.landed(&in_flight, true);
            assert_eq!(pending.next_call(), Call::None);
        }
        call
    };
    assert_eq!(push(title("On owls")), Call::Now);
    assert_eq!(push(delta("Owls ")), Call::Now);
    // From here on the deltas are a burst, unless the machine has paused in between.
    assert!((0..1_000).map(|_| push(delta("and "))).any(|call| call != Call::Now));
}

#[tokio::test]
async fn flush_does_not_wait_for_the_pace_of_deltas() {
    let scene = Scene::set(Duration::ZERO).await;
    let writer = scene.writer();
    for number in 0..50 {
        writer.push(delta("word ")).unwrap();
        writer.push(title(&number.to_string())).unwrap();
        // Each flush starts while the delay of the previous one is running.
        writer.flush().await.unwrap();
    }
    assert_eq!(scene.written().len(), 100);
}

#[tokio::test]
async fn unfollowed_events_wait_for_a_reader() {
    let scene = Scene::unfollowed().await;
    let writer = scene.writer();
    writer.push(delta("a")).unwrap();
    writer.push(title("b")).unwrap();
    scene.commit_what_waits().await;
    assert_eq!(scene.written(), []);
    let mut reader = scene.journal.read(0);
    assert_eq!(reader.next().await.unwrap().unwrap().events.len(), 2);
    // The reader will wait for the next event.
    writer.push(title("c")).unwrap();
    assert_eq!(reader.next().await.unwrap().unwrap().first_seq(), 3);
    drop(reader);
    writer.push(title("d")).unwrap();
    scene.commit_what_waits().await;
    assert_eq!(scene.written().len(), 3);
    writer.flush().await.unwrap();
    assert_eq!(scene.written().len(), 4);
}

#[tokio::test]
async fn full_entry_is_committed_without_a_reader() {
    let scene = Scene::unfollowed().await;
    let writer = scene.writer();
    for _ in 0..4 {
        writer.push(delta(&"x".repeat(20_000))).unwrap();
    }
    // Without a call of the committer this would wait forever.
    while scene.journal.mark().seq == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn until_end_does_not_count_as_following() {
    let scene = Scene::unfollowed().await;
    let writer = scene.writer();
    let mut reader = scene.journal.read(0).whole();
    let waiting = tokio::spawn(async move {
        reader.until_end().await;
        reader.next().await.unwrap().unwrap().events.len()
    });
    writer.push(delta("a")).unwrap();
    tokio::task::yield_now().await;
    scene.commit_what_waits().await;
    assert_eq!(scene.written(), []);
    let preview = writer.preview().await.unwrap();
    let terminal = crate::Terminal {
        status: storage::records::RunState::Succeeded,
        reason: None,
        cancelled_by: None,
        error: None,
        usage: Default::default(),
        cost_nanos: 0,
        last_seq: preview.next_seq(),
        started_at: None,
        finished_at: storage::Timestamp::now(),
        partial: false,
    };
    let last = [EventData::RunEnded { terminal }];
    let ((), batch, rings) = scene.store.prepare(|_| Ok::<_, storage::Error>(())).unwrap();
    let sealed = writer.seal(last, preview.next_seq(), batch, rings).unwrap();
    sealed.verdict().await.unwrap();
    assert_eq!(waiting.await.unwrap(), 2, "everything came with the end");
}

#[tokio::test]
async fn text_deltas_are_serialized_like_all_other_events() {
    let scene = Scene::set(Duration::ZERO).await;
    let text = "a \"quoted\" line\n\u{1}\u{1f600}\\";
    scene.writer().push(delta(text)).unwrap();
    scene.writer().flush().await.unwrap();
    let json = scene.written()[0].json.clone();
    let event: crate::StreamEvent = serde_json::from_slice(&json).unwrap();
    assert_eq!(event.event, delta(text));
    assert_eq!(serde_json::to_vec(&event).unwrap(), json);
}
