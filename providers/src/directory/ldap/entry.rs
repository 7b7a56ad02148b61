//! Parses entries of search results without trusting their structure.

use std::collections::HashMap;

use data_encoding::HEXLOWER;
use ldap3::asn1::{PL, StructureTag};

/// An entry. Attribute names are in lower case.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub dn: String,
    texts: HashMap<String, Vec<String>>,
    /// Values that are not text, such as `objectGUID`.
    bytes: HashMap<String, Vec<Vec<u8>>>,
}

impl Entry {
    /// Parses an entry; `None` if its structure violates the protocol.
    pub fn read(tag: StructureTag) -> Option<Self> {
        let [dn, attributes] = parts(tag)?;
        let mut entry = Self { dn: text(dn)?, ..Self::default() };
        let PL::C(attributes) = attributes.payload else { return None };
        for attribute in attributes {
            let [name, values] = parts(attribute)?;
            let name = text(name)?.to_lowercase();
            let PL::C(values) = values.payload else { return None };
            for value in values {
                let PL::P(value) = value.payload else { return None };
                match String::from_utf8(value) {
                    // A GUID may be valid UTF-8 by chance.
                    Ok(value) if name != "objectguid" => {
                        entry.texts.entry(name.clone()).or_default().push(value)
                    }
                    Ok(value) => entry.bytes.entry(name.clone()).or_default().push(value.into_bytes()),
                    Err(why) => entry.bytes.entry(name.clone()).or_default().push(why.into_bytes()),
                }
            }
        }
        Some(entry)
    }

    pub fn values(&self, attribute: &str) -> &[String] {
        self.texts.get(&attribute.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    pub fn first(&self, attribute: &str) -> Option<&str> {
        self.values(attribute).first().map(String::as_str)
    }

    /// Returns a range of an attribute's values (`member;range=0-1499`), and the start of the next range.
    pub fn range(&self, attribute: &str) -> Option<(Vec<String>, Option<u64>)> {
        let beginning = format!("{};range=", attribute.to_lowercase());
        let (range, values) =
            self.texts.iter().find_map(|(name, values)| Some((name.strip_prefix(&beginning)?, values)))?;
        let (_, last) = range.split_once('-')?;
        Some((values.clone(), last.parse::<u64>().ok().and_then(|last| last.checked_add(1))))
    }

    /// Returns the directory's id of the entry: text as it is, other values in hexadecimal.
    pub fn id(&self, attribute: &str) -> Option<String> {
        let hex = || {
            let value = self.bytes.get(&attribute.to_lowercase())?.first()?;
            Some(format!("0x{}", HEXLOWER.encode(value)))
        };
        self.first(attribute).map(str::to_owned).or_else(hex)
    }
}

/// Returns the filter that finds the entry with an id; `None` if the id is invalid.
pub(super) fn id_filter(attribute: &str, id: &str) -> Option<String> {
    let Some(hex) = id.strip_prefix("0x") else {
        return Some(format!("({attribute}={})", ldap3::ldap_escape(id)));
    };
    let fits = hex.len().is_multiple_of(2) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pairs = hex.as_bytes().chunks(2).map(String::from_utf8_lossy);
    fits.then(|| format!("({attribute}={})", pairs.map(|pair| format!("\\{pair}")).collect::<String>()))
}

/// Normalizes a distinguished name for comparison: without spaces around its parts, in lower case.
pub(super) fn fold_dn(dn: &str) -> String {
    let (mut folded, mut escaped) = (String::with_capacity(dn.len()), false);
    for letter in dn.trim().chars().flat_map(char::to_lowercase) {
        let parting = !escaped && matches!(letter, ',' | '=' | '+' | ';');
        if parting {
            folded.truncate(folded.trim_end_matches(' ').len());
        }
        let after = folded.ends_with([',', '=', '+']) && !ends_escaped(&folded);
        if letter == ' ' && !escaped && after {
            continue;
        }
        folded.push(if parting && letter == ';' { ',' } else { letter });
        escaped = letter == '\\' && !escaped;
    }
    folded
}

/// Whether the last character is escaped by a backslash.
fn ends_escaped(text: &str) -> bool {
    let before = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
    text[..before].chars().rev().take_while(|letter| *letter == '\\').count() % 2 == 1
}

fn parts<const N: usize>(tag: StructureTag) -> Option<[StructureTag; N]> {
    match tag.payload {
        PL::C(parts) => parts.try_into().ok(),
        PL::P(_) => None,
    }
}

fn text(tag: StructureTag) -> Option<String> {
    match tag.payload {
        PL::P(bytes) => String::from_utf8(bytes).ok(),
        PL::C(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fold_dn_normalizes_spelling() {
        let one = fold_dn("CN=Ada Lovelace,OU=People,DC=Example,DC=com");
        for other in [
            "cn=ada lovelace, ou=people, dc=example, dc=com",
            " CN = Ada Lovelace ,OU= People;DC=example,DC=com ",
        ] {
            assert_eq!(fold_dn(other), one);
        }
        assert_ne!(fold_dn("cn=ada\\, lovelace,dc=x"), fold_dn("cn=ada,lovelace,dc=x"));
        assert_eq!(fold_dn("cn=a\\,  b,dc=x"), "cn=a\\,  b,dc=x");
    }

    #[test]
    fn range_parses_attribute_ranges() {
        let texts = |name: &str| HashMap::from([(name.to_owned(), vec!["a".to_owned()])]);
        let entry = |name: &str| Entry { texts: texts(name), ..Entry::default() };
        assert_eq!(entry("member;range=0-1499").range("member"), Some((vec!["a".into()], Some(1_500))));
        assert_eq!(entry("member;range=1500-*").range("member"), Some((vec!["a".into()], None)));
        assert_eq!(entry("member").range("member"), None);
    }

    #[test]
    fn id_filter_escapes_ids() {
        assert_eq!(id_filter("entryUUID", "a)(cn=*").unwrap(), "(entryUUID=a\\29\\28cn=\\2a)");
        assert_eq!(id_filter("objectGUID", "0x00ff").unwrap(), "(objectGUID=\\00\\ff)");
        assert_eq!(id_filter("objectGUID", "0x0g"), None);
        assert_eq!(id_filter("objectGUID", "0x0é"), None);
    }
}
