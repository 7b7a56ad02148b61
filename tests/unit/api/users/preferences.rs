use understudy::parts::api::is_language;

#[test]
fn language_tags_are_distinguished_from_other_texts() {
    for tag in ["en", "de-CH", "zh-Hant-TW", "sr-Latn", "es-419", "de-DE-u-co-phonebk"] {
        assert!(is_language(tag), "{tag}");
    }
    for text in ["", "e", "english language", "de_CH", "de-", "-de", "123", "de-CH-abcdefghi", "d\u{e9}"] {
        assert!(!is_language(text), "{text}");
    }
}
