//! Reads clips back as a player would: the tables of the file, then every frame, bit by bit.

use futures::StreamExt;

use super::h264::{BLOCK, Picture, Yuv};
use super::*;
use crate::media::video::VideoSource;

fn request(prompt: &str, size: (u32, u32), seconds: u32) -> VideoRequest {
    VideoRequest {
        model: NAME.to_owned(),
        key: "key".to_owned(),
        prompt: prompt.to_owned(),
        size,
        seconds,
        source: None,
        keys: Keys::default(),
    }
}

fn scene(request: &VideoRequest) -> Scene {
    Scene::new(Recipe::from_request(request).unwrap())
}

fn file(request: &VideoRequest) -> Vec<u8> {
    write(&scene(request), |_| true).unwrap()
}

/// Returns the body of the atom at a path in the tree.
fn atom<'a>(mut file: &'a [u8], way: &[&str]) -> &'a [u8] {
    for name in way {
        file = loop {
            let length = u32::from_be_bytes(file[..4].try_into().unwrap()) as usize;
            let (atom, rest) = file.split_at(length);
            if &atom[4..8] == name.as_bytes() {
                break &atom[8..];
            }
            file = rest;
        };
    }
    file
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect()
}

const TABLE: [&str; 5] = ["moov", "trak", "mdia", "minf", "stbl"];

fn table<'a>(file: &'a [u8], name: &'static str) -> &'a [u8] {
    atom(file, &[TABLE.as_slice(), &[name]].concat())
}

/// Returns the NAL units of all frames, at the positions in the tables.
fn units(file: &[u8]) -> Vec<Vec<u8>> {
    let mut at = words(table(file, "stco"))[2] as usize;
    let sizes = words(table(file, "stsz"));
    let unit = |size: &u32| {
        let sample = &file[at..at + *size as usize];
        at += *size as usize;
        assert_eq!(u32::from_be_bytes(sample[..4].try_into().unwrap()), size - 4, "one unit a sample");
        unescaped(&sample[4..])
    };
    let units: Vec<_> = sizes[3..].iter().map(unit).collect();
    assert_eq!(at, file.len(), "nothing stands behind the pictures");
    units
}

fn unescaped(unit: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, byte) in unit.iter().enumerate() {
        let put_in = at >= 2 && unit[at - 2..=at] == [0, 0, 3];
        assert!(at < 2 || unit[at - 2..at] != [0, 0] || *byte >= 3, "looks like another unit");
        if !put_in {
            bytes.push(*byte);
        }
    }
    bytes
}

struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl BitReader<'_> {
    fn bits(&mut self, count: usize) -> u32 {
        (0..count).fold(0, |value, _| {
            let bit = self.bytes[self.at / 8] >> (7 - self.at % 8) & 1;
            self.at += 1;
            value << 1 | u32::from(bit)
        })
    }

    fn golomb(&mut self) -> u32 {
        let mut zeros = 0;
        while self.bits(1) == 0 {
            zeros += 1;
        }
        (1 << zeros) - 1 + self.bits(zeros)
    }

    /// Whether there is more data before the stop bit.
    fn more(&self) -> bool {
        let last = self.bytes.len() - 1;
        self.at < last * 8 + 7 - self.bytes[last].trailing_zeros() as usize
    }

    fn samples<const N: usize>(&mut self) -> [u8; N] {
        let from = self.at.div_ceil(8);
        self.at = (from + N) * 8;
        self.bytes[from..from + N].try_into().unwrap()
    }
}

/// Luma and both colour differences of an image.
#[derive(Clone, PartialEq)]
struct Planes {
    across: usize,
    luma: Vec<u8>,
    differences: [Vec<u8>; 2],
}

impl Planes {
    fn new(across: usize, down: usize) -> Self {
        let quarter = vec![0; across * down / 4];
        Self { across, luma: vec![0; across * down], differences: [quarter.clone(), quarter] }
    }

