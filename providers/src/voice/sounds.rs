//! The sounds of English with the parameters for synthesis: resonances of the vocal tract, duration, and the mix of
//! voice and noise.
//!
//! The values are rounded figures from phonetics textbooks for an adult man; voices scale them.

/// The manner of articulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Manner {
    /// An open vocal tract; the value contains the resonances at the end of the sound.
    Vowel([f32; 3]),
    /// A sound between vowel and consonant: `w`, `y`, `r`, `l`.
    Glide,
    /// A nasal consonant.
    Nasal,
    /// A fricative; the number is its level of voice.
    Noise(NoiseBand, f32),
    /// Breath through the vocal tract in the position of the next sound.
    Breath,
    /// A closure that is released with a burst.
    Stop { burst: NoiseBand, voiced: bool },
    /// A closure that is released into noise for `ms` milliseconds.
    Affricate { noise_band: NoiseBand, ms: f32, voiced: bool },
}

/// A band of noise: its centre in hertz, its Q factor, and its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NoiseBand {
    pub centre: f32,
    pub q: f32,
    pub level: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sound {
    pub name: &'static str,
    /// The duration in milliseconds when stressed.
    pub ms: f32,
    /// The first three resonances, in hertz.
    pub formants: [f32; 3],
    pub manner: Manner,
}

impl Sound {
    pub fn named(name: &str) -> Option<&'static Sound> {
        SOUNDS.iter().find(|sound| sound.name == name)
    }

    pub fn is_vowel(&self) -> bool {
        matches!(self.manner, Manner::Vowel(_))
    }
}

const fn vowel(name: &'static str, ms: f32, formants: [f32; 3], to: [f32; 3]) -> Sound {
    Sound { name, ms, formants, manner: Manner::Vowel(to) }
}

const fn plain(name: &'static str, ms: f32, formants: [f32; 3]) -> Sound {
    vowel(name, ms, formants, formants)
}

const fn glide(name: &'static str, ms: f32, formants: [f32; 3]) -> Sound {
    Sound { name, ms, formants, manner: Manner::Glide }
}

const fn nasal(name: &'static str, formants: [f32; 3]) -> Sound {
    Sound { name, ms: 75.0, formants, manner: Manner::Nasal }
}

const fn noise_band(centre: f32, q: f32, level: f32) -> NoiseBand {
    NoiseBand { centre, q, level }
}

const fn noise(name: &'static str, ms: f32, formants: [f32; 3], noise_band: NoiseBand, voice: f32) -> Sound {
    Sound { name, ms, formants, manner: Manner::Noise(noise_band, voice) }
}

const fn stop(name: &'static str, ms: f32, formants: [f32; 3], burst: NoiseBand, voiced: bool) -> Sound {
    Sound { name, ms, formants, manner: Manner::Stop { burst, voiced } }
}

const LIPS: [f32; 3] = [250.0, 850.0, 2_200.0];
const TEETH: [f32; 3] = [300.0, 1_400.0, 2_550.0];
const RIDGE: [f32; 3] = [250.0, 1_750.0, 2_650.0];
const PALATE: [f32; 3] = [270.0, 1_900.0, 2_600.0];
const BACK: [f32; 3] = [250.0, 1_900.0, 2_250.0];

const SOUNDS: &[Sound] = &[
    plain("IY", 135.0, [280.0, 2_250.0, 2_890.0]),
    plain("IH", 100.0, [400.0, 1_900.0, 2_550.0]),
    plain("EH", 115.0, [550.0, 1_770.0, 2_490.0]),
    plain("AE", 145.0, [690.0, 1_660.0, 2_430.0]),
    plain("AA", 150.0, [720.0, 1_100.0, 2_540.0]),
    plain("AO", 150.0, [590.0, 880.0, 2_540.0]),
    plain("UH", 105.0, [450.0, 1_050.0, 2_240.0]),
    plain("UW", 135.0, [310.0, 900.0, 2_240.0]),
    plain("AH", 90.0, [620.0, 1_220.0, 2_550.0]),
    plain("ER", 135.0, [470.0, 1_270.0, 1_600.0]),
    vowel("EY", 160.0, [480.0, 1_850.0, 2_500.0], [330.0, 2_200.0, 2_750.0]),
    vowel("OW", 160.0, [520.0, 1_000.0, 2_400.0], [370.0, 800.0, 2_350.0]),
    vowel("AY", 180.0, [720.0, 1_200.0, 2_500.0], [340.0, 2_050.0, 2_650.0]),
    vowel("AW", 185.0, [720.0, 1_250.0, 2_500.0], [400.0, 900.0, 2_300.0]),
    vowel("OY", 190.0, [540.0, 880.0, 2_450.0], [340.0, 2_050.0, 2_600.0]),
    glide("W", 70.0, [290.0, 620.0, 2_150.0]),
    glide("Y", 65.0, [260.0, 2_150.0, 3_000.0]),
    glide("R", 75.0, [320.0, 1_100.0, 1_450.0]),
    glide("L", 75.0, [330.0, 1_050.0, 2_800.0]),
    nasal("M", [260.0, 950.0, 2_200.0]),
    nasal("N", [260.0, 1_550.0, 2_600.0]),
    nasal("NG", [260.0, 2_000.0, 2_500.0]),
    noise("F", 95.0, LIPS, noise_band(5_500.0, 0.5, 0.13), 0.0),
    noise("V", 65.0, LIPS, noise_band(5_500.0, 0.5, 0.06), 0.55),
    noise("TH", 95.0, TEETH, noise_band(6_000.0, 0.5, 0.10), 0.0),
    noise("DH", 55.0, TEETH, noise_band(6_000.0, 0.5, 0.04), 0.60),
    noise("S", 110.0, RIDGE, noise_band(6_300.0, 1.6, 0.50), 0.0),
    noise("Z", 80.0, RIDGE, noise_band(6_300.0, 1.6, 0.26), 0.40),
    noise("SH", 110.0, PALATE, noise_band(3_000.0, 1.8, 0.46), 0.0),
    noise("ZH", 80.0, PALATE, noise_band(3_000.0, 1.8, 0.24), 0.40),
    Sound { name: "HH", ms: 65.0, formants: [500.0, 1_500.0, 2_500.0], manner: Manner::Breath },
    stop("P", 65.0, LIPS, noise_band(800.0, 0.8, 0.30), false),
    stop("B", 55.0, LIPS, noise_band(700.0, 0.8, 0.20), true),
    stop("T", 60.0, RIDGE, noise_band(4_600.0, 1.2, 0.55), false),
    stop("D", 50.0, RIDGE, noise_band(4_000.0, 1.2, 0.30), true),
    stop("K", 65.0, BACK, noise_band(2_000.0, 2.2, 0.60), false),
    stop("G", 55.0, BACK, noise_band(1_900.0, 2.2, 0.35), true),
    Sound {
        name: "CH",
        ms: 55.0,
        formants: PALATE,
        manner: Manner::Affricate { noise_band: noise_band(3_100.0, 1.6, 0.50), ms: 80.0, voiced: false },
    },
    Sound {
        name: "JH",
        ms: 50.0,
        formants: PALATE,
        manner: Manner::Affricate { noise_band: noise_band(3_000.0, 1.6, 0.28), ms: 60.0, voiced: true },
    },
];
