//! Reports match the recorded activity, for any time span.

use super::doctor::{harm, look};
use super::usage::{record, user};
use super::{HERE, THERE, store};
use crate::accounting::{book, count, count_accepted, count_ended};
use crate::engine::counters;
use crate::migrations::MIGRATIONS;
use crate::records::activity::{
    Activity, ActivityContext, ActivityCount, Heading, OfAssistant, OfModel, OfUser, Window, last_busy,
};
use crate::records::ledger::{QUARTER_MS, quarter_from};
use crate::records::usage::Spend;
use crate::records::{Conversation, Message, MessageRole, Run, RunKind, RunState, UsageRecord};
use crate::{Error, Reader, Store, StoreOptions, Timestamp, Tx, new_id};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use uuid::Uuid;

const DAY: i64 = 86_400_000;
/// 2026-12-20, so that days of two months and two years are included.
const BEGIN: i64 = 1_797_724_800_000;

fn context(at: i64, numbers: [u8; 3]) -> ActivityContext {
    let [who, with, model] = numbers.map(u128::from);
    ActivityContext {
        at: Timestamp::from_millis(BEGIN + at),
        user: user(who % 5),
        assistant_id: (with % 4 > 0).then(|| user(50 + with % 4)),
        model: ["a/b", "a/b/c", "c\0d"][(model % 3) as usize].into(),
    }
}

fn activity(number: u8) -> Activity {
    let number = u64::from(number);
    let spend = Spend { requests: number % 2, cost_nanos: number * 7, ..Spend::default() };
    Activity { spend, messages: number % 3, conversations: number % 5 / 4, errors: number % 7 / 6 }
}

fn read<T>(store: &Store, look: impl FnOnce(&Reader) -> crate::Result<T>) -> T {
    store.read_now(look).unwrap()
}

/// The expected result for a span, computed here.
fn expected<H: Heading>(
    deeds: &[(ActivityContext, Activity)],
    span: &Range<Timestamp>,
) -> BTreeMap<H, ActivityCount> {
    let mut sums = BTreeMap::<H, (Activity, HashSet<Uuid>)>::new();
    for (context, activity) in deeds.iter().filter(|(context, _)| span.contains(&context.at)) {
        let sum = sums.entry(H::from_context(context)).or_default();
        sum.0 = sum.0.plus(*activity);
        sum.1.insert(context.user);
    }
    let counted =
        |(activity, users): (Activity, HashSet<Uuid>)| ActivityCount { activity, users: users.len() as u64 };
    sums.into_iter().map(|(heading, sum)| (heading, counted(sum))).collect()
}

fn holds<H: Heading + std::fmt::Debug>(
    store: &Store,
    deeds: &[(ActivityContext, Activity)],
    span: &Range<Timestamp>,
) {
    let counts = read(store, |reader| Window::open(reader, HERE, span)?.with_users::<H>());
    assert_eq!(counts, expected::<H>(deeds, span));
    let alone = read(store, |reader| {
        let window = Window::open(reader, HERE, span)?;
        counts
            .keys()
            .map(|heading| Ok((heading.clone(), window.count(heading)?)))
            .collect::<Result<_, Error>>()
    });
    assert_eq!(counts, alone);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn reports_of_any_span_match_the_activity_in_it(
        samples in proptest::collection::vec((0..40 * DAY, any::<[u8; 3]>(), 1u8..), 1..60),
        spans in proptest::collection::vec((-2 * DAY..42 * DAY, 0..30 * DAY), 1..6),
    ) {
        let (_dir, store) = store();
        let deeds: Vec<_> = samples.into_iter().map(|(at, who, what)| (context(at, who), activity(what)))
            .filter(|(_, activity)| *activity != Activity::default() && busy(activity)).collect();
        for (context, activity) in &deeds {
            store.run_blocking(|tx| { count(tx, HERE, context, activity); Ok::<_, Error>(()) }).unwrap();
        }
        for (start, length) in spans {
            let at = |at| quarter_from(Timestamp::from_millis(BEGIN + at));
            let span = at(start)..at(start + length);
            holds::<OfAssistant>(&store, &deeds, &span);
            holds::<OfModel>(&store, &deeds, &span);
            let users = read(&store, |reader| Window::open(reader, HERE, &span)?.by::<OfUser>());
            let all = expected::<OfUser>(&deeds, &span);
            prop_assert_eq!(&users, &all.iter().map(|(user, sum)| (*user, sum.activity)).collect());
            let busy = read(&store, |reader| Window::open(reader, HERE, &span)?.users());
            prop_assert_eq!(busy, all.keys().map(|user| user.0).collect::<BTreeSet<_>>());
        }
        let mut last = BTreeMap::new();
        for (context, _) in &deeds {
            let at = last.entry(OfAssistant::from_context(context)).or_insert(context.at);
            *at = context.at.max(*at);
        }
        prop_assert_eq!(read(&store, |reader| last_busy::<OfAssistant>(reader, HERE)), last);
        prop_assert_eq!(read(&store, |reader| last_busy::<OfModel>(reader, THERE)), BTreeMap::new());
    }
}

