//! Properties of passages for many kinds of texts.

use knowledge::chunk::MIN_TOKENS;
use knowledge::{ChunkSettings, Page, Piece, chunk, count_tokens};
use proptest::prelude::*;

fn page(number: u32, text: &str) -> Page {
    Page { number, name: None, text: text.into() }
}

fn cut(text: &str, tokens: u32, overlap: u32) -> Vec<Piece> {
    chunk(&[page(1, text)], ChunkSettings { tokens, overlap })
}

/// Checks the properties that apply to all pages and settings.
fn check(pages: &[Page], settings: ChunkSettings) {
    let pieces = chunk(pages, settings);
    assert_eq!(pieces, chunk(pages, settings), "the same gives the same");
    let most = settings.tokens.max(MIN_TOKENS);
    for piece in &pieces {
        let page = pages.iter().find(|page| page.number == piece.page).expect("its page");
        let (start, end) = (piece.start as usize, piece.end as usize);
        let text: String = page.text.chars().skip(start).take(end - start).collect();
        assert_eq!(piece.text, text, "the characters from {start} to {end}");
        assert_eq!(piece.text, piece.text.trim(), "no blanks around");
        assert!(!piece.text.is_empty());
        assert_eq!(piece.tokens, count_tokens(&piece.text));
        assert!(piece.tokens <= most, "{} tokens of {most}: {:?}", piece.tokens, piece.text);
    }
    for page in pages {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.page == page.number).collect();
        let mut covered = 0;
        for piece in &own {
            let gap = page.text.chars().skip(covered).take((piece.start as usize).saturating_sub(covered));
            assert!(gap.clone().all(char::is_whitespace), "nothing is lost: {:?}", gap.collect::<String>());
            assert!(piece.end as usize > covered, "each goes further than the one before");
            covered = piece.end as usize;
        }
        assert!(page.text.chars().skip(covered).all(char::is_whitespace), "nothing is lost at the end");
        for pair in own.windows(2) {
            assert!(pair[1].start > pair[0].start, "each begins later");
            let repeated = pair[0].end.saturating_sub(pair[1].start) as usize;
            let text: String = pair[1].text.chars().take(repeated).collect();
            // The overlap is counted word by word, including the surrounding whitespace.
            assert!(
                count_tokens(&text) <= settings.overlap.min(most / 2) + 8,
                "too much is repeated: {text:?}"
            );
        }
    }
}

fn texts() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        8 => "[a-zA-Zäöüß]{1,12}",
        3 => Just(" ".to_owned()),
        2 => "[.,;:!?]{1,2} ",
        2 => "\n{1,3}",
        1 => "\n#{1,4} [a-z]{1,9}\n",
        1 => "\n(```|~~~~)[a-z]{0,3}\n",
        1 => "[a-z]{1,20}\n(===|---)\n",
        1 => "[0-9]{1,9}",
        1 => "[一-龠]{1,30}。?",
        1 => "[\u{1f600}-\u{1f64f}]{1,5}",
        1 => "\\PC{1,40}",
        1 => "\\s{1,60}",
        1 => "[a-z]{100,300}",
        1 => "\\| [a-z]{1,5} \\| [a-z]{1,5} \\|\n",
    ];
    prop::collection::vec(atom, 0..120).prop_map(|atoms| atoms.join(" ").replace("  ", ""))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunk_satisfies_its_properties(pages in prop::collection::vec(texts(), 1..4), tokens in 0_u32..200, overlap in 0_u32..250) {
        let pages: Vec<Page> = (1..).zip(&pages).map(|(number, text)| page(number, text)).collect();
        check(&pages, ChunkSettings { tokens, overlap });
    }

    #[test]
    fn chunk_accepts_any_characters(text in "\\PC{0,400}", tokens in 16_u32..64, overlap in 0_u32..64) {
        check(&[page(7, &text)], ChunkSettings { tokens, overlap });
    }
}

#[test]
fn count_tokens_matches_the_vocabulary() {
    assert_eq!(count_tokens(""), 0);
    assert_eq!(count_tokens("hello world"), 2);
    assert_eq!(count_tokens("antidisestablishmentarianism"), 6);
    assert_eq!(count_tokens("您好"), 2);
    // Longer than the text that is counted at once.
    let long = "The keeper winds the clockwork.\n".repeat(20_000);
    let one = count_tokens("The keeper winds the clockwork.\n");
    assert!(count_tokens(&long).abs_diff(one * 20_000) < 200);
    assert!(count_tokens(&" ".repeat(3_000_000)) > 0);
}

#[test]
fn chunk_returns_no_passages_of_blank_pages() {
    assert!(chunk(&[], ChunkSettings::default()).is_empty());
    assert!(chunk(&[page(1, ""), page(2, " \n\t\n ")], ChunkSettings::default()).is_empty());
}

