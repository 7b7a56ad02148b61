//! Default widths of characters if the document does not state them.

/// The approximate width of a character in a standard font, in thousandths of the font size. It is accurate enough to
/// detect gaps between words.
pub(super) fn standard(font: &str, letter: char) -> f32 {
    if font.contains("Courier") || font.contains("Mono") {
        return 600.0;
    }
    let narrow = if font.contains("Times") { 0.9 } else { 1.0 };
    narrow
        * match letter {
            'i' | 'j' | 'l' | '\'' | '|' => 222.0,
            ' ' | '.' | ',' | ':' | ';' | '!' | 'I' | 'f' | 't' | '/' | '[' | ']' => 278.0,
            'r' | '(' | ')' | '-' | '"' | '`' => 333.0,
            'm' | 'M' => 833.0,
            'w' | 'C' | 'D' | 'H' | 'N' | 'R' | 'U' => 722.0,
            'W' => 944.0,
            'G' | 'O' | 'Q' => 778.0,
            'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500.0,
            'A'..='Z' => 667.0,
            '@' => 1015.0,
            '%' => 889.0,
            _ => 556.0,
        }
}
