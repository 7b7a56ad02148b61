use understudy::parts::api::improved_prompt;

#[test]
fn improved_prompt_removes_tags_and_code_fences() {
    for answer in [
        "Write a poem.",
        "  Write a poem.\n",
        "<prompt>\nWrite a poem.\n</prompt>",
        "Here it is:\n<prompt>Write a poem.</prompt>\nHave fun!",
        "```\nWrite a poem.\n```",
        "```text\nWrite a poem.\n```",
    ] {
        assert_eq!(improved_prompt(answer).ok().as_deref(), Some("Write a poem."), "{answer}");
    }
    let two = "```a\none\n```\nand\n```b\ntwo\n```";
    assert_eq!(improved_prompt(two).ok().as_deref(), Some(two));
    assert!(improved_prompt(" \n").is_err() && improved_prompt("<prompt></prompt>").is_err());
    assert!(improved_prompt(&"x".repeat(60_001)).is_err());
}
