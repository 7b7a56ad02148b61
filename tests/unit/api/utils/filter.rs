use serde_json::json;
use understudy::parts::api::{
    DocumentToFilter, KeptDocument, LLMFilterDocumentsRequest, kept_documents, shorten,
};

fn request(texts: &[&str], max: Option<usize>) -> LLMFilterDocumentsRequest {
    let document = |(at, text): (usize, &&str)| DocumentToFilter {
        id: format!("d{at}"),
        text: (*text).to_owned(),
        title: None,
    };
    let documents = texts.iter().enumerate().map(document).collect();
    LLMFilterDocumentsRequest { query: "q".into(), documents, model: None, max }
}

#[test]
fn kept_documents_ignores_unknown_and_repeated_numbers() {
    let selection = json!({"kept": [{"number": 2, "reason": " yes "}, {"number": 9, "reason": "x"}, {"number": 0},
        {"number": 2, "reason": "again"}, {"number": -1}, {"number": "1"}, 7, {"number": 1}]});
    let ids = |max| kept_documents(&request(&["a", "b"], max), Some(&selection)).unwrap();
    let first = KeptDocument { id: "d1".into(), reason: "yes".into() };
    let second = KeptDocument { id: "d0".into(), reason: String::new() };
    assert_eq!(ids(None), [first.clone(), second]);
    assert_eq!(ids(Some(1)), [first]);
    for useless in [json!({}), json!([1]), json!({"kept": "all"})] {
        assert!(kept_documents(&request(&["a"], None), Some(&useless)).is_err(), "{useless}");
    }
}

#[test]
fn shorten_truncates_the_longest_documents_first() {
    let mut documents = request(&["éé", "1234567890", "123456"], None).documents;
    assert!(!shorten(&mut documents, 18));
    assert!(shorten(&mut documents, 12));
    let texts: Vec<&str> = documents.iter().map(|document| document.text.as_str()).collect();
    assert_eq!(texts, ["éé", "12345", "12345"]);
}
