//! The content of a clip: a background gradient, two moving discs, the words of the prompt in sequence, and a
//! progress bar.

use std::f64::consts::TAU;

use super::h264::{Picture, Yuv};
use super::recipe::{Recipe, Shot};
use super::text::{self, DOTS};

/// Frames per second.
pub(super) const RATE: u32 = 12;
/// Number of shades of the background; other colours follow them in the palette.
const SHADES: u8 = 128;
const LARGE: u8 = SHADES;
const SMALL: u8 = SHADES + 1;
const INK: u8 = SHADES + 2;
const SHADOW: u8 = SHADES + 3;
const BAR: u8 = SHADES + 4;
const RAIL: u8 = SHADES + 5;
const LABEL: &str = "built-in clip";
/// The fraction of a shot after which all words are visible.
const SPOKEN: f64 = 0.6;

/// A clip that can be drawn frame by frame.
pub(super) struct Scene {
    recipe: Recipe,
    ground: Picture,
}

impl Scene {
    pub(super) fn new(recipe: Recipe) -> Self {
        let (width, height) = (recipe.width as usize, recipe.height as usize);
        let mut ground = Picture::new(width, height);
        let (across, down) = (ground.width, ground.height);
        for (at, pixel) in ground.pixels.iter_mut().enumerate() {
            let (column, row) = (at % across, at / across);
            // Varies slightly across, so that the bands are diagonal.
            let shade = (row * 7 + column * 3) * usize::from(SHADES - 1) / (down * 7 + across * 3);
            *pixel = shade as u8;
        }
        let mut scene = Self { recipe, ground };
        let mut ground = scene.ground.clone();
        scene.write(&mut ground, LABEL, scene.label());
        scene.bar(&mut ground, 1.0, RAIL);
        scene.ground = ground;
        scene
    }

    /// Returns the number of frames.
    pub(super) fn pictures(&self) -> u32 {
        self.recipe.seconds() * RATE
    }

