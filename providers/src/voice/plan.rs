//! Plans the movements of the vocal tract: a list of segments with a length in samples, the resonances, the levels of
//! voice, breath and noise, and the pitch.

use super::letters;
use super::sounds::{Manner, NoiseBand, Sound};
use super::text::{Pause, TextToken, tokens};
use super::{RATE, Tone};

/// Silence at the beginning and at the end, in milliseconds.
const EDGE_MS: f32 = 60.0;
/// Gap between two words in milliseconds.
const GAP_MS: f32 = 18.0;
/// Unstressed words.
const WEAK: [&str; 30] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "for", "from", "has", "have", "he", "her",
    "his", "in", "is", "it", "its", "of", "on", "or", "that", "the", "to", "was", "were", "with",
];

/// A segment over which all values change linearly or not at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub samples: u32,
    /// The resonances at the beginning and at the end, in hertz.
    pub from: [f32; 3],
    pub to: [f32; 3],
    /// The levels of voice, breath and noise, from 0 to 1.
    pub voice: f32,
    pub breath: f32,
    pub noise: Option<NoiseBand>,
    pub nasal: bool,
    /// The pitch at the end, in hertz.
    pub pitch: f32,
}

impl Piece {
    fn silent(formants: [f32; 3]) -> Self {
        let (voice, breath, noise) = (0.0, 0.0, None);
        Self { samples: 0, from: formants, to: formants, voice, breath, noise, nasal: false, pitch: 100.0 }
    }
}

/// A sound of a word to be spoken.
struct PlannedSound {
    sound: &'static Sound,
    stressed: bool,
    /// Whether it is the last sound of its word.
    last: bool,
}

/// Plans how a voice speaks a text at a speed.
pub(super) fn plan(text: &str, tone: &Tone, speed: f64) -> Vec<Piece> {
    let mut planner = Planner { tone, speed: speed as f32, pieces: Vec::new(), begun: None };
    planner.silence(EDGE_MS);
    let tokens = tokens(text);
    for sentence in tokens.split_inclusive(|part| matches!(part, TextToken::Pause(_))) {
        let pause = match sentence.last() {
            Some(TextToken::Pause(pause)) => *pause,
            _ => Pause::Stop,
        };
        let spoken: Vec<PlannedSound> = sentence.iter().flat_map(planned_sounds).collect();
        planner.phrase(&spoken, pause);
        planner.silence(pause.ms());
    }
    planner.silence(EDGE_MS);
    planner.pieces
}

fn planned_sounds(part: &TextToken) -> Vec<PlannedSound> {
    let (sounds, weak) = match part {
        TextToken::Word(word) => (letters::sounds(word), WEAK.contains(&word.as_str())),
        TextToken::Foreign(c) => (fallback_syllable(*c), false),
        TextToken::Pause(_) => return Vec::new(),
    };
    // The first full vowel of a word is stressed.
    let full = |sound: &Sound| sound.is_vowel() && sound.name != "AH";
    let stress = sounds.iter().position(|s| full(s)).or(sounds.iter().position(|s| s.is_vowel()));
    let count = sounds.len();
    let spoken = |(at, sound): (usize, &'static Sound)| PlannedSound {
        sound,
        stressed: !weak && stress == Some(at),
        last: at + 1 == count,
    };
    sounds.into_iter().enumerate().map(spoken).collect()
}

/// Returns a syllable for an unknown character; the same character always gives the same syllable.
fn fallback_syllable(c: char) -> Vec<&'static Sound> {
    const FIRST: [&str; 12] = ["B", "D", "G", "K", "L", "M", "N", "P", "R", "S", "T", "V"];
    const SECOND: [&str; 5] = ["AA", "EH", "IY", "OW", "UW"];
    let (number, firsts) = (c as usize, FIRST.len());
    let names = [FIRST[number % firsts], SECOND[number / firsts % SECOND.len()]];
    names.into_iter().filter_map(Sound::named).collect()
}

struct Planner<'t> {
    tone: &'t Tone,
    speed: f32,
    pieces: Vec<Piece>,
    /// The final resonances of the last segment.
    begun: Option<[f32; 3]>,
}

