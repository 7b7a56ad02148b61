use understudy::parts::api::Ranking;

fn scores(question: &str, texts: &[&str]) -> Vec<f32> {
    let mut ranking = Ranking::new(question);
    texts.iter().for_each(|text| ranking.add(text));
    ranking.scores()
}

#[test]
fn scores_are_higher_for_rare_words_and_short_texts() {
    let found =
        scores("red Boat", &["a red car", "a red boat", "a green boat and much else besides it", "x"]);
    assert!(found[1] > found[0] && found[1] > found[2], "{found:?}");
    assert!(found[0] > 0.0 && found[2] > 0.0 && found[3] == 0.0, "{found:?}");
    let found = scores("boat", &["boat", "boat with a very long tale that follows it", "boat boat"]);
    assert!(found[2] > found[0] && found[0] > found[1], "{found:?}");
    let rare = scores("red boat", &["red", "red", "red", "boat"]);
    assert!(rare[3] > rare[0], "{rare:?}");
}

#[test]
fn scores_find_words_in_any_script() {
    assert!(scores("ÄPFEL", &["fünf äpfel", "Birnen"])[0] > 0.0);
    let found = scores("東京", &["東京タワー", "大阪"]);
    assert!(found[0] > 0.0 && found[1] == 0.0, "{found:?}");
    assert_eq!(scores("", &["x"]), [0.0]);
    assert_eq!(scores("x", &[]), Vec::<f32>::new());
}
