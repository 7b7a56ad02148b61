//! The serialization of a source in events.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use storage::records::Source;

/// Serializes a source without absent fields, which is the established format of events. Stored messages contain `null`
/// instead.
pub(super) fn serialize<S: Serializer>(source: &Source, serializer: S) -> Result<S::Ok, S::Error> {
    let Source { url, document_id, title, snippet, place } = source;
    let mut fields = serializer.serialize_struct("Source", 5)?;
    field::<S, _>(&mut fields, "url", url)?;
    field::<S, _>(&mut fields, "document_id", document_id)?;
    field::<S, _>(&mut fields, "title", title)?;
    field::<S, _>(&mut fields, "snippet", snippet)?;
    field::<S, _>(&mut fields, "place", place)?;
    fields.end()
}

fn field<S: Serializer, T: Serialize>(
    fields: &mut S::SerializeStruct,
    name: &'static str,
    value: &Option<T>,
) -> Result<(), S::Error> {
    match value {
        Some(value) => fields.serialize_field(name, value),
        None => fields.skip_field(name),
    }
}

#[cfg(test)]
mod tests {
    use storage::records::{Part, Source, SourcePlace};
    use uuid::Uuid;

    use crate::event::EventData;

    fn page() -> Source {
        let url = Some("https://example.org/".to_owned());
        Source { url, title: Some("Clocks".to_owned()), ..Source::default() }
    }

    fn passage() -> Source {
        Source {
            url: None,
            document_id: Some(Uuid::from_u128(1)),
            title: Some("Tides".to_owned()),
            snippet: Some("High water".to_owned()),
            place: Some(SourcePlace {
                number: 1,
                knowledge_base_id: Uuid::from_u128(2),
                page: None,
                start: 3,
                end: 13,
                headings: vec!["Water".to_owned()],
            }),
        }
    }

    const PLACE: &str = r#""place":{"number":1,"knowledge_base_id":"00000000-0000-0000-0000-000000000002","page":null,"start":3,"end":13,"headings":["Water"]}"#;

    fn is_written<T>(value: &T, json: &str)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), *value);
    }

    #[test]
    fn source_in_an_event_omits_absent_fields() {
        is_written(
            &EventData::Source(page()),
            r#"{"type":"source","data":{"url":"https://example.org/","title":"Clocks"}}"#,
        );
        let passage_json = format!(
            r#"{{"type":"source","data":{{"document_id":"00000000-0000-0000-0000-000000000001","title":"Tides","snippet":"High water",{PLACE}}}}}"#
        );
        is_written(&EventData::Source(passage()), &passage_json);
    }

    #[test]
    fn source_in_a_message_has_null_for_absent_fields() {
        is_written(
            &Part::Source(page()),
            r#"{"type":"source","url":"https://example.org/","document_id":null,"title":"Clocks","snippet":null}"#,
        );
        let passage_json = format!(
            r#"{{"type":"source","url":null,"document_id":"00000000-0000-0000-0000-000000000001","title":"Tides","snippet":"High water",{PLACE}}}"#
        );
        is_written(&Part::Source(passage()), &passage_json);
    }
}
