//! Synthesizes audio from a plan: voice or breath is filtered by the resonances of the vocal tract, and noise is
//! added.
//!
//! The output depends only on the plan, so the same text gives the same samples, regardless of the chunks in which
//! they are requested.

use std::f32::consts::{PI, TAU};

use super::plan::Piece;
use super::sounds::NoiseBand;
use super::{RATE, Tone};

/// Samples between two updates from the plan: 2.5 milliseconds.
const STEP: u32 = RATE / 400;
/// The share of the distance to their targets that the resonances and the levels move in one step.
const GLIDE: f32 = 0.13;
const SWELL: f32 = 0.36;
/// Number of steps that the vocal tract moves ahead of the sound.
const AHEAD: u32 = 8;
/// The part of a pitch period in which the vocal cords are open.
const OPEN: f32 = 0.62;
const LOUDNESS: f32 = 0.30;

/// The state of the synthesis of a plan.
pub(super) struct Synth {
    pieces: Vec<Piece>,
    mouth: PlanPosition,
    now: PlanPosition,
    scale: f32,
    /// The current values, which follow the plan with a delay.
    formants: [f32; 3],
    voice: f32,
    breath: f32,
    noise: f32,
    nasal: f32,
    pitch: f32,
    speed: f32,
    resonators: [Resonator; 5],
    tract: Band,
    phase: f32,
    tilt: f32,
    random: u32,
    /// Samples until the next update from the plan.
    until: u32,
}

/// A position in a plan: a segment, and a sample within it.
#[derive(Clone, Copy, Default)]
struct PlanPosition {
    piece: usize,
    sample: u32,
}

impl PlanPosition {
    fn advance(&mut self, mut samples: u32, pieces: &[Piece]) {
        while let Some(piece) = pieces.get(self.piece) {
            let remaining = piece.samples - self.sample;
            if samples < remaining {
                self.sample += samples;
                return;
            }
            samples -= remaining;
            *self = Self { piece: self.piece + 1, sample: 0 };
        }
    }
}

impl Synth {
    pub fn new(pieces: Vec<Piece>, tone: &Tone, speed: f64) -> Self {
        let speed = speed as f32;
        let mut mouth = PlanPosition::default();
        mouth.advance((AHEAD as f32 * STEP as f32 / speed.max(1.0)) as u32, &pieces);
        Self {
            mouth,
            now: PlanPosition::default(),
            scale: tone.scale,
            formants: [500.0, 1_500.0, 2_500.0],
            voice: 0.0,
            breath: 0.0,
            noise: 0.0,
            nasal: 0.0,
            pitch: tone.pitch,
            speed,
            resonators: [Resonator::default(); 5],
            tract: Band::default(),
            phase: 0.0,
            tilt: 0.0,
            random: 0x2545_F491,
            until: 0,
            pieces,
        }
    }

    /// Returns the next sample, from -1 to 1; `None` at the end.
    pub fn next(&mut self) -> Option<f32> {
        if self.until == 0 {
            self.step()?;
        }
        self.pieces.get(self.now.piece)?;
        let sample = self.sample();
        self.until -= 1;
        self.now.advance(1, &self.pieces);
        self.mouth.advance(1, &self.pieces);
        Some(sample)
    }

    /// Moves all values one step closer to the plan.
    fn step(&mut self) -> Option<()> {
        let now = *self.pieces.get(self.now.piece)?;
        let shape = *self.pieces.get(self.mouth.piece).or(self.pieces.last())?;
        let way = self.mouth.sample as f32 / shape.samples as f32;
        // Faster speech requires faster movements.
        let pace = |part: f32| 1.0 - (1.0 - part).powf(self.speed.max(0.5));
        let (glide, swell) = (pace(GLIDE), pace(SWELL));
        for at in 0..3 {
            let goal = shape.from[at] + (shape.to[at] - shape.from[at]) * way.min(1.0);
            self.formants[at] += (goal - self.formants[at]) * glide;
        }
        self.voice += (now.voice - self.voice) * swell;
        self.breath += (now.breath - self.breath) * swell;
        self.noise += (now.noise.map_or(0.0, |noise_band| noise_band.level) - self.noise) * swell;
        self.nasal += (f32::from(u8::from(now.nasal)) - self.nasal) * swell;
        self.pitch += (now.pitch - self.pitch) * pace(0.06);
        let [f1, f2, f3] = self.formants.map(|formant| formant * self.scale);
        let wider = 1.0 + 1.4 * self.nasal;
        let shapes = [
            (f1, 70.0 * wider),
            (f2, 95.0 * wider),
            (f3, 140.0 * wider),
            (3_500.0 * self.scale, 220.0),
            (4_600.0 * self.scale, 280.0),
        ];
        for (resonator, (frequency, width)) in self.resonators.iter_mut().zip(shapes) {
            resonator.tune(frequency, width);
        }
        if let Some(noise_band) = now.noise {
            self.tract.tune(noise_band, self.scale);
        }
        self.until = STEP;
        Some(())
    }

