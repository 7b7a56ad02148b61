//! Encryption for one browser: RFC 8291 with the content encoding of RFC 8188 (`aes128gcm`), always a single record.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};

use super::{MAX_MESSAGE_BYTES, PushError, Subscription};

/// The record size, which the header must contain. Our records are shorter.
const RECORD: u32 = 4_096;
const SALT: usize = 16;
/// Bytes of a public key.
const POINT: usize = 65;
const TAG: usize = 16;
/// Number of bytes of a body besides the text: the header (salt, record size, key length, key), the delimiter of the
/// last record, and the tag.
pub(super) const OVERHEAD: usize = SALT + 4 + 1 + POINT + 1 + TAG;

/// Encrypts a message for a browser, with a new key pair and salt for each message.
pub(super) fn encrypt(to: &Subscription, text: &[u8]) -> Result<Vec<u8>, PushError> {
    let random = SystemRandom::new();
    let failed = |_| PushError::Crypto("the random source failed");
    let mut salt = [0; SALT];
    random.fill(&mut salt).map_err(failed)?;
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random).map_err(failed)?;
    let public = own.compute_public_key().map_err(failed)?;
    let theirs = UnparsedPublicKey::new(&ECDH_P256, &to.p256dh);
    agree_ephemeral(own, &theirs, |secret| seal(secret, public.as_ref(), to, &salt, text))
        .map_err(|_| PushError::Keys("`p256dh` is not a point of P-256"))?
}

/// Encrypts with the given random values.
fn seal(
    secret: &[u8],
    public: &[u8],
    to: &Subscription,
    salt: &[u8; SALT],
    text: &[u8],
) -> Result<Vec<u8>, PushError> {
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(PushError::TooLong);
    }
    let mut shared = [0; 32];
    derive(&to.auth, secret, &[b"WebPush: info\0", &to.p256dh, public], &mut shared)?;
    let (mut key, mut nonce) = ([0; 16], [0; 12]);
    derive(salt, &shared, &[b"Content-Encoding: aes128gcm\0"], &mut key)?;
    derive(salt, &shared, &[b"Content-Encoding: nonce\0"], &mut nonce)?;
    let failed = |_| PushError::Crypto("the cipher failed");
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).map_err(failed)?);
    // The delimiter marks this record as the last one.
    let mut sealed = [text, &[2]].concat();
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed).map_err(failed)?;
    let mut body = Vec::with_capacity(OVERHEAD + text.len());
    body.extend_from_slice(salt);
    body.extend_from_slice(&RECORD.to_be_bytes());
    body.push(POINT as u8);
    body.extend_from_slice(public);
    body.extend_from_slice(&sealed);
    Ok(body)
}

/// The number of bytes to derive.
struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive(salt: &[u8], secret: &[u8], info: &[&[u8]], to: &mut [u8]) -> Result<(), PushError> {
    let failed = |_| PushError::Crypto("no key could be derived");
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(info, Bytes(to.len())).map_err(failed)?.fill(to).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::super::read_key;
    use super::*;

    #[test]
    fn seal_matches_the_example_of_the_standard() {
        // RFC 8291, section 5 and appendix A.
        let bytes = |text: &str| read_key(text).unwrap();
        let to = Subscription {
            endpoint: String::new(),
            p256dh: bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            ),
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
        };
        let public =
            bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let secret = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let salt: [u8; SALT] = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let body = seal(&secret, &public, &to, &salt, b"When I grow up, I want to be a watermelon").unwrap();
        let expected = bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8\
             wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
        );
        assert_eq!(body, expected);
    }

    #[test]
    fn encrypt_accepts_texts_up_to_the_limit() {
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let p256dh = own.compute_public_key().unwrap().as_ref().to_vec();
        let to = Subscription { endpoint: String::new(), p256dh, auth: vec![7; 16] };
        to.check().unwrap();
        assert_eq!(encrypt(&to, &[b'x'; MAX_MESSAGE_BYTES]).unwrap().len(), 4_096);
        assert_eq!(encrypt(&to, &[b'x'; MAX_MESSAGE_BYTES + 1]), Err(PushError::TooLong));
        let off = Subscription { p256dh: [vec![4], vec![1; 64]].concat(), ..to.clone() };
        assert!(matches!(off.check(), Err(PushError::Keys(_))), "not every 64 bytes are a point");
        assert!(Subscription { auth: vec![7; 15], ..to }.check().is_err());
    }
}
