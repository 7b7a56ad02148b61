//! Stop words: words that occur in every text and say nothing about it, normalized like all words.

/// Stop words of English, German, French, Spanish and Italian, each list in alphabetical order.
const COMMON: [&str; 5] = [
    "a about after all also am an and any are as at be because been before being but by can could did do \
     does each for from get had has have having he her here him his how i if in into is it its just may me \
     more most much must my no not now of on one only or other our out over she should so some such than \
     that the their them then there these they this those to too under up us very was we were what when \
     where which while who whom whose why will with would you your",
    "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das \
     dass dein deine dem den der des die dies diese diesem diesen dieser dieses doch dort du durch ein eine \
     einem einen einer eines er es etwas euch fur haben hat hatte ich ihm ihn ihnen ihr ihre im in ins ist \
     ja jede jedem jeden jeder jedes kann kein keine konnen man mein meine mit muss nach nicht noch nur ob \
     oder ohne sehr sein seine seit sich sie sind so um und uns unter vom von vor war was wenn wer werden \
     wie wieviel will wir wird wo zu zum zur uber",
    "ai as au aux avec avoir c ce ceci cela ces cet cette comme comment dans de des donc dont du elle elles \
     en est et etre eu fait ils j je l la le les leur leurs lui ma mais me mes moi mon n ne nos notre nous \
     on ont ou par pas peut plus pour qu quand que quel quelle quelles quels qui s sa sans se ses si son \
     sont sur ta te tes toi ton tu un une vos votre vous y",
    "al como con cual cuando de del donde el ella ellas ellos en entre era es esa ese esta este esto fue ha \
     hay la las lo los mas mi muy no nos para pero por porque que se sin sobre su sus tambien te tiene un \
     una unas uno unos y ya",
    "che chi ci come con cosa cui da dal dalla degli dei del della delle di dove e gli il io la le lo ma mi \
     nei nel nella non per piu quale quando quello questa questo si sono su sua sul sulla suo tra un una uno",
];

/// Whether a word is a stop word.
pub(super) fn is_common(word: &str) -> bool {
    use std::collections::HashSet;
    use std::sync::LazyLock;
    static ALL: LazyLock<HashSet<&str>> =
        LazyLock::new(|| COMMON.iter().flat_map(|words| words.split_ascii_whitespace()).collect());
    ALL.contains(word)
}