    fn sample(&mut self) -> f32 {
        let white = self.white();
        self.phase += self.pitch / RATE as f32;
        self.phase -= self.phase.floor();
        // The derivative of the glottal flow: it rises slowly and closes abruptly.
        let x = self.phase / OPEN;
        let flow = if x < 1.0 { 2.0 * x - 3.0 * x * x } else { 0.0 };
        self.tilt += (flow - self.tilt) * 0.55;
        // Breath also passes through the open vocal cords.
        let airy = white * if x < 1.0 { 0.03 } else { 0.008 };
        let source = self.voice * (self.tilt + airy) + self.breath * white * 0.16;
        let through = self.resonators.iter_mut().fold(source, |sound, resonator| resonator.pass(sound));
        let rough = 0.75 + 0.5 * self.voice * (1.0 - x.min(1.0));
        let beside = self.tract.pass(white) * self.noise * rough;
        let sound = through * LOUDNESS * (1.0 - 0.45 * self.nasal) + beside;
        // Loud samples are compressed smoothly instead of clipped.
        sound / (1.0 + sound.abs().powi(3)).cbrt()
    }

    /// Returns noise from -1 to 1, from a xorshift generator.
    fn white(&mut self) -> f32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random as f32 / (u32::MAX / 2) as f32 - 1.0
    }
}

/// A resonance with two poles; frequencies far below it pass unchanged.
#[derive(Clone, Copy, Default)]
struct Resonator {
    a: f32,
    b: f32,
    c: f32,
    one: f32,
    two: f32,
}

impl Resonator {
    fn tune(&mut self, frequency: f32, width: f32) {
        let frequency = frequency.clamp(80.0, RATE as f32 * 0.45);
        let radius = (-PI * width / RATE as f32).exp();
        self.c = -radius * radius;
        self.b = 2.0 * radius * (TAU * frequency / RATE as f32).cos();
        self.a = 1.0 - self.b - self.c;
    }

    fn pass(&mut self, sound: f32) -> f32 {
        let out = self.a * sound + self.b * self.one + self.c * self.two;
        (self.two, self.one) = (self.one, out);
        out
    }
}

/// A band-pass filter; its centre frequency passes unchanged.
#[derive(Clone, Copy, Default)]
struct Band {
    gain: f32,
    b: f32,
    c: f32,
    in_two: [f32; 2],
    out_two: [f32; 2],
}

impl Band {
    fn tune(&mut self, noise_band: NoiseBand, scale: f32) {
        // A smaller vocal tract has a higher noise frequency, but the effect is weaker than for vowels.
        let centre = (noise_band.centre * scale.sqrt()).min(RATE as f32 * 0.42);
        let turn = TAU * centre / RATE as f32;
        let alpha = turn.sin() / (2.0 * noise_band.q);
        self.gain = alpha / (1.0 + alpha);
        self.b = 2.0 * turn.cos() / (1.0 + alpha);
        self.c = (alpha - 1.0) / (1.0 + alpha);
    }

    fn pass(&mut self, sound: f32) -> f32 {
        let out = self.gain * (sound - self.in_two[1]) + self.b * self.out_two[0] + self.c * self.out_two[1];
        self.in_two = [sound, self.in_two[0]];
        self.out_two = [out, self.out_two[0]];
        out
    }
}
