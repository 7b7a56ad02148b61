//! Inspects JSON text without parsing it.

/// The nesting depth of objects and lists.
pub fn depth(json: &str) -> u32 {
    let (mut now, mut most, mut in_text, mut escaped) = (0u32, 0u32, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                now += 1;
                most = most.max(now);
            }
            b'}' | b']' if !in_text => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Replaces half surrogate pairs by the replacement character. The engine writes complete pairs as characters and
/// halves as escapes; the latter are not valid text.
pub fn whole(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut tamed = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        tamed.push_str(before);
        let is_half = escape.starts_with("\\ud") && matches!(escape.as_bytes().get(3), Some(b'8'..=b'f'));
        if is_half && let Some(after) = escape.get(6..) {
            tamed.push('\u{fffd}');
            rest = after;
        } else {
            let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
            tamed.push_str(&escape[..length]);
            rest = &escape[length..];
        }
    }
    tamed.push_str(rest);
    tamed
}

#[cfg(test)]
mod tests {
    use super::{depth, whole};

    #[test]
    fn depth_ignores_brackets_in_strings() {
        for (json, expected) in
            [("1", 0), ("[]", 1), (r#"{"a":[{}]}"#, 3), (r#"["[[[", "\"{{{"]"#, 1), ("[[],[[]]]", 3)]
        {
            assert_eq!(depth(json), expected, "{json}");
        }
    }

    #[test]
    fn whole_replaces_only_half_surrogates() {
        for (json, expected) in [
            (r#""a\ud800b""#, "\"a\u{fffd}b\""),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\udfff""#, "\"\\\\\u{fffd}\""),
            (r#""\u001f \n é 😀""#, r#""\u001f \n é 😀""#),
            (r#""\ud""#, r#""\ud""#),
        ] {
            assert_eq!(whole(json.to_owned()), expected);
        }
    }
}
