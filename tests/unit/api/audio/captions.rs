use providers::media::transcription::Segment;
use understudy::parts::api::{srt, vtt};

#[test]
fn srt_and_vtt_write_valid_captions() {
    let segment = |start_s, end_s, text: &str| Segment { start_s, end_s, text: text.to_owned() };
    let segments = [segment(0.0, 1.5, "One & two"), segment(3_661.001_4, 3_662.999_6, "a --> b\n\nc")];
    assert_eq!(
        srt(&segments),
        "1\n00:00:00,000 --> 00:00:01,500\nOne & two\n\n2\n01:01:01,001 --> 01:01:03,000\na --> b\nc\n\n"
    );
    assert_eq!(
        vtt(&segments),
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nOne &amp; two\n\n\
         01:01:01.001 --> 01:01:03.000\na --&gt; b\nc\n\n"
    );
}
