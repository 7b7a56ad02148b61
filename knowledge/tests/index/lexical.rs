use std::collections::HashMap;

use knowledge::{Change, Lexical, LexicalQuery, Passage};
use uuid::Uuid;

use super::{TestIndex, add, doc};

#[tokio::test]
async fn search_sees_added_and_removed_passages_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    assert!(index.found("kettle").await.is_empty());
    index.put(doc(1), &["The kettle whistles.", "The lamp is lit."]).await;
    assert_eq!(index.found("kettles").await, [(doc(1), 0)]);
    assert_eq!(index.lexical.documents(index.tenant).await.unwrap(), HashMap::from([(doc(1), 2)]));
    index.apply(vec![Change::Remove(doc(1))]).await;
    assert!(index.found("kettle").await.is_empty());
    assert!(index.lexical.documents(index.tenant).await.unwrap().is_empty());
}

#[tokio::test]
async fn apply_treats_generations_as_different_documents() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let later = knowledge::DocKey { generation: 2, ..doc(1) };
    index.put(doc(1), &["an old kettle"]).await;
    index.apply(vec![add(index.base, later, &["a new kettle"]), Change::Remove(doc(1))]).await;
    assert_eq!(index.found("kettle").await, [(later, 0)]);
}

#[tokio::test]
async fn apply_is_idempotent() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let change = || add(index.base, doc(1), &["one kettle", "two kettles"]);
    index.apply(vec![change(), change()]).await;
    index.apply(vec![change()]).await;
    assert_eq!(index.lexical.documents(index.tenant).await.unwrap()[&doc(1)], 2);
    index.apply(vec![change(), Change::Remove(doc(1)), change()]).await;
    assert_eq!(index.lexical.documents(index.tenant).await.unwrap()[&doc(1)], 2);
    index.apply(vec![Change::Remove(doc(1)), Change::Remove(doc(9))]).await;
    assert!(index.found("kettle").await.is_empty());
}

#[tokio::test]
async fn search_separates_tenants_and_bases() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let (other, third) = (Uuid::from_u128(8), Uuid::from_u128(9));
    index.apply(vec![add(index.base, doc(1), &["kettle"]), add(other, doc(2), &["kettle"])]).await;
    assert_eq!(index.found("kettle").await, [(doc(1), 0)]);
    assert_eq!(index.hits_in(&[other, third], "kettle").await.len(), 1);
    assert_eq!(index.hits_in(&[other, index.base, index.base], "kettle").await.len(), 2);
    assert!(index.hits_in(&[third], "kettle").await.is_empty());
    assert!(index.hits_in(&[], "kettle").await.is_empty());
    let stranger = TestIndex { tenant: Uuid::from_u128(77), ..TestIndex::open(dir.path()) };
    assert!(stranger.hits_in(&[index.base, other], "kettle").await.is_empty());
    assert!(stranger.lexical.documents(stranger.tenant).await.unwrap().is_empty());
}

#[tokio::test]
async fn search_scores_do_not_depend_on_the_bases() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let other = Uuid::from_u128(8);
    let passages = ["a kettle and a lamp", "a kettle", "nothing of it"];
    index.apply(vec![add(index.base, doc(1), &passages), add(other, doc(2), &passages)]).await;
    let alone = index.hits("kettle lamp").await;
    let all = index.hits_in(&[index.base, other], "kettle lamp").await;
    assert_eq!((alone.len(), all.len()), (2, 4));
    for hit in alone {
        let same = all.iter().find(|other| (other.document, other.number) == (hit.document, hit.number));
        assert_eq!(same.map(|other| other.score), Some(hit.score));
    }
}

#[tokio::test]
async fn search_prefers_headings_and_rare_words() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let passage = |(number, (headings, text)): (u32, (&str, &str))| Passage {
        number,
        headings: headings.to_owned(),
        text: text.to_owned(),
    };
    let texts = [
        ("Care", "Descaling a kettle"),
        ("Kettle", "Descaling it well"),
        ("Music", "How to sing"),
        ("Ballet", "How to dance"),
        ("Kitchen", "How to cook"),
    ];
    let passages = (0..).zip(texts).map(passage).collect();
    index.apply(vec![Change::Add { base: index.base, document: doc(1), passages }]).await;
    assert_eq!(index.found("kettle").await, [(doc(1), 1), (doc(1), 0)]);
    assert_eq!(index.found("how to sing").await[0], (doc(1), 2));
}