/// Entries that only contain the cost of a request do not count as activity.
fn busy(activity: &Activity) -> bool {
    let Activity { spend, messages, conversations, errors } = activity;
    spend.requests + messages + conversations + errors > 0
}

/// The problems that the doctor finds with activity. The runs here have no journals.
fn of_activity(store: &Store) -> Vec<String> {
    let places = look(store, false).problems.into_iter().map(|problem| problem.where_);
    places.filter(|place| place.contains("activity")).collect()
}

fn answer(conversation: Option<Uuid>, state: RunState) -> Run {
    Run {
        kind: RunKind::Completion,
        user: user(1),
        conversation_id: conversation,
        model: "m".into(),
        state,
        ..Run::default()
    }
}

#[test]
fn runs_are_counted_by_the_commits_that_accept_and_end_them() {
    let (_dir, store) = store();
    let conversation = new_id();
    let run = |tx: &mut Tx, state: RunState, added: u64| -> Result<(), Error> {
        let run = answer(Some(conversation), state);
        count_accepted(tx, HERE, &run, added)?;
        let row = tx.insert(HERE, new_id(), run)?;
        count_ended(tx, HERE, &row);
        Ok(())
    };
    for (state, added) in [(RunState::Succeeded, 1), (RunState::Failed, 1), (RunState::Cancelled, 0)] {
        store.run_blocking(|tx| run(tx, state, added)).unwrap();
    }
    store.run_blocking(|tx| count_accepted(tx, HERE, &answer(None, RunState::Queued), 1)).unwrap();
    // A refused transaction counts nothing.
    let refused: Result<(), Error> = store.run_blocking(|tx| {
        run(tx, RunState::Failed, 1)?;
        Err(Error::Busy)
    });
    assert!(refused.is_err());
    let now = Timestamp::now();
    let span = Timestamp::from_millis(now.as_millis() - DAY)..quarter_from(now);
    let counted = read(&store, |reader| Window::open(reader, HERE, &span)?.count(&OfUser(user(1))));
    let counts = (counted.activity.messages, counted.activity.conversations, counted.activity.errors);
    assert_eq!(counts, (2 + 2 + 1 + 2, 1, 1));
    assert_eq!(of_activity(&store), [] as [String; 0]);
}

