/// A vector of length 1 with one byte per component.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// The value of one step of a component.
    pub scale: f32,
    /// The components, scaled to 8 bits.
    pub values: Vec<i8>,
}

impl Quantized {
    /// Normalizes a vector to length 1 and quantizes its components. A vector without a direction becomes zeros, which
    /// are equally near to everything.
    pub fn new(vector: &[f32]) -> Self {
        let most = vector.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let step = most / 127.0;
        // NaN does not affect the maximum, so all components must be checked.
        if !step.is_normal() || vector.iter().any(|x| !x.is_finite()) {
            return Self { scale: 0.0, values: vec![0; vector.len()] };
        }
        let values: Vec<i8> = vector.iter().map(|x| (x / step).round() as i8).collect();
        let squares: i64 = values.iter().map(|value| i64::from(*value).pow(2)).sum();
        // Use the length of the quantized components, not of the original ones: this removes most of the rounding error
        // from the cosine of vectors that are near each other.
        Self { scale: 1.0 / (squares as f32).sqrt(), values }
    }

    /// Appends the scale (4 bytes, little-endian) and the components.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.scale.to_le_bytes());
        to.extend(self.values.iter().map(|value| *value as u8));
    }

    /// Reads as many vectors with this number of dimensions as the bytes contain; `None` if bytes are left over.
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
