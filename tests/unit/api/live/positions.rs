use understudy::parts::api::Positions;
use understudy::parts::api::Request;

fn requests() -> Vec<Request> {
    let request = |id: &str, after: Option<&str>| Request {
        id: id.into(),
        to: String::new(),
        after: after.map(str::to_owned),
    };
    vec![request("a", Some("7")), request("b", None), request("c", None)]
}

#[test]
fn an_event_id_restores_the_positions() {
    let mut positions = Positions::new(&requests(), None).expect("positions");
    assert_eq!(positions.advance("c", "1-2-3"), "7,,1-2-3");
    assert_eq!(positions.end("a"), "*,,1-2-3");
    let positions = Positions::new(&requests(), Some("*,,1-2-3")).expect("positions");
    let remaining = positions.remaining(requests());
    let remaining: Vec<_> = remaining.iter().map(|one| (one.id.as_str(), one.after.as_deref())).collect();
    assert_eq!(remaining, [("b", None), ("c", Some("1-2-3"))]);
    for other in ["", "1", "1,2", "1,2,3,4"] {
        assert!(Positions::new(&requests(), Some(other)).is_err(), "{other}");
    }
}