    fn from_picture(picture: &Picture, palette: &[Yuv]) -> Self {
        let mut planes = Self::new(picture.width, picture.height);
        let colour = |x: usize, y: usize| palette[picture.pixels[y * picture.width + x] as usize];
        for y in 0..picture.height {
            for x in 0..picture.width {
                planes.luma[y * picture.width + x] = colour(x, y).0;
            }
        }
        for y in 0..picture.height / 2 {
            for x in 0..picture.width / 2 {
                let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, d)| colour(2 * x + r, 2 * y + d));
                let mean = |part: fn(Yuv) -> u8| four.iter().map(|c| u32::from(part(*c))).sum::<u32>() / 4;
                let at = y * picture.width / 2 + x;
                planes.differences[0][at] = mean(|c| c.1) as u8;
                planes.differences[1][at] = mean(|c| c.2) as u8;
            }
        }
        planes
    }

    /// Decodes a unit onto this image and returns the number of macroblocks that it replaces.
    fn decode(&mut self, unit: &[u8], number: u32) -> usize {
        let key = unit[0] & 31 == 5;
        let mut read = BitReader { bytes: &unit[1..], at: 0 };
        assert_eq!(read.golomb(), 0);
        assert_eq!(read.golomb(), if key { 7 } else { 5 });
        assert_eq!(read.golomb(), 0);
        assert_eq!(read.bits(8), if key { 0 } else { number % 256 });
        if key {
            assert!(read.golomb() < 2);
        }
        assert_eq!(read.bits(if key { 2 } else { 3 }), 0);
        assert_eq!((read.golomb(), read.golomb()), (0, 1));
        let (mut block, mut replaced) = (0, 0);
        while read.more() {
            if !key {
                block += read.golomb() as usize;
                if !read.more() {
                    break;
                }
            }
            assert_eq!(read.golomb(), if key { 25 } else { 30 });
            self.put(block, read.samples(), [read.samples(), read.samples()]);
            (block, replaced) = (block + 1, replaced + 1);
        }
        assert_eq!(block, self.luma.len() / 256, "every macroblock is told of");
        replaced
    }

    fn put(&mut self, block: usize, luma: [u8; 256], differences: [[u8; 64]; 2]) {
        let columns = self.across / BLOCK;
        let (column, row) = (block % columns, block / columns);
        let copy = |plane: &mut [u8], side: usize, across: usize, samples: &[u8]| {
            for (line, samples) in samples.chunks(side).enumerate() {
                let from = (row * side + line) * across + column * side;
                plane[from..from + side].copy_from_slice(samples);
            }
        };
        copy(&mut self.luma, 16, self.across, &luma);
        for (plane, samples) in self.differences.iter_mut().zip(differences) {
            copy(plane, 8, self.across / 2, &samples);
        }
    }
}

#[test]
fn encoder_output_decodes_to_the_drawn_images() {
    for (size, seconds) in [((320, 180), 5), ((480, 480), 1), ((360, 640), 1)] {
        let request = request("A lighthouse, and the sea at night: Ärger über Öl", size, seconds);
        let (file, scene) = (file(&request), scene(&request));
        let (units, palette) = (units(&file), scene.palette());
        assert_eq!(units.len() as u32, seconds * RATE);
        let first = scene.draw(0);
        let mut shown = Planes::new(first.width, first.height);
        let mut since = 0;
        for (number, unit) in units.iter().enumerate() {
            since = if unit[0] & 31 == 5 { 0 } else { since + 1 };
            let replaced = shown.decode(unit, since);
            assert!(
                since == 0 || replaced < shown.luma.len() / 256 / 3,
                "picture {number} replaces {replaced}"
            );
            assert!(shown == Planes::from_picture(&scene.draw(number as u32), &palette), "picture {number}");
        }
    }
}

#[test]
fn mp4_tables_describe_the_content() {
    let file = file(&request("tides", (320, 180), 5));
    assert_eq!(&file[4..8], b"ftyp");
    assert_eq!(words(table(&file, "stts")), [0, 1, 5 * RATE, 1]);
    assert_eq!(words(table(&file, "stss")), [0, 2, 1, KEY_SECONDS * RATE + 1]);
    let head = words(atom(&file, &["moov", "mvhd"]));
    assert_eq!((head[3], head[4]), (RATE, 5 * RATE), "five seconds");
    let track = words(atom(&file, &["moov", "trak", "tkhd"]));
    assert_eq!(track[track.len() - 2..], [320 << 16, 180 << 16]);
    let entry = &table(&file, "stsd")[8..];
    let settings = atom(&atom(entry, &["avc1"])[78..], &["avcC"]);
    assert_eq!(settings[..6], [1, 66, 0xC0, 40, 0xFF, 0xE1]);
}

