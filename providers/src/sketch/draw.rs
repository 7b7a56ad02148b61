//! Generates images that depend only on a text.

use image::{Rgb, RgbImage};
use ring::digest::{SHA256, digest};

/// Width and height of an image in pixels.
pub(super) const SIDE: u32 = 512;

/// Cells per side of the pattern; its left half is mirrored.
const CELLS: usize = 5;
/// Size in pixels of a cell, and of the margin on each side.
const CELL: u32 = 80;
const MARGIN: u32 = (SIDE - CELL * CELLS as u32) / 2;

/// Draws a mirrored pattern of discs and squares over a gradient, determined by the SHA-256 of the text.
pub(super) fn draw(seed: &str) -> RgbImage {
    let hash = digest(&SHA256, seed.as_bytes());
    let bytes = hash.as_ref();
    let hue = f32::from(u16::from_be_bytes([bytes[0], bytes[1]])) / 65_536.0;
    let turn = 0.08 + f32::from(bytes[2]) / 255.0 * 0.17;
    let (from, to) = (colour(hue, 0.55, 0.42), colour(hue + turn, 0.62, 0.58));
    let light = colour(hue + turn * 2.0, 0.35, 0.92);
    RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let down = (x + y) as f32 / (2 * SIDE) as f32;
        let ground = mix(from, to, down);
        Rgb(mix(ground, light, cover(bytes, x, y)).map(|part| (part * 255.0).round() as u8))
    })
}

/// Returns how much of a pixel the pattern covers, from 0 to 1.
fn cover(bytes: &[u8], x: u32, y: u32) -> f32 {
    let place = |at: u32| at.checked_sub(MARGIN).map(|at| at / CELL).filter(|cell| *cell < CELLS as u32);
    let (Some(column), Some(row)) = (place(x), place(y)) else { return 0.0 };
    let mirrored = (column as usize).min(CELLS - 1 - column as usize);
    let byte = bytes[3 + row as usize * CELLS.div_ceil(2) + mirrored];
    if byte & 1 == 0 {
        return 0.0;
    }
    let half = CELL as f32 / 2.0;
    let centre = |cell: u32| (MARGIN + cell * CELL) as f32 + half - 0.5;
    let (dx, dy) = ((x as f32 - centre(column)).abs(), (y as f32 - centre(row)).abs());
    let distance = if byte & 2 == 0 { dx.hypot(dy) } else { dx.max(dy) };
    // Soft edge of one pixel.
    (half * 0.86 - distance).clamp(0.0, 1.0)
}

fn mix(from: [f32; 3], to: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|part| from[part] + (to[part] - from[part]) * share)
}

/// Returns a colour by hue (one turn is 1), saturation and lightness.
fn colour(hue: f32, saturation: f32, lightness: f32) -> [f32; 3] {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset: f32| {
        let k = (offset + hue.rem_euclid(1.0) * 12.0) % 12.0;
        lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draw_depends_only_on_the_text() {
        assert_eq!(draw("Ada"), draw("Ada"));
        assert_ne!(draw("Ada"), draw("Bea"));
        let picture = draw("Ada");
        let mirrored = image::imageops::flip_horizontal(&picture);
        let centre = |picture: &RgbImage, row: u32| {
            cover_of(picture, MARGIN + CELL / 2, MARGIN + row * CELL + CELL / 2)
        };
        for row in 0..CELLS as u32 {
            assert!(centre(&picture, row).abs_diff(centre(&mirrored, row)) < 60, "row {row} is mirrored");
        }
    }

    fn cover_of(picture: &RgbImage, x: u32, y: u32) -> u32 {
        picture.get_pixel(x, y).0.iter().map(|part| u32::from(*part)).sum()
    }
}