impl Planner<'_> {
    fn push(&mut self, ms: f32, piece: Piece) {
        let samples = (ms * RATE as f32 / 1_000.0 / self.speed).round().max(1.0) as u32;
        self.begun = Some(piece.to);
        self.pieces.push(Piece { samples, ..piece });
    }

    fn silence(&mut self, ms: f32) {
        let rest = self.begun.unwrap_or([500.0, 1_500.0, 2_500.0]);
        self.push(ms, Piece { pitch: self.tone.pitch, ..Piece::silent(rest) });
    }

    /// Plans the sounds between two pauses.
    fn phrase(&mut self, spoken: &[PlannedSound], pause: Pause) {
        let count = spoken.len().max(1) as f32;
        for (at, one) in spoken.iter().enumerate() {
            let next = spoken.get(at + 1).map(|next| next.sound);
            let way = (at + 1) as f32 / count;
            let pitch = self.tone.pitch * tune(way, pause) * if one.stressed { 1.10 } else { 1.0 };
            // The last word of a phrase is lengthened.
            let long = if way > 1.0 - 2.0 / count { 1.25 } else { 1.0 };
            let short = if one.sound.is_vowel() && !one.stressed { 0.72 } else { 1.0 };
            self.add_sound(one, next, pitch, long * short);
            if one.last && next.is_some() {
                let silent = Piece::silent(one.sound.formants);
                self.push(GAP_MS, Piece { pitch, voice: 0.12, ..silent });
            }
        }
    }

    fn add_sound(&mut self, one: &PlannedSound, next: Option<&'static Sound>, pitch: f32, length: f32) {
        let sound = one.sound;
        let base = Piece { pitch, ..Piece::silent(sound.formants) };
        let ms = sound.ms * length;
        match sound.manner {
            Manner::Vowel(to) => {
                let voice = if one.stressed { 1.0 } else { 0.82 };
                if to == sound.formants {
                    self.push(ms, Piece { voice, ..base });
                    return;
                }
                // A diphthong holds its start, moves to its target, and holds it.
                let halfway = std::array::from_fn(|at| (sound.formants[at] + to[at]) / 2.0);
                self.push(ms * 0.3, Piece { voice, ..base });
                self.push(ms * 0.25, Piece { voice, to: halfway, ..base });
                self.push(ms * 0.25, Piece { voice, from: halfway, to, ..base });
                self.push(ms * 0.2, Piece { voice: voice * 0.9, from: to, to, ..base });
            }
            Manner::Glide => self.push(ms, Piece { voice: 0.72, ..base }),
            Manner::Nasal => self.push(ms, Piece { voice: 0.62, nasal: true, ..base }),
            Manner::Noise(noise_band, voice) => {
                self.push(ms, Piece { voice, noise: Some(noise_band), ..base })
            }
            Manner::Breath => {
                let formants = next.map_or(sound.formants, |next| next.formants);
                self.push(ms, Piece { breath: 0.55, from: formants, to: formants, ..base });
            }
            Manner::Stop { burst, voiced } => {
                self.push(ms, Piece { voice: if voiced { 0.16 } else { 0.0 }, ..base });
                self.push(12.0, Piece { noise: Some(burst), ..base });
                let opens = next.is_some_and(|next| !matches!(next.manner, Manner::Stop { .. }));
                if !voiced && opens && !one.last {
                    self.push(32.0, Piece { breath: 0.42, ..base });
                }
            }
            Manner::Affricate { noise_band, ms: noise_ms, voiced } => {
                self.push(ms, Piece { voice: if voiced { 0.14 } else { 0.0 }, ..base });
                self.push(
                    noise_ms * length,
                    Piece { voice: if voiced { 0.3 } else { 0.0 }, noise: Some(noise_band), ..base },
                );
            }
        }
    }
}

/// Returns the pitch factor at a position in a phrase, from 0 to 1.
fn tune(way: f32, pause: Pause) -> f32 {
    let falling = 1.12 - 0.22 * way;
    let end = ((way - 0.7) / 0.3).clamp(0.0, 1.0);
    match pause {
        Pause::Question => falling + 0.38 * end,
        Pause::Comma | Pause::Colon => falling + 0.06 * end,
        Pause::Stop | Pause::Paragraph => falling - 0.14 * end,
    }
}