#[test]
fn clip_files_are_small() {
    let largest = file(&request("words ".repeat(200).as_str(), (640, 360), 10));
    assert!(largest.len() < 5 << 20, "{} bytes", largest.len());
}

#[test]
fn clip_depends_only_on_the_prompt() {
    let clip = |prompt: &str| file(&request(prompt, (320, 180), 1));
    assert_eq!(clip("a boat"), clip("a boat"));
    assert_ne!(clip("a boat"), clip("a goat"));
}

#[test]
fn clip_supports_remix_and_extension() {
    let first = Recipe::from_request(&request("a boat", (320, 180), 2)).unwrap();
    let remix = VideoSource::Remix(first.name());
    let remix =
        Recipe::from_request(&VideoRequest { source: Some(remix), ..request("at night", (320, 180), 2) })
            .unwrap();
    assert_eq!((remix.motion, remix.seconds()), (first.motion, 2));
    assert_ne!(Scene::new(remix).palette(), Scene::new(first.clone()).palette());
    let source = Some(VideoSource::Extend(first.name()));
    let longer =
        Recipe::from_request(&VideoRequest { source, ..request("and then", (320, 180), 3) }).unwrap();
    let (longer, short) = (Scene::new(longer), Scene::new(first));
    assert_eq!((longer.pictures(), short.pictures()), (5 * RATE, 2 * RATE));
    assert_eq!(longer.palette(), short.palette());
}

#[test]
fn clip_rejects_unsupported_requests() {
    let refused = |request: VideoRequest| assert!(Recipe::from_request(&request).is_err(), "{request:?}");
    refused(request("x", (1920, 1080), 2));
    refused(request("x", (320, 180), 0));
    refused(request("x", (320, 180), 11));
    let mut name = Recipe::from_request(&request("x", (320, 180), 10)).unwrap().name();
    for _ in 0..2 {
        let source = Some(VideoSource::Extend(name));
        name = Recipe::from_request(&VideoRequest { source, ..request("y", (320, 180), 10) }).unwrap().name();
    }
    refused(VideoRequest { source: Some(VideoSource::Extend(name)), ..request("z", (320, 180), 10) });
    refused(VideoRequest {
        source: Some(VideoSource::Remix("clip_x".into())),
        ..request("z", (320, 180), 1)
    });
}

async fn finished(clip: &Clip, job: &str) {
    for _ in 0..6_000 {
        match clip.status(job, &Keys::default()).await.unwrap().state {
            RemoteState::Completed => return,
            RemoteState::InProgress { percent } => assert!(percent < 100),
            RemoteState::Queued => {}
            failed => panic!("{failed:?}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("the clip is not done");
}

async fn fetched(clip: &Clip, job: &str) -> Vec<u8> {
    let content = clip.content(job, &Keys::default()).await.unwrap();
    assert_eq!(content.media_type, "video/mp4");
    content.bytes.map(|piece| piece.unwrap().to_vec()).concat().await
}

#[tokio::test]
async fn clip_renders_a_lost_job_again() {
    let (video, clip) = (request("a boat", (320, 180), 1), Clip::default());
    let job = clip.submit(video.clone()).await.unwrap().id;
    finished(&clip, &job).await;
    let first = fetched(&clip, &job).await;
    assert_eq!(first, file(&video));
    let another = Clip::default();
    assert_eq!(another.submitted("key", &Keys::default()).await.unwrap(), None);
    finished(&another, &job).await;
    assert_eq!(fetched(&another, &job).await, first);
}

#[tokio::test]
async fn clip_dropped_job_releases_its_slot() {
    let clip = Clip::default();
    for n in 0..8 {
        let video = VideoRequest { key: n.to_string(), ..request("a boat", (640, 360), 10) };
        let job = clip.submit(video).await.unwrap().id;
        clip.delete(&job, &Keys::default()).await.unwrap();
    }
    let job = clip.submit(request("tides", (320, 180), 1)).await.unwrap().id;
    finished(&clip, &job).await;
    drop(clip.places.acquire_many(MAX_CONCURRENT as u32).await.unwrap());
}
