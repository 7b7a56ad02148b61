use understudy::parts::http::{Part, part};

#[test]
fn part_follows_the_standard() {
    let cases = [
        (None, Part::Whole),
        (Some("bytes=0-0"), Part::Bytes(0..1)),
        (Some("bytes=2-5"), Part::Bytes(2..6)),
        (Some("bytes=8-"), Part::Bytes(8..10)),
        (Some("bytes=8-99"), Part::Bytes(8..10)),
        (Some("bytes=-3"), Part::Bytes(7..10)),
        (Some("bytes=-99"), Part::Bytes(0..10)),
        (Some("bytes=0-99999999999999999999999"), Part::Bytes(0..10)),
        (Some("bytes=10-"), Part::Beyond),
        (Some("bytes=10-12"), Part::Beyond),
        (Some("bytes=-0"), Part::Beyond),
        (Some("bytes=5-2"), Part::Whole),
        (Some("bytes=-"), Part::Whole),
        (Some("bytes=a-b"), Part::Whole),
        (Some("bytes=+1-2"), Part::Whole),
        (Some("bytes=0-1,3-4"), Part::Whole),
        (Some("lines=0-1"), Part::Whole),
    ];
    for (header, expected) in cases {
        assert_eq!(part(header, 10), expected, "{header:?}");
    }
    assert_eq!(part(Some("bytes=0-"), 0), Part::Beyond);
}
