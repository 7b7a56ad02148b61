//! A real LDAP server: OpenLDAP's slapd, with its data in a temporary folder. These tests require slapd on the machine,
//! so they run only with `cargo test --test it slapd -- --ignored`.

use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{AVAILABLE, CREDENTIAL, choose, members, stage, sync};
use crate::harness::TestServer;

const PASSWORD: &str = "slapd-password-0123456789";
const BASE: &str = "dc=example,dc=org";

/// A running slapd. It is killed on drop.
struct Slapd {
    dir: TempDir,
    port: u16,
    process: Option<Child>,
    /// Further lines of its configuration.
    more: String,
}

impl Slapd {
    /// Starts slapd with these entries, given as LDIF.
    fn start(more: &str, entries: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
        let mut slapd = Self { dir, port, process: None, more: more.to_owned() };
        slapd.configure();
        std::fs::create_dir(slapd.dir.path().join("data")).expect("a folder");
        let ldif = slapd.dir.path().join("entries.ldif");
        std::fs::write(&ldif, format!("{}{entries}", top())).expect("a file");
        let mut slapadd = Command::new("/usr/sbin/slapadd");
        slapadd.args(["-q", "-f"]).arg(slapd.conf()).arg("-l").arg(&ldif);
        let added = slapadd.output().expect("slapadd");
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        slapd.go();
        slapd
    }

    fn conf(&self) -> std::path::PathBuf {
        self.dir.path().join("slapd.conf")
    }

    fn configure(&self) {
        let dir = self.dir.path().display();
        let is_global = self.more.starts_with("#global");
        let (global, own) = if is_global { (self.more.as_str(), "") } else { ("", self.more.as_str()) };
        let conf = format!(
            "include /etc/ldap/schema/core.schema\ninclude /etc/ldap/schema/cosine.schema\n\
             include /etc/ldap/schema/nis.schema\ninclude /etc/ldap/schema/inetorgperson.schema\n\
             modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload memberof\n\
             pidfile {dir}/slapd.pid\n{global}\ndatabase mdb\nmaxsize 104857600\nsuffix \"{BASE}\"\n\
             rootdn \"cn=admin,{BASE}\"\nrootpw {PASSWORD}\ndirectory {dir}/data\noverlay memberof\n\
             access to * by dn.exact=\"cn=reader,{BASE}\" read by anonymous auth by * none\n{own}\n"
        );
        std::fs::write(self.conf(), conf).expect("a file");
    }

    fn go(&mut self) {
        let url = format!("ldap://127.0.0.1:{}", self.port);
        let mut slapd = Command::new("/usr/sbin/slapd");
        slapd.args(["-d", "0", "-h", &url, "-f"]).arg(self.conf()).stderr(Stdio::null());
        self.process = Some(slapd.spawn().expect("slapd is on this machine"));
        for _ in 0..500 {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("slapd does not listen");
    }

    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("it ran");
            process.wait().expect("it ended");
        }
    }

    fn modify(&self, ldif: &str) {
        let file = self.dir.path().join("change.ldif");
        std::fs::write(&file, ldif).expect("a file");
        let mut modify = Command::new("ldapmodify");
        modify.args([
            "-x",
            "-H",
            &format!("ldap://127.0.0.1:{}", self.port),
            "-D",
            &format!("cn=admin,{BASE}"),
        ]);
        let done = modify.args(["-w", PASSWORD, "-f"]).arg(file).output().expect("ldapmodify");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn credential(&self) -> Value {
        json!({"secret": PASSWORD, "directory": {"kind": "ldap", "url": format!("ldap://127.0.0.1:{}", self.port),
            "bind_dn": format!("cn=reader,{BASE}"), "base_dn": BASE, "page_size": 2}})
    }
}

impl Drop for Slapd {
    fn drop(&mut self) {
        self.kill();
    }
}

fn top() -> String {
    format!(
        "dn: {BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n\
         dn: cn=reader,{BASE}\nobjectClass: simpleSecurityObject\nobjectClass: organizationalRole\ncn: reader\n\
         userPassword: {PASSWORD}\n\n\
         dn: ou=people,{BASE}\nobjectClass: organizationalUnit\nou: people\n\n\
         dn: ou=groups,{BASE}\nobjectClass: organizationalUnit\nou: groups\n\n"
    )
}

fn person(uid: &str, mail: &str) -> String {
    format!(
        "dn: uid={uid},ou=people,{BASE}\nobjectClass: inetOrgPerson\nuid: {uid}\ncn: The {uid}\nsn: {uid}\n\
         mail: {mail}\n\n"
    )
}

fn group(name: &str, members: &[&str]) -> String {
    let mut ldif = format!("dn: cn={name},ou=groups,{BASE}\nobjectClass: groupOfNames\ncn: {name}\n");
    for member in members {
        let dn = match member.strip_prefix('@') {
            Some(group) => format!("cn={group}, OU=groups,{BASE}"),
            None => format!("uid={member},ou=people,{BASE}"),
        };
        writeln!(ldif, "member: {dn}").expect("a text");
    }
    ldif + "\n"
}

