use super::{JournalEvent, KINDS, decode, encode};
use crate::Error;
use crate::time::Timestamp;
use proptest::prelude::*;
use uuid::Uuid;

const RUN: Uuid = Uuid::from_u128(0x0192_f5a4_7c11_7aa2_9d31_5e0f_2b6c_8d47);
const NOW: i64 = 1_795_000_000_123;

fn event(seq: u64, millis: i64, epoch: u32, kind: &'static str, members: &str) -> JournalEvent {
    let ts = Timestamp::from_millis(millis);
    let json = format!(r#"{{"seq":{seq},"ts":"{ts}","run_id":"{RUN}","epoch":{epoch},{members}}}"#);
    JournalEvent { seq, kind: kind.into(), json: json.into() }
}

fn delta(seq: u64, millis: i64, text: &str) -> JournalEvent {
    let members = format!(r#""type":"text.delta","data":{{"part":"1","text":"{text}"}}"#);
    event(seq, millis, 1, "text.delta", &members)
}

fn key(seq: u64) -> Vec<u8> {
    [&b"jr"[..], &[0; 16], RUN.as_bytes(), &seq.to_be_bytes()].concat()
}

/// Decodes what was encoded, and returns the number of bytes in between.
fn assert_round_trip(events: &[JournalEvent]) -> usize {
    let value = encode(RUN, events);
    let first = events.first().map_or(1, |event| event.seq);
    let size = value.len();
    assert_eq!(decode(&key(first), value.into()).expect("a valid entry"), events);
    size
}

#[test]
fn repeated_members_are_not_stored() {
    let events: Vec<_> = (1..=40).map(|seq| delta(seq, NOW + seq as i64, "word ")).collect();
    let json: usize = events.iter().map(|event| event.json.len()).sum();
    let size = assert_round_trip(&events);
    assert!(4 * size < json, "{size} bytes for {json}");
    assert!(assert_round_trip(&events[..1]) < 48);
}

#[test]
fn events_in_other_forms_are_stored_whole() {
    let usual = || delta(7, NOW, "a");
    let text = String::from_utf8(usual().json.to_vec()).expect("text");
    let changed = |from: &str, to: &str| JournalEvent { json: text.replace(from, to).into(), ..usual() };
    let ts = Timestamp::from_millis(NOW).to_string();
    let other_run = Uuid::from_u128(1).to_string();
    for odd in [
        changed(r#""seq":7"#, r#""seq":8"#),
        changed(r#""seq":7"#, r#""seq": 7"#),
        changed(&ts, "2026-02-31T00:00:00.000Z"),
        changed(&ts, "yesterday"),
        changed(&RUN.to_string(), &other_run),
        changed(r#""epoch":1"#, r#""epoch":01"#),
        changed(r#""epoch":1"#, r#""epoch":-1"#),
        changed(r#""epoch":1"#, r#""epoch":99999999999"#),
        changed(r#""epoch":1,"#, r#""epoch":1}"#),
        changed(r#""type":"text.delta""#, r#""type":"text.start""#),
        changed(&text, ""),
        changed(&text, "null"),
        changed(&text[9..], ""),
    ] {
        assert_round_trip(std::slice::from_ref(&odd));
        assert_round_trip(&[delta(6, NOW, "before"), odd, delta(8, NOW + 1, "after")]);
    }
}

#[test]
fn time_may_run_backwards_and_epochs_may_differ() {
    let members = r#""node":"a","type":"node.log","data":{}"#;
    assert_round_trip(&[
        event(1, NOW, 3, "node.log", members),
        event(2, NOW - 5_000, 3, "node.log", members),
        event(3, Timestamp::MAX.as_millis(), 3, "node.log", members),
        event(4, Timestamp::MIN.as_millis(), 3, "node.log", members),
        event(5, NOW, 4, "node.log", members),
        event(6, NOW, 3, "a kind without a code", members),
    ]);
}

#[test]
fn every_kind_has_room_for_its_code() {
    assert!(KINDS.len() <= 63);
    let kinds: std::collections::BTreeSet<_> = KINDS.iter().collect();
    assert_eq!(kinds.len(), KINDS.len(), "positions are stored, so each kind has one");
}

#[test]
fn entries_of_the_former_layout_are_read() {
    let event = delta(3, NOW, "word");
    let mut value = vec![event.kind.len() as u8];
    value.extend_from_slice(event.kind.as_bytes());
    value.extend_from_slice(&(event.json.len() as u32).to_be_bytes());
    value.extend_from_slice(&event.json);
    let events = decode(&key(3), value.repeat(2).into()).expect("a valid entry");
    assert_eq!(events, [event.clone(), JournalEvent { seq: 4, ..event }]);
}

#[test]
fn truncated_and_changed_entries_are_errors() {
    let value = encode(RUN, &[delta(1, NOW, "a"), delta(2, NOW + 1, "b")]);
    let whole = decode(&key(1), value.clone().into()).expect("a valid entry");
    for cut in 1..value.len() {
        match decode(&key(1), value[..cut].to_vec().into()) {
            Err(Error::Corrupt(_)) => {}
            // Cut between the two events.
            Ok(events) => assert_eq!(events, whole[..1]),
            Err(error) => panic!("{error}"),
        }
    }
    for (at, byte) in (0..value.len()).flat_map(|at| [0, 0x3f, 0x7f, 0x80, 0xff].map(|byte| (at, byte))) {
        let mut changed = value.clone();
        changed[at] = byte;
        // Must not panic; what was changed may be text.
        let _ = decode(&key(1), changed.into());
    }
    assert!(matches!(decode(&[1; 7], value.clone().into()), Err(Error::Corrupt(_))));
    assert!(matches!(decode(&[1; 9], value.into()), Err(Error::Corrupt(_))));
}

proptest! {
    #[test]
    fn any_events_are_read_as_they_were_written(
        events in proptest::collection::vec((
            prop_oneof![Just(NOW), any::<i64>()], prop_oneof![Just(1u32), any::<u32>()],
            prop_oneof![Just("text.delta"), Just("run.ended"), Just("other")], ".{0,40}", any::<bool>(),
        ), 1..20),
        first in 1u64..1_000_000_000,
    ) {
        let events: Vec<_> = (first..).zip(events).map(|(seq, (millis, epoch, kind, text, is_usual))| {
            let members = if is_usual { format!(r#""type":"{kind}","data":{text:?}"#) } else { text };
            event(seq, millis, epoch, kind, &members)
        }).collect();
        let value = encode(RUN, &events);
        prop_assert_eq!(decode(&key(first), value.into()).unwrap(), events);
    }
}
