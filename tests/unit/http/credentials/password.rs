use domain::credentials::PasswordHasher;
use understudy::parts::http::Passwords;

#[tokio::test]
async fn check_refuses_accounts_without_a_password() {
    let passwords = Passwords::new(PasswordHasher::new(8, 1).unwrap(), 1);
    assert!(!passwords.check(String::new(), None).await.unwrap());
    let phc = passwords.hash("a long enough password".into()).await.unwrap();
    assert!(passwords.check("a long enough password".into(), Some(phc)).await.unwrap());
}
