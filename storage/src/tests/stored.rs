//! Counters of stored bytes, the limits on them, and the declared bound of every record type.

use super::doctor::{harm, look, mends};
use super::{HERE, store};
use crate::growth::{Stored, bounds};
use crate::migrations::MIGRATIONS;
use crate::records::{
    Attachment, Conversation, Memory, Message, MessageRole, Part, Run, RunInput, Skill, SkillContent, TABLES,
};
use crate::{Error, LimitReached, Reader, Result, Store, StoreOptions, StoredLimits, new_id};
use std::collections::BTreeSet;
use uuid::Uuid;

const ANN: Uuid = Uuid::from_u128(501);
const BEN: Uuid = Uuid::from_u128(502);

fn text(characters: usize) -> Message {
    Message { parts: vec![Part::Text { text: "x".repeat(characters) }], ..Message::default() }
}

fn conversation(store: &Store, owner: Uuid) -> Uuid {
    let id = new_id();
    let body = Conversation { owner, ..Conversation::default() };
    store.run_blocking(|tx| tx.insert(HERE, id, body.clone()).map(drop)).unwrap();
    id
}

fn say(store: &Store, conversation: Uuid, message: Message) -> Result<Uuid> {
    let id = new_id();
    store.run_blocking(|tx| tx.insert_message(HERE, (conversation, id), message.clone()).map(drop))?;
    Ok(id)
}

fn reached(refused: Result<Uuid>) -> LimitReached {
    match refused {
        Err(Error::LimitReached(reached)) => *reached,
        other => panic!("not refused for a limit: {other:?}"),
    }
}

fn stored<T>(store: &Store, read: impl FnOnce(&Reader) -> Result<T>) -> T {
    store.read_now(read).unwrap()
}

fn of_user(store: &Store, user: Uuid) -> Stored {
    stored(store, |reader| Stored::of_user(reader, HERE, user))
}

#[test]
fn messages_of_a_conversation_are_limited_by_number() {
    let (_dir, store) = store();
    store.set_limits(StoredLimits { conversation_messages: 3, ..StoredLimits::default() });
    let home = conversation(&store, ANN);
    let ids: Vec<_> = (0..3).map(|_| say(&store, home, text(10)).unwrap()).collect();
    let refused = reached(say(&store, home, text(10)));
    assert_eq!(
        (refused.of, refused.unit, refused.limit, refused.current),
        ("conversation", "messages", 3, 3)
    );
    assert_eq!(refused.setting, "limits.conversation_messages");
    // Another conversation has its own count, and deleting a message makes room.
    say(&store, conversation(&store, ANN), text(10)).unwrap();
    store.run_blocking(|tx| tx.delete_message(HERE, &(home, ids[0]))).unwrap();
    say(&store, home, text(10)).unwrap();
    assert_eq!(look(&store, false).problems, []);
}

#[test]
fn messages_of_a_conversation_are_limited_by_bytes() {
    let (_dir, store) = store();
    store.set_limits(StoredLimits { conversation_bytes: 100_000, ..StoredLimits::default() });
    let home = conversation(&store, ANN);
    // The text of a user's message does not change, but that of an answer does.
    let answer = Message { role: MessageRole::Assistant, ..text(60_000) };
    let first = say(&store, home, answer).unwrap();
    assert_eq!(reached(say(&store, home, text(60_000))).unit, "bytes");
    // Attachments count, and so does enlarging a message.
    let mut with_file = text(1);
    let blob_id = serde_json::from_value(serde_json::json!("ab".repeat(32))).unwrap();
    let file = Attachment { blob_id, filename: "a".into(), media_type: "a/b".into(), size: 60_000 };
    with_file.attachments.push(file);
    reached(say(&store, home, with_file));
    let grow = |characters: usize| {
        store.run_blocking(|tx| {
            let mut row = tx.require::<Message>(HERE, &(home, first))?;
            row.body.parts = text(characters).parts;
            tx.update_message(HERE, row).map(|row| row.id.1)
        })
    };
    assert_eq!(reached(grow(120_000)).limit, 100_000);
    grow(90_000).unwrap();
    grow(10).unwrap();
    say(&store, home, text(60_000)).unwrap();
    assert_eq!(look(&store, false).problems, []);
}