#[tokio::test]
async fn search_has_no_query_syntax() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    index.put(doc(1), &["kettle and lamp", "lamp only"]).await;
    for text in
        ["-kettle", "NOT kettle", "\"kettle", "kettle^99", "headings:kettle", "kettle~", "(kettle", "+kettle"]
    {
        assert_eq!(index.found(text).await[0], (doc(1), 0), "{text}");
    }
    for text in ["kettle -lamp", "kettle AND NOT lamp", "lamp \"kettle lamp\""] {
        assert_eq!(index.found(text).await.len(), 2, "{text}");
    }
    for text in ["", "  ", "*", "**", "base:*", "\u{0}", "[a TO z]", "/.*/", "🙂"] {
        assert!(index.found(text).await.is_empty(), "{text:?}");
    }
}

#[tokio::test]
async fn search_finds_texts_of_all_scripts() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    let texts = [
        "東京都の天気は晴れです",
        "Die Straße nach Köln",
        "Ёлка стоит в углу",
        "café crème",
        "한국어로 쓴 문장",
        "ทดสอบภาษาไทย",
        "مُحَمَّد يكتب",
        "naïve 🙂 emoji",
    ];
    index.put(doc(1), &texts).await;
    let asked = ["天気", "strasse KOLN", "елка", "CAFE creme", "한국어", "ภาษา", "محمد", "naive"];
    for (number, text) in (0..).zip(asked) {
        assert_eq!(index.found(text).await.first(), Some(&(doc(1), number)), "{text}");
    }
    let long = "x".repeat(100_000);
    index.put(doc(2), &[&long]).await;
    assert_eq!(index.found(&long).await, [(doc(2), 0)]);
}

#[tokio::test]
async fn search_limits_hits_and_orders_ties_by_document() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    index.put(doc(1), &["kettle"; 30]).await;
    let numbers: Vec<u32> = index.found("kettle").await.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    for limit in [0, usize::MAX] {
        let query = LexicalQuery { text: "kettle".into(), bases: vec![index.base], limit };
        let hits = index.lexical.search(index.tenant, query).await.unwrap();
        assert_eq!(hits.len(), limit.min(30));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn apply_and_search_run_concurrently() {
    let dir = tempfile::tempdir().unwrap();
    let index = std::sync::Arc::new(TestIndex::open(dir.path()));
    let writers = (0..40u128).map(|number| {
        let index = std::sync::Arc::clone(&index);
        tokio::spawn(async move {
            let text = format!("kettle number{number}");
            index.put(doc(number), &[&text, "and more"]).await;
            // A document is searchable once `apply` has returned, whichever call committed it.
            assert_eq!(index.found(&format!("number{number}")).await[0], (doc(number), 0));
            if number % 2 == 0 {
                index.apply(vec![Change::Remove(doc(number))]).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let held = index.lexical.documents(index.tenant).await.unwrap();
    assert_eq!(held, (0..40).filter(|n| n % 2 == 1).map(|n| (doc(n), 2)).collect());
}

#[tokio::test]
async fn apply_continues_after_its_caller_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    index.put(doc(1), &["first"]).await;
    {
        let mut going = Box::pin(index.put(doc(2), &["kettle"]));
        assert!(futures::poll!(&mut going).is_pending());
    }
    index.put(doc(3), &["last"]).await;
    assert_eq!(index.found("kettle last").await.len(), 2);
}

#[tokio::test]
async fn search_finds_one_of_ten_thousand_passages() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    for document in 0..10u128 {
        let texts: Vec<String> =
            (0..1000).map(|n| format!("passage{} of many words item{}", n, document * 1000 + n)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        index.put(doc(document), &texts).await;
    }
    assert_eq!(index.found("item7321").await[0], (doc(7), 321));
    assert_eq!(index.found("passage500").await.len(), 10);
    let held = index.lexical.documents(index.tenant).await.unwrap();
    assert_eq!(held.values().sum::<u32>(), 10_000);
}

#[tokio::test]
async fn apply_reports_another_writing_process() {
    let dir = tempfile::tempdir().unwrap();
    let index = TestIndex::open(dir.path());
    index.put(doc(1), &["kettle"]).await;
    let second = TestIndex { lexical: Lexical::new(dir.path().into()), ..TestIndex::open(dir.path()) };
    assert_eq!(second.found("kettle").await.len(), 1);
    let refused = second.lexical.apply(second.tenant, vec![add(second.base, doc(2), &["lamp"])]).await;
    assert!(refused.is_err());
    index.put(doc(3), &["kettle"]).await;
    assert_eq!(index.found("kettle lamp").await.len(), 2);
}