fn entries() -> String {
    let people = [
        person("editor", "Editor@Example.org"),
        person("user", "user@example.org"),
        person("ada", "ada@elsewhere.example"),
        person("bob", "bob@elsewhere.example"),
        person("carl", "carl@elsewhere.example"),
    ];
    let posix = format!(
        "dn: cn=posix,ou=groups,{BASE}\nobjectClass: posixGroup\ncn: posix\ngidNumber: 7\nmemberUid: editor\n\
         memberUid: unknown\n\n"
    );
    let groups = [
        group("staff", &["user", "ada", "bob"]),
        // The groups contain each other.
        group("inner", &["editor", "@outer"]),
        group("outer", &["@inner", "carl", "user"]),
    ];
    people.concat() + &groups.concat() + &posix
}

/// Returns the directory's ids of the groups with these names.
async fn ids(server: &TestServer, names: &[&str]) -> Vec<String> {
    let admin = server.admin();
    admin.post(&format!("{AVAILABLE}/refresh"), json!({})).await.ok();
    let list = admin.get(AVAILABLE).await.ok();
    let items = list["items"].as_array().expect("items").clone();
    let id = |name: &&str| {
        let found =
            items.iter().find(|item| item["name"] == **name).unwrap_or_else(|| panic!("{name} in {list}"));
        crate::harness::text(&found["external_id"])
    };
    names.iter().map(id).collect()
}

const BOTH: [&str; 2] = ["editor@example.org", "user@example.org"];

#[tokio::test]
#[ignore = "needs slapd"]
async fn sync_updates_groups_from_a_real_server() {
    let slapd = Slapd::start("", &entries());
    let (server, admin) = stage(&slapd.credential()).await;
    let ids = ids(&server, &["staff", "outer", "posix"]).await;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    choose(&admin, &ids).await;
    let done = sync(&admin, json!({})).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(members(&server, "staff").await, ["user@example.org"]);
    assert_eq!(members(&server, "outer").await, BOTH);
    assert_eq!(members(&server, "posix").await, ["editor@example.org"]);
    assert_eq!(done["counts"]["members_unknown"], 3, "{done}");
    // A group is identified by its id, not by its name.
    slapd.modify(&format!(
        "dn: cn=staff,ou=groups,{BASE}\nchangetype: modrdn\nnewrdn: cn=everybody\ndeleteoldrdn: 1\n\n\
         dn: cn=everybody,ou=groups,{BASE}\nchangetype: modify\nadd: member\n\
         member: uid=editor,ou=people,{BASE}\n-\ndelete: member\nmember: uid=user,ou=people,{BASE}\n"
    ));
    let changed = sync(&admin, json!({})).await;
    let told = ["groups_renamed", "members_added", "members_removed"];
    assert_eq!(told.map(|name| changed["counts"][name].as_u64().unwrap()), [1, 1, 1], "{changed}");
    assert_eq!(members(&server, "everybody").await, ["editor@example.org"]);
    // The group is deleted, and missed twice.
    slapd.modify(&format!("dn: cn=everybody,ou=groups,{BASE}\nchangetype: delete\n"));
    assert_eq!(sync(&admin, json!({})).await["status"], "partial");
    assert_eq!(members(&server, "everybody").await, ["editor@example.org"]);
    assert_eq!(sync(&admin, json!({})).await["counts"]["groups_removed"], 1);
    assert!(members(&server, "everybody").await.is_empty());
    server.stored().await;
}

#[tokio::test]
#[ignore = "needs slapd"]
async fn credential_with_a_wrong_password_is_refused_by_a_real_server() {
    let slapd = Slapd::start("", &entries());
    let server = TestServer::start().await;
    let admin = server.admin();
    let with = |field: &str, value: &str| {
        let mut changed = slapd.credential();
        match field {
            "secret" => changed["secret"] = json!(value),
            _ => changed["directory"][field] = json!(value),
        }
        changed
    };
    let wrong = admin.put(CREDENTIAL, with("secret", "wrong-password-that-is-long")).await;
    assert!(!wrong.text().contains("wrong-password"), "{wrong:?}");
    let fault = wrong.problem(422, "invalid")["errors"][0].clone();
    assert_eq!((&fault["type"], &fault["loc"]), (&json!("directory_refused"), &json!(["body", "secret"])));
    for (field, value) in
        [("base_dn", "dc=nowhere,dc=org"), ("url", "ldap://127.0.0.1:9"), ("base_dn", "nonsense")]
    {
        let fault =
            admin.put(CREDENTIAL, with(field, value)).await.problem(422, "invalid")["errors"][0].clone();
        assert_eq!(fault["loc"], json!(["body", "directory"]), "{fault}");
    }
    admin.get(CREDENTIAL).await.no_content();
    admin.put(CREDENTIAL, slapd.credential()).await.ok();
}

