use domain::Code;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use storage::records::Role;
use understudy::parts::http::{Claims, FILE, SigningKeys};
use uuid::Uuid;

fn claims(life: Duration) -> Claims {
    Claims::new(Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3), Role::Editor, life)
}

#[test]
fn open_creates_the_key_once_and_keeps_it_private() {
    let dir = tempfile::tempdir().unwrap();
    let token = SigningKeys::open(dir.path()).unwrap().sign(&claims(Duration::from_secs(60))).unwrap();
    let again = SigningKeys::open(dir.path()).unwrap();
    assert_eq!(again.verify(&token).unwrap().sid, Uuid::from_u128(3));
    let mode = std::fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn verify_refuses_foreign_and_expired_tokens() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let keys = SigningKeys::open(here.path()).unwrap();
    let strange = SigningKeys::open(there.path()).unwrap().sign(&claims(Duration::from_secs(60))).unwrap();
    assert_eq!(keys.verify(&strange).unwrap_err(), Code::CredentialsInvalid);
    let mut old = claims(Duration::from_secs(60));
    old.exp -= 120;
    assert_eq!(keys.verify(&keys.sign(&old).unwrap()).unwrap_err(), Code::CredentialsExpired);
    // A token that claims to need no signature, or a signature by a shared secret.
    let body = keys.sign(&claims(Duration::from_secs(60))).unwrap();
    let body = body.split('.').nth(1).unwrap().to_owned();
    for head in ["eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9"] {
        assert!(keys.verify(&format!("{head}.{body}.")).is_err());
    }
}
