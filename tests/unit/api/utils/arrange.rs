use understudy::parts::api::{HONEST, arrange};

#[test]
fn arrange_moves_sentences_under_their_headings() {
    let prompt =
        "We sell boats. What should our newsletter say? Use short sentences. Our readers are sailors.";
    let expected = format!(
        "# Goal\nWhat should our newsletter say?\n\n# Context\nWe sell boats.\nOur readers are sailors.\n\n\
         # Output\n- Use short sentences.\n- For beginners\n- {HONEST}"
    );
    assert_eq!(arrange(prompt, Some("For beginners")), expected);
}

#[test]
fn arrange_retains_every_word() {
    let prompts = [
        "Summarise this:\n```\nfn main() {}\n# no heading\n```\nas a table. Thanks!",
        "Schreibe ein Gedicht über {{name}}. Bitte als Liste. Es ist z. B. für Dr. Ada.",
        "an open fence ```rust\nlet x = 1;",
        "table",
        "?",
    ];
    for prompt in prompts {
        let arranged = arrange(prompt, None);
        for word in prompt.split_whitespace() {
            assert!(arranged.contains(word), "{word} is lost from {arranged}");
        }
        assert!(arranged.contains("# "), "{arranged}");
    }
}

#[test]
fn arrange_keeps_the_order_of_a_prompt_with_headings() {
    let prompt = "# Role\nYou are a poet. Why?\n\n# Task\nWrite a list.";
    let arranged = arrange(prompt, None);
    assert!(arranged.starts_with(prompt) && arranged.ends_with(HONEST), "{arranged}");
}
