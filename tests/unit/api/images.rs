use image::DynamicImage;
use image::ImageFormat;
use image::RgbaImage;
use std::io::Cursor;
use understudy::parts::api::{Cut, MAX_BYTES, MAX_SIDE_LENGTH, Picture, SIDE, decode};

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).expect("it is written");
    bytes
}

#[test]
fn decode_refuses_an_image_that_would_exceed_the_memory_limit() {
    let wide = DynamicImage::new_luma8(MAX_SIDE_LENGTH + 1, 4);
    assert!(decode(&encoded(&wide, ImageFormat::Png)).is_err(), "too wide");
    let large = DynamicImage::new_rgba8(8_000, 6_000);
    let bytes = encoded(&large, ImageFormat::Png);
    assert!((bytes.len() as u64) < MAX_BYTES, "the file itself is small: {}", bytes.len());
    assert!(decode(&bytes).is_err(), "192 MB when unfolded");
}

#[test]
fn read_crops_to_the_middle_and_preserves_transparency() {
    let mut picture = RgbaImage::new(900, 300);
    for (x, _, pixel) in picture.enumerate_pixels_mut() {
        *pixel = image::Rgba(if (300..600).contains(&x) { [0, 200, 0, 255] } else { [200, 0, 0, 0] });
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x");
    for (format, opaque) in [(ImageFormat::Png, false), (ImageFormat::WebP, false), (ImageFormat::Jpeg, true)]
    {
        let picture = DynamicImage::ImageRgba8(picture.clone());
        let picture = if opaque { DynamicImage::ImageRgb8(picture.to_rgb8()) } else { picture };
        std::fs::write(&path, encoded(&picture, format)).expect("a file");
        let cropped = Picture::read(&path, Cut::Square).unwrap_or_else(|why| panic!("{format:?}: {why}"));
        let (cropped, _) = decode(cropped.bytes()).expect("a picture");
        assert_eq!((cropped.width(), cropped.height()), (SIDE, SIDE));
        assert_eq!(cropped.color().has_alpha(), !opaque, "{format:?}");
        let middle = cropped.to_rgb8().get_pixel(SIDE / 2, SIDE / 2).0;
        assert!(middle[1] > 180 && middle[0] < 40, "{format:?}: {middle:?}");
        let whole = Picture::read(&path, Cut::Nothing).unwrap_or_else(|why| panic!("{format:?}: {why}"));
        let (whole, _) = decode(whole.bytes()).expect("a picture");
        assert_eq!((whole.width(), whole.height()), (SIDE, 171), "{format:?}: nothing is cut off");
    }
}
