use understudy::parts::api::size_of;

#[test]
fn size_of_accepts_only_two_numbers() {
    assert_eq!(size_of("640x360"), Some((640, 360)));
    for wrong in ["", "x", "640", "640x", "x360", "640x360x2", "+640x360", "640X360", "8x8", "99999x64"] {
        assert_eq!(size_of(wrong), None, "{wrong}");
    }
}