#[test]
fn small_changes_do_not_add_up_beyond_a_limit() {
    let (_dir, store) = store();
    let home = conversation(&store, ANN);
    let message = say(&store, home, text(10)).unwrap();
    store.set_limits(StoredLimits { user_bytes: 100_000, ..StoredLimits::default() });
    let grow = |by: usize| {
        store.run_blocking(|tx| {
            let mut row = tx.require::<Message>(HERE, &(home, message))?;
            let [Part::Text { text }] = row.body.parts.as_mut_slice() else { panic!("a text") };
            text.push_str(&"x".repeat(by));
            tx.update_message(HERE, row).map(|_| message)
        })
    };
    let refused = (0..1_000).find_map(|_| grow(4_000).err()).expect("one is refused");
    assert_eq!(reached(Err(refused)).setting, "limits.stored_mib_per_user");
    assert!(of_user(&store, ANN).bytes <= 100_000 + (1 << 20), "{:?}", of_user(&store, ANN));
    grow(100).expect("a flag can still be set");
}

#[test]
fn reached_limit_allows_rows_to_shrink_and_small_changes() {
    let (_dir, store) = store();
    let home = conversation(&store, ANN);
    say(&store, home, text(10_000)).unwrap();
    let small = StoredLimits { user_bytes: 1_000, tenant_bytes: 1_000, ..StoredLimits::default() };
    store.set_limits(small);
    let rename = store.run_blocking(|tx| {
        let mut row = tx.require::<Conversation>(HERE, &home)?;
        row.body.title = Some("a new title".into());
        tx.update(HERE, row).map(drop)
    });
    rename.unwrap_or_else(|why: Error| panic!("{why}"));
    assert_eq!(reached(say(&store, home, text(1))).of, "tenant");
    store.set_limits(StoredLimits { tenant_bytes: 0, ..small });
    let refused = reached(say(&store, home, text(1)));
    assert_eq!((refused.of, refused.setting), ("user", "limits.stored_mib_per_user"));
    // Work that was accepted before is completed regardless of the limits.
    let answer = store.prepare(|tx| tx.insert_message(HERE, (home, new_id()), text(5_000)).map(drop));
    let ((), batch, _) = answer.unwrap_or_else(|why: Error| panic!("{why}"));
    store.commit_blocking(batch).unwrap();
    store.run_blocking(|tx| tx.delete_conversation(HERE, home)).unwrap();
    assert_eq!(of_user(&store, ANN), Stored::default());
    assert_eq!(stored(&store, |reader| Stored::of_tenant(reader, HERE)), Stored::default());
    assert_eq!(look(&store, false).problems, []);
}

