use futures::FutureExt;
use providers::web::{WebClient, WebConfig};
use understudy::parts::catalog::{Index, PackageSet};

#[tokio::test]
async fn refresh_waits_only_for_the_first_fetch() {
    let web = WebClient::new(&WebConfig::default()).expect("a client");
    // Refused by the guard, and therefore immediately.
    let mut index = Index::new("http://10.0.0.1/index.json");
    let mut package_set = PackageSet::default();
    index.refresh(&web, &mut package_set).await;
    assert_eq!(package_set.faults().len(), 1, "the first who asked waited until it was known");
    index.make_due();
    let mut package_set = PackageSet::default();
    assert!(index.refresh(&web, &mut package_set).now_or_never().is_some());
    assert_eq!(package_set.faults().len(), 1, "what was known");
    assert!(index.is_fetching(), "a fetch runs in the background");
}
