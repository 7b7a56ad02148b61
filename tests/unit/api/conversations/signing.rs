use storage::TenantId;
use storage::Timestamp;
use understudy::parts::api::{Allowed, Signer};

#[test]
fn signer_reads_only_tokens_that_it_signed() {
    let signer = Signer::new(b"one");
    let other = Signer::new(b"two");
    let allowed = Allowed {
        tenant: TenantId(storage::new_id()),
        conversation: storage::new_id(),
        upload: storage::new_id(),
        until: Timestamp::from_millis(1_767_323_045_678),
        size: 12,
    };
    let token = signer.token(&allowed);
    assert_eq!(signer.read(&token), Some(allowed));
    assert_eq!(other.read(&token), None);
    for at in 0..token.len() {
        let mut forged = token.clone().into_bytes();
        forged[at] = if forged[at] == b'0' { b'1' } else { b'0' };
        assert_eq!(signer.read(std::str::from_utf8(&forged).expect("ASCII")), None);
    }
    assert_eq!(signer.read(""), None);
    assert_eq!(signer.read("é"), None);
}
