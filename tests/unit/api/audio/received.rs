use understudy::parts::api::media_type;

#[test]
fn media_type_is_detected_from_bytes() {
    let webm = b"\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\x82\x84webm";
    let opus = [&b"OggS\0\x02"[..], &[0; 20], &b"\x01\x13OpusHead"[..]].concat();
    let mut frame = vec![0xFF, 0xE3, 0x84, 0xC4];
    frame.resize(384, 0);
    for (bytes, expected) in [
        (&b"RIFF\0\0\0\0WAVEfmt "[..], Some("audio/wav")),
        (b"fLaC\0\0\0\x22", Some("audio/flac")),
        (b"OggS\0\x02", Some("audio/ogg")),
        (&opus, Some("audio/ogg")),
        (b"ID3\x04\0\0\0\0\0\0", Some("audio/mpeg")),
        (webm, Some("audio/webm")),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"hello", None),
        (b"\xFF\xFF\xFF\xFF", None),
    ] {
        // Real files are longer than their markers.
        let mut file = bytes.to_vec();
        file.resize(300, 0);
        assert_eq!(media_type(&file), expected, "{bytes:?}");
    }
    assert_eq!(media_type(b""), None);
    assert_eq!(media_type(&frame.repeat(9)), Some("audio/mpeg"), "without a mark that is known");
}