#[test]
fn concurrent_writers_never_exceed_a_limit() {
    let (_dir, store) = store();
    let limits = StoredLimits { user_bytes: 50_000, ..StoredLimits::default() };
    store.set_limits(limits);
    let refused: usize = std::thread::scope(|scope| {
        let write = |number: u128| {
            let store = store.clone();
            move || {
                let write = |_| {
                    let memory = Memory { content: "y".repeat(900), ..Memory::default() };
                    let id = (if number.is_multiple_of(2) { ANN } else { BEN }, new_id());
                    store.run_blocking(|tx| tx.insert(HERE, id, memory.clone()).map(drop)).is_err()
                };
                (0..40).map(write).filter(|refused| *refused).count()
            }
        };
        let all: Vec<_> = (0..8).map(|number| scope.spawn(write(number))).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(refused > 0);
    for user in [ANN, BEN] {
        let held = of_user(&store, user);
        assert!(held.bytes <= limits.user_bytes && held.bytes > limits.user_bytes - 2_000, "{held:?}");
    }
    assert_eq!(look(&store, false).problems, []);
}

#[test]
fn charges_move_with_the_owner() {
    let (_dir, store) = store();
    let skill = new_id();
    let (body, content) = (Skill { owner: ANN, ..Skill::default() }, SkillContent::default());
    let content = SkillContent { instructions: "z".repeat(5_000), ..content };
    let make = store.run_blocking(|tx| {
        // The version is inserted before the skill that it belongs to.
        tx.insert(HERE, (skill, "one".to_owned()), content.clone())?;
        tx.insert(HERE, skill, body.clone()).map(drop)
    });
    make.unwrap_or_else(|why: Error| panic!("{why}"));
    let before = of_user(&store, ANN);
    assert!(before.bytes > 5_000 && before.rows == 2, "{before:?}");
    store.set_limits(StoredLimits { user_bytes: 1, ..StoredLimits::default() });
    let give = store.run_blocking(|tx| {
        let mut row = tx.require::<Skill>(HERE, &skill)?;
        row.body.owner = BEN;
        tx.update(HERE, row).map(drop)
    });
    give.unwrap_or_else(|why: Error| panic!("{why}"));
    assert_eq!((of_user(&store, ANN), of_user(&store, BEN)), (Stored::default(), before));
    let run = new_id();
    store.set_limits(StoredLimits::default());
    let start = store.run_blocking(|tx| {
        tx.insert(HERE, run, RunInput::default())?;
        tx.insert(HERE, run, Run { user: ANN, ..Run::default() }).map(drop)
    });
    start.unwrap_or_else(|why: Error| panic!("{why}"));
    assert_eq!(of_user(&store, ANN).rows, 2);
    let problems = look(&store, false).problems;
    let of_counters = problems.iter().filter(|problem| problem.where_.starts_with("counter"));
    assert_eq!(of_counters.count(), 0, "{problems:?}");
}

#[test]
fn migration_counts_older_data_and_the_doctor_recounts() {
    let dir = tempfile::tempdir().unwrap();
    let before = &MIGRATIONS[..3];
    let home = {
        let store = Store::open_with(StoreOptions::new(dir.path()), None, before).unwrap();
        let home = conversation(&store, ANN);
        say(&store, home, text(10_000)).unwrap();
        let scan = crate::engine::KeyRange::prefix(b"qs");
        let keys = store.inner.engine.scan(scan, Default::default(), 100).unwrap();
        harm(&store, |batch| keys.into_iter().for_each(|(key, _)| batch.delete(key)));
        home
    };
    let limits = StoredLimits { conversation_messages: 1, ..StoredLimits::default() };
    let options = StoreOptions { limits, ..StoreOptions::new(dir.path()) };
    let store = Store::open_with(options, None, MIGRATIONS).unwrap();
    reached(say(&store, home, text(1)));
    assert_eq!(stored(&store, |reader| Stored::of_conversation(reader, HERE, home)).rows, 1);
    let wrong = crate::growth::normalized(Stored { bytes: 5, rows: 5 });
    let key = [b"qs".as_slice(), HERE.as_bytes(), b"u", ANN.as_bytes()].concat();
    harm(&store, |batch| batch.put(key, wrong));
    mends(&store, "counter of stored bytes", "5 bytes in 5 rows");
}

#[test]
fn every_record_type_declares_its_bound_and_the_manual_lists_it() {
    let bounds = bounds();
    let records: BTreeSet<_> = bounds.iter().map(|bound| bound.record).collect();
    for (_, name) in TABLES.iter().filter(|(_, name)| !name.contains(' ') && *name != "secrets") {
        assert!(records.contains(name), "{name} is a table, but no record type declares its bound");
    }
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/limits.md")).unwrap();
    let listed: Vec<_> = manual.lines().filter(|line| line.starts_with("| `")).collect();
    let wanted = bounds.iter().map(|bound| {
        assert!(!bound.by.is_empty(), "{} declares no bound", bound.record);
        format!("| `{}` | {} | {} |", bound.record, bound.class, bound.by)
    });
    let wanted: Vec<_> = wanted.collect();
    assert_eq!(listed, wanted, "docs/limits.md should have these lines:\n{}", wanted.join("\n"));
}

#[test]
fn settings_that_bounds_name_exist() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/config/default.toml");
    let settings = std::fs::read_to_string(path).unwrap();
    for bound in bounds() {
        let named = bound.by.split('`').skip(1).step_by(2);
        for setting in named {
            let (section, key) = setting.split_once('.').unwrap();
            let section = settings.split(&format!("\n[{section}]\n")).nth(1).unwrap_or_default();
            let section = section.split("\n[").next().unwrap_or_default();
            assert!(section.contains(&format!("\n{key} = ")), "{}: no setting {setting}", bound.record);
        }
    }
}
