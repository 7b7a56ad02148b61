/// A vector of length 1 with each number in one byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// What a byte is worth.
    pub scale: f32,
    /// The components, scaled to 8 bits.
    pub values: Vec<i8>,
}

impl Quantized {
    /// Bringing a vector to length 1 and its numbers into bytes. One without a direction becomes zeros,
    /// which are as near to everything as to nothing.
    pub fn new(vector: &[f32]) -> Self {
        let most = vector.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let step = most / 127.0;
        // A number that is none is not the greatest, so all have to be looked at.
        if !step.is_normal() || vector.iter().any(|x| !x.is_finite()) {
            return Self { scale: 0.0, values: vec![0; vector.len()] };
        }
        let values: Vec<i8> = vector.iter().map(|x| (x / step).round() as i8).collect();
        let squares: i64 = values.iter().map(|value| i64::from(*value).pow(2)).sum();
        // The length of what the bytes say, and not of what they were made of: that takes most of the
        // error of the rounding out of the cosine of vectors that are near each other.
        Self { scale: 1.0 / (squares as f32).sqrt(), values }
    }

    /// Appends the scale (4 bytes, little end first) and the numbers.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.scale.to_le_bytes());
        to.extend(self.values.iter().map(|value| *value as u8));
    }

    /// Reads as many vectors of so many numbers as the bytes hold; none where something is left over.
    pub fn read(bytes: &[u8], dimensions: usize) -> Option<Vec<Self>> {
        let whole = bytes.chunks_exact(dimensions.checked_add(4)?);
        if !whole.remainder().is_empty() {
            return None;
        }
        let read = |one: &[u8]| {
            let (scale, values) = one.split_at_checked(4)?;
            let scale = f32::from_le_bytes(scale.try_into().ok()?);
            Some(Self { scale, values: values.iter().map(|byte| *byte as i8).collect() })
        };
        whole.map(read).collect()
    }
}