#[test]
fn chunk_returns_one_passage_of_a_short_page() {
    let pieces = cut("  One sentence. Another one.\n", 512, 64);
    assert_eq!(pieces.len(), 1);
    assert_eq!(
        (pieces[0].text.as_str(), pieces[0].start, pieces[0].end),
        ("One sentence. Another one.", 2, 28)
    );
}

#[test]
fn chunk_does_not_cross_pages() {
    let pages = [page(3, "The end of a page"), page(4, "goes on here.")];
    let pieces = chunk(&pages, ChunkSettings::default());
    let seen: Vec<_> = pieces.iter().map(|piece| (piece.page, piece.start, piece.text.as_str())).collect();
    assert_eq!(seen, [(3, 0, "The end of a page"), (4, 0, "goes on here.")]);
}

#[test]
fn chunk_separates_sections_and_records_headings() {
    let body = "The lamp is trimmed at dusk, and the lens is cleaned with vinegar. ".repeat(4);
    let text = format!(
        "Before any heading. {body}\n\n# Annex\n\n{body}\n\n## Lamp\n\n### Oil\n{body}\n\n## Bell ##\n{body}\nSetext\n\nTower\n=====\n\n{body}\n```\n# a comment\n```\n"
    );
    let pieces = cut(&text, 64, 16);
    let first = |needle: &str| pieces.iter().find(|piece| piece.text.contains(needle)).unwrap();
    assert!(first("Before any").headings.is_empty());
    assert_eq!(first("# Annex").headings, ["Annex"]);
    assert_eq!(first("## Lamp").headings, ["Annex", "Lamp", "Oil"]);
    assert_eq!(first("## Bell").headings, ["Annex", "Bell"]);
    assert_eq!(first("Tower").headings, ["Tower"]);
    assert_eq!(first("# a comment").headings, ["Tower"]);
    for heading in ["# Annex", "## Lamp\n\n### Oil", "## Bell", "Tower\n==="] {
        let piece = first(heading);
        assert!(piece.text.starts_with(heading), "{heading:?} begins a passage: {:?}", piece.text);
        assert!(piece.text.len() > heading.len() + 30, "{heading:?} is not left alone");
    }
    let later = pieces.iter().filter(|piece| piece.headings == ["Annex", "Lamp", "Oil"]).count();
    assert!(later > 1, "what follows stands under the same headings");
}

#[test]
fn chunk_joins_small_sections() {
    let text: String = (0..10).map(|at| format!("# Part {at}\n\nShort.\n\n")).collect();
    let pieces = cut(&text, 512, 64);
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].headings, ["Part 0"]);
}

#[test]
fn chunk_prefers_good_boundaries() {
    let paragraph = "One two three four five six seven. Eight nine ten eleven twelve thirteen fourteen.";
    let text = [paragraph; 6].join("\n\n");
    for piece in cut(&text, 60, 0) {
        assert!(piece.text.starts_with("One two") && piece.text.ends_with("fourteen."), "{:?}", piece.text);
    }
    let text = [paragraph; 6].join(" ");
    for piece in cut(&text, 24, 0) {
        assert!(piece.text.ends_with('.'), "{:?}", piece.text);
    }
}

#[test]
fn chunk_overlaps_by_whole_sentences() {
    let text: String = (0..60).map(|at| format!("This is sentence number {at} of a long story. ")).collect();
    let pieces = cut(&text, 100, 30);
    assert!(pieces.len() > 4);
    for pair in pieces.windows(2) {
        assert!(pair[1].start < pair[0].end, "they overlap");
        assert!(pair[1].text.starts_with("This is sentence"), "{:?}", pair[1].text);
    }
    assert!(cut(&text, 100, 0).windows(2).all(|pair| pair[1].start >= pair[0].end));
}

#[test]
fn chunk_cuts_an_endless_word() {
    for word in ["a", "ß", "漢", "👩‍👩‍👧", "\u{301}", "= "] {
        check(&[page(1, &word.repeat(3_000))], ChunkSettings { tokens: 64, overlap: 16 });
    }
    check(&[page(1, &"\u{10fffd}".repeat(500))], ChunkSettings { tokens: 0, overlap: 9 });
}

/// Linear time: twice the text takes about twice the steps. Quadratic time would exceed the time limit of a test.
#[test]
fn chunk_takes_linear_time() {
    let story: String =
        (0..8_000).map(|at| format!("Sentence {at} tells of the lighthouse and its keeper. ")).collect();
    let pieces = cut(&story, 512, 64);
    assert!(pieces.len() > 160);
    assert!(pieces.last().is_some_and(|piece| piece.text.ends_with("its keeper.")));
    let endless = cut(&"x".repeat(200_000), 512, 64);
    assert!(endless.len() > 20);
    let blank = cut(&format!("a{}b", " ".repeat(1_000_000)), 512, 64);
    assert_eq!(blank.first().map(|piece| piece.start), Some(0));
}
