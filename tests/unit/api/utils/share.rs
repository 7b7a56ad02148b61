use understudy::parts::api::DocumentToFilter;
use understudy::parts::api::LLMFilterDocumentsRequest;
use understudy::parts::api::sharing;

fn selected(query: &str, texts: &[&str], max: Option<usize>) -> Vec<(String, String)> {
    let document = |(at, text): (usize, &&str)| DocumentToFilter {
        id: at.to_string(),
        text: (*text).to_owned(),
        title: (at == 0).then(|| "Boats".to_owned()),
    };
    let documents = texts.iter().enumerate().map(document).collect();
    let request = LLMFilterDocumentsRequest { query: query.into(), documents, model: None, max };
    sharing(&request).into_iter().map(|selected| (selected.id, selected.reason)).collect()
}

#[test]
fn sharing_ranks_documents_with_rare_words_first() {
    let texts =
        ["Nothing here.", "The tides of Bergen.", "Tides rise. A harbour at high tide.", "Cats sleep."];
    let found = selected("When is high tide at the harbour?", &texts, None);
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["2", "1"]);
    assert_eq!(found[0].1, "It shares “high”, “tide”, “harbour” with the query.");
    assert_eq!(selected("high tide", &texts, Some(1)).len(), 1);
    assert_eq!(selected("boat", &texts, None)[0].0, "0", "titles count");
    assert_eq!(selected("the of at", &texts, None), []);
    assert_eq!(selected("zebra", &texts, None), []);
}
