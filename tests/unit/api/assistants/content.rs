use understudy::parts::api::beginning;

#[test]
fn beginning_returns_the_first_line_without_heading_markers() {
    assert_eq!(beginning("\n## Opening hours\nFrom nine."), "Opening hours");
    assert_eq!(beginning(&"ä".repeat(200)).chars().count(), 80);
    assert_eq!(beginning("#\n \n"), "text");
}
