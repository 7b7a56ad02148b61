use understudy::parts::http::Page;

#[test]
fn page_escapes_all_texts() {
    let page = Page::new("<b>").paragraph("a & \"b\"").link("'on'", "/x?a=1&b=\"><script>");
    let html = page.html();
    assert!(html.contains("<h1>&lt;b&gt;</h1>") && html.contains("<p>a &amp; &quot;b&quot;</p>"));
    assert!(html.contains("href=\"/x?a=1&amp;b=&quot;&gt;&lt;script&gt;\">&#39;on&#39;</a>"));
    assert!(!html.contains("<script"));
}