    /// Width and height in pixels.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.recipe.width as usize, self.recipe.height as usize)
    }

    /// Returns the colour of each pixel value.
    pub(super) fn palette(&self) -> Vec<Yuv> {
        let seed = self.recipe.colours;
        let hue = |bits: u64, turn: f64| ((seed >> bits) % 360) as f64 / 360.0 + turn;
        let (top, bottom) = (rgb(hue(0, 0.0), 0.55, 0.30), rgb(hue(0, 0.12), 0.60, 0.62));
        let shade = |n: u8| {
            let part = f64::from(n) / f64::from(SHADES - 1);
            yuv([0, 1, 2].map(|at| top[at] * (1.0 - part) + bottom[at] * part))
        };
        let mut palette: Vec<Yuv> = (0..SHADES).map(shade).collect();
        palette.extend([
            yuv(rgb(hue(9, 0.45), 0.70, 0.85)),
            yuv(rgb(hue(18, 0.60), 0.65, 0.95)),
            yuv([1.0; 3]),
            yuv([0.05, 0.05, 0.10]),
            yuv(rgb(hue(9, 0.45), 0.35, 1.0)),
            yuv(top.map(|part| part * 0.6)),
        ]);
        palette
    }

    /// Draws a frame, numbered from 0.
    pub(super) fn draw(&self, number: u32) -> Picture {
        let mut picture = self.ground.clone();
        let time = f64::from(number) / f64::from(RATE);
        let small = self.recipe.width.min(self.recipe.height) as f64;
        self.disc(&mut picture, self.way(0, time), small / 10.0, LARGE);
        self.disc(&mut picture, self.way(24, time * 1.3), small / 16.0, SMALL);
        let (shot, passed) = self.shot(time);
        self.words(&mut picture, shot, passed);
        self.bar(&mut picture, f64::from(number + 1) / f64::from(self.pictures()), BAR);
        picture
    }

    /// Returns the shot at a time, and the fraction of it that has passed.
    fn shot(&self, mut time: f64) -> (&Shot, f64) {
        for shot in &self.recipe.shots {
            let seconds = f64::from(shot.seconds);
            if time < seconds {
                return (shot, time / seconds);
            }
            time -= seconds;
        }
        // A recipe has at least one shot.
        (&self.recipe.shots[self.recipe.shots.len() - 1], 1.0)
    }

    /// Returns the position of a disc, which moves on a closed curve of its own.
    fn way(&self, bits: u64, time: f64) -> (f64, f64) {
        let part = |more: u64| ((self.recipe.motion >> (bits + more)) % 64) as f64 / 64.0;
        let (across, down) = (0.06 + part(0) * 0.08, 0.05 + part(6) * 0.07);
        let x = 0.5 + 0.36 * (TAU * (time * across + part(12))).sin();
        let y = 0.5 + 0.32 * (TAU * (time * down + part(18))).cos();
        (x * f64::from(self.recipe.width), y * f64::from(self.recipe.height))
    }

    fn disc(&self, picture: &mut Picture, (x, y): (f64, f64), radius: f64, colour: u8) {
        let within = |middle: f64, most: usize| {
            let from = (middle - radius).max(0.0) as usize;
            from.min(most)..((middle + radius).ceil().max(0.0) as usize + 1).min(most)
        };
        for row in within(y, self.recipe.height as usize) {
            for column in within(x, self.recipe.width as usize) {
                let (right, down) = (column as f64 + 0.5 - x, row as f64 + 0.5 - y);
                if right * right + down * down <= radius * radius {
                    picture.pixels[row * picture.width + column] = colour;
                }
            }
        }
    }

    /// Draws the visible words of a shot in the centre.
    fn words(&self, picture: &mut Picture, shot: &Shot, passed: f64) {
        let (width, height) = (self.recipe.width as usize, self.recipe.height as usize);
        let size = ((width.min(height) + 60) / 120).max(1);
        let letter = DOTS * size;
        let lines = text::lines(&shot.text, (width - letter) / letter, height * 6 / 10 / (letter + 2 * size));
        let count: usize = lines.iter().map(|line| line.split(' ').count()).sum();
        let mut left = ((passed / SPOKEN * count as f64) as usize + 1).min(count);
        let top = height.saturating_sub(lines.len() * (letter + 2 * size)) / 2;
        for (number, line) in lines.iter().enumerate() {
            let begin = (width - line.chars().count() * letter) / 2;
            let shown_words: Vec<&str> = line.split(' ').take(left).collect();
            left -= shown_words.len();
            let at = (begin, top + number * (letter + 2 * size));
            self.write(picture, &shown_words.join(" "), Lettering { at, size });
        }
    }

    fn label(&self) -> Lettering {
        let (width, height) = (self.recipe.width as usize, self.recipe.height as usize);
        let size = (width.min(height) / 360).max(1);
        Lettering { at: (width - (LABEL.len() + 1) * DOTS * size, height - 3 * DOTS * size), size }
    }

    fn write(&self, picture: &mut Picture, text: &str, lettering: Lettering) {
        let Lettering { at: (left, top), size } = lettering;
        for (offset, colour) in [(size.div_ceil(2), SHADOW), (0, INK)] {
            for (number, letter) in text.chars().enumerate() {
                for (row, dots) in text::dots(letter).into_iter().enumerate() {
                    for column in (0..DOTS).filter(|column| dots >> column & 1 == 1) {
                        let x = left + offset + (number * DOTS + column) * size;
                        self.dot(picture, (x, top + offset + row * size), size, colour);
                    }
                }
            }
        }
    }

    fn dot(&self, picture: &mut Picture, (x, y): (usize, usize), size: usize, colour: u8) {
        let (right, below) = (x + size, y + size);
        let (right, below) = (right.min(self.recipe.width as usize), below.min(self.recipe.height as usize));
        for row in y..below {
            picture.pixels[row * picture.width..][x.min(right)..right].fill(colour);
        }
    }

    /// Draws a part of a line along the lower edge.
    fn bar(&self, picture: &mut Picture, part: f64, colour: u8) {
        let (width, height) = (self.recipe.width as usize, self.recipe.height as usize);
        let thick = (height / 90).max(2);
        let right = ((width as f64 * part) as usize).min(width);
        for row in height - thick..height {
            picture.pixels[row * picture.width..][..right].fill(colour);
        }
    }
}

/// The position of a text, and the size of its dots in pixels.
#[derive(Clone, Copy)]
struct Lettering {
    at: (usize, usize),
    size: usize,
}

/// Converts hue (in turns), saturation and brightness to red, green and blue from 0 to 1.
fn rgb(hue: f64, saturation: f64, value: f64) -> [f64; 3] {
    [5.0, 3.0, 1.0].map(|part| {
        let turn = (part + hue.rem_euclid(1.0) * 6.0) % 6.0;
        value - value * saturation * turn.min(4.0 - turn).clamp(0.0, 1.0)
    })
}

/// Converts to BT.709 in the limited (broadcast) range.
fn yuv([red, green, blue]: [f64; 3]) -> Yuv {
    let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let difference = |part: f64, most: f64| (128.0 + 224.0 * (part - luma) / most).round() as u8;
    Yuv((16.0 + 219.0 * luma).round() as u8, difference(blue, 1.8556), difference(red, 1.5748))
}
