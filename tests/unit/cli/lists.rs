use understudy::parts::cli::{MAX_WIDTH, table};

#[test]
fn table_aligns_columns_and_cuts_long_cells_on_a_terminal() {
    let rows = [vec!["A".to_owned(), "B".to_owned()], vec!["long".to_owned(), "x".repeat(MAX_WIDTH + 1)]];
    assert_eq!(table(&rows, false), format!("A     B\nlong  {}\n", "x".repeat(MAX_WIDTH + 1)));
    assert_eq!(table(&rows, true), format!("A     B\nlong  {}…\n", "x".repeat(MAX_WIDTH - 1)));
}
