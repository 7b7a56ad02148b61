use understudy::parts::http::without_patterns;

#[test]
fn without_patterns_removes_patterns() {
    assert_eq!(without_patterns("/jobs/{job_id:.*}/status"), "/jobs/{job_id}/status");
    assert_eq!(without_patterns("/jobs/{job_id}/"), "/jobs/{job_id}/");
}