#[tokio::test]
#[ignore = "needs slapd"]
async fn sync_reads_all_pages_of_a_real_server_and_fails_at_its_size_limit() {
    let mut all = entries();
    let crowd: Vec<String> = (0..1_200).map(|number| format!("p{number}")).collect();
    for uid in &crowd {
        all += &person(uid, &format!("{uid}@elsewhere.example"));
    }
    let mut named: Vec<&str> = crowd.iter().map(String::as_str).collect();
    named.push("user");
    all += &group("crowd", &named);
    // A search may return 500 entries at once, and any number page by page.
    let mut slapd = Slapd::start("sizelimit size=500 size.prtotal=unlimited", &all);
    let (server, admin) = stage(&{
        let mut credential = slapd.credential();
        credential["directory"]["page_size"] = json!(100);
        credential
    })
    .await;
    let ids = ids(&server, &["crowd"]).await;
    choose(&admin, &[&ids[0]]).await;
    let done = sync(&admin, json!({})).await;
    let told = ["members_added", "members_unknown"].map(|name| done["counts"][name].as_u64().unwrap());
    assert_eq!((&done["status"], told), (&json!("succeeded"), [1, 1_200]), "{done}");
    // If the limit applies to the sum of all pages, the incomplete list of people is not accepted.
    slapd.kill();
    slapd.more = "sizelimit size=500 size.prtotal=500".to_owned();
    slapd.configure();
    slapd.go();
    let cut = sync(&admin, json!({})).await;
    assert_eq!(cut["status"], "failed", "{cut}");
    assert!(cut["warnings"][0].as_str().unwrap_or_default().contains("limit"), "{cut}");
    assert_eq!(members(&server, "crowd").await, ["user@example.org"]);
}

#[tokio::test]
#[ignore = "needs slapd"]
async fn sync_changes_nothing_while_a_real_server_is_down() {
    let mut slapd = Slapd::start("", &entries());
    let (server, admin) = stage(&slapd.credential()).await;
    let ids = ids(&server, &["staff", "outer"]).await;
    choose(&admin, &[&ids[0], &ids[1]]).await;
    sync(&admin, json!({})).await;
    slapd.kill();
    let failed = sync(&admin, json!({})).await;
    assert_eq!(
        (&failed["status"], &failed["error_code"]),
        (&json!("failed"), &json!("directory_unreachable"))
    );
    assert_eq!(members(&server, "outer").await, BOTH);
    slapd.go();
    assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
}

/// Creates a test certificate authority, and a certificate of it for a server at `127.0.0.1`.
fn certificates(dir: &std::path::Path) -> String {
    let openssl = |args: &[&str]| {
        let done = Command::new("openssl").args(args).current_dir(dir).output().expect("openssl");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    std::fs::write(dir.join("names"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
        .expect("a file");
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let authority =
        ["req", "-x509", "-days", "2", "-subj", "/CN=Own authority", "-keyout", "ca.key", "-out", "ca.pem"];
    openssl(&[&authority[..], &key[..]].concat());
    let request = ["req", "-subj", "/CN=127.0.0.1", "-keyout", "server.key", "-out", "server.csr"];
    openssl(&[&request[..], &key[..]].concat());
    let sign = ["x509", "-req", "-days", "2", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key"];
    openssl(&[&sign[..], &["-CAcreateserial", "-extfile", "names", "-out", "server.pem"]].concat());
    std::fs::read_to_string(dir.join("ca.pem")).expect("a certificate")
}

#[tokio::test]
#[ignore = "needs slapd"]
async fn certificate_of_a_real_server_is_verified() {
    let dir = tempfile::tempdir().expect("a folder");
    let ca = certificates(dir.path());
    let path = dir.path().display();
    // The server requires encryption.
    let more = format!(
        "security ssf=128 simple_bind=128\nTLSCACertificateFile {path}/ca.pem\n\
         TLSCertificateFile {path}/server.pem\nTLSCertificateKeyFile {path}/server.key"
    );
    // These lines come before the databases.
    let slapd = Slapd::start(&format!("#global\n{more}"), &entries());
    let server = TestServer::start().await;
    let admin = server.admin();
    let plain = admin.put(CREDENTIAL, slapd.credential()).await.problem(422, "invalid");
    assert_eq!(plain["errors"][0]["type"], "directory_failed", "{plain}");
    let mut encrypted = slapd.credential();
    encrypted["directory"]["starttls"] = json!(true);
    // A certificate of an authority unknown to this machine is refused,
    let strange = admin.put(CREDENTIAL, encrypted.clone()).await.problem(422, "invalid");
    assert_eq!(strange["errors"][0]["type"], "directory_unreachable", "{strange}");
    // unless the credential names the authority.
    encrypted["directory"]["ca_pem"] = json!(ca);
    admin.put(CREDENTIAL, encrypted).await.ok();
    let ids = ids(&server, &["staff"]).await;
    choose(&admin, &[&ids[0]]).await;
    assert_eq!(sync(&admin, json!({})).await["status"], "succeeded");
    assert_eq!(members(&server, "staff").await, ["user@example.org"]);
}
