use assist::data::Embedding;
use knowledge::Quantized;
use serde_json::json;
use storage::records::DataItem;
use understudy::parts::api::{embedding, nearness, text_of};

#[test]
fn text_of_writes_one_line_per_value() {
    let data = json!({"a": {"b": ["x", 2, null]}, "c": true});
    let text = text_of(data.as_object().expect("an object"));
    assert_eq!(text, "a b: x\na b: 2\nc: true\n");
}

#[test]
fn nearness_compares_vectors_of_the_same_model() {
    let question = Quantized::new(&[1.0, 0.0, 0.0]);
    let item = |vector: &[f32]| {
        let Embedding { model, vector } = embedding("m", vector);
        DataItem { embedding_model: Some(model), vector: Some(vector), ..DataItem::default() }
    };
    let near = |item: &DataItem, model| nearness(item, model, &question);
    assert!((near(&item(&[2.0, 0.0, 0.0]), "m").expect("near") - 1.0).abs() < 0.02);
    assert!(near(&item(&[0.0, 1.0, 1.0]), "m").expect("near").abs() < 0.02);
    assert_eq!(near(&item(&[1.0, 0.0, 0.0]), "other"), None);
    assert_eq!(near(&item(&[1.0, 0.0]), "m"), None, "of another length");
    assert_eq!(near(&DataItem::default(), "m"), None);
}