#[test]
fn doctor_recounts_activity() {
    let (_dir, store) = store();
    for number in 0..40 {
        store.run_blocking(|tx| book(tx, HERE, record(number))).unwrap();
        let (context, activity) =
            (context(number as i64 * DAY / 5, [number as u8; 3]), activity(number as u8 | 1));
        store
            .run_blocking(|tx| {
                count(tx, HERE, &context, &Activity { spend: Spend::default(), ..activity });
                Ok::<_, Error>(())
            })
            .unwrap();
    }
    // An entry that consists only of spending disappears if its record does not exist.
    look(&store, true);
    let span = Timestamp::from_millis(0)..Timestamp::from_millis(BEGIN + 400 * DAY);
    let all = || read(&store, |reader| Window::open(reader, HERE, &span)?.with_users::<OfModel>());
    let before = all();
    let scan = |table| {
        let range = crate::engine::KeyRange::prefix(table);
        store.inner.engine.scan(range, Default::default(), 1_000).unwrap()
    };
    harm(&store, |batch| {
        for (table, value) in [(b"ld", counters::encode(&[1; 11])), (b"lp", counters::encode(&[0, 0, 9]))] {
            let rows = scan(table);
            batch.put(rows[0].0.clone(), value);
            batch.delete(rows[1].0.clone());
        }
        let last = scan(b"lu");
        batch.put(last[0].0.clone(), Timestamp::from_millis(QUARTER_MS).sortable().to_vec());
        batch.delete(last[1].0.clone());
        let mut stray = scan(b"lp")[2].0.to_vec();
        *stray.last_mut().unwrap() ^= 0x55;
        batch.put(stray, counters::encode(&[1]));
        // An entry that only contains usage is restored from its records.
        let entries = scan(b"la");
        let used = entries.iter().find(|(_, stored)| counters::all(stored).len() <= 8).unwrap();
        batch.delete(used.0.clone());
    });
    assert_eq!(look(&store, false).problems.len(), 8);
    assert!(look(&store, true).is_sound());
    assert_eq!(look(&store, false).problems, []);
    assert_eq!(all(), before);
}

#[test]
fn migration_counts_activity_of_older_data() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_with(StoreOptions::new(dir.path()), None, &MIGRATIONS[..2]).unwrap();
    let conversation = new_id();
    let say = |tx: &mut Tx, parent_id: Option<Uuid>, run_id: Option<Uuid>| -> Result<Uuid, Error> {
        let role = if run_id.is_some() { MessageRole::Assistant } else { MessageRole::User };
        let message = Message { parent_id, role, run_id, ..Message::default() };
        Ok(tx.insert_row(HERE, (conversation, new_id()), message)?.id.1)
    };
    let reply = |tx: &mut Tx, parent: Uuid, state: RunState| -> Result<Uuid, Error> {
        let run = new_id();
        let message = say(tx, Some(parent), Some(run))?;
        tx.insert(HERE, run, Run { message_id: Some(message), ..answer(Some(conversation), state) })?;
        Ok(message)
    };
    store
        .run_blocking(|tx| {
            tx.insert(HERE, conversation, Conversation { owner: user(1), ..Conversation::default() })?;
            let question = say(tx, None, None)?;
            reply(tx, question, RunState::Failed)?;
            let answered = reply(tx, question, RunState::Succeeded)?;
            let second = say(tx, Some(answered), None)?;
            reply(tx, second, RunState::Succeeded)?;
            tx.insert(HERE, new_id(), Run { kind: RunKind::Ingest, ..answer(None, RunState::Failed) })?;
            tx.insert(
                HERE,
                new_id(),
                UsageRecord {
                    user: user(1),
                    ts: Timestamp::now(),
                    model: "m".into(),
                    cost_nanos: 5,
                    ..UsageRecord::default()
                },
            )
        })
        .unwrap();
    drop(store);
    let store = Store::open_with(StoreOptions::new(dir.path()), None, MIGRATIONS).unwrap();
    let span = Timestamp::from_millis(0)..Timestamp::from_millis(Timestamp::now().as_millis() + DAY);
    let counts = read(&store, |reader| Window::open(reader, HERE, &span)?.with_users::<OfModel>());
    let spend = Spend { requests: 1, cost_nanos: 5, ..Spend::default() };
    let activity = Activity { spend, messages: 5, conversations: 1, errors: 1 };
    assert_eq!(counts, BTreeMap::from([(OfModel("m".into()), ActivityCount { activity, users: 1 })]));
    assert_eq!(of_activity(&store), [] as [String; 0]);
}
