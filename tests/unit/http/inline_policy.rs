use understudy::parts::http::inline_policy;

#[test]
fn policy_allows_the_elements_of_the_page_only() {
    let policy = inline_policy("<style>a</style><p>text</p><style>b</style>");
    // `printf a | openssl dgst -sha256 -binary | base64`, and the same of `b`.
    assert!(policy.contains(
        "style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=' \
         'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='; script-src 'none';"
    ));
}
