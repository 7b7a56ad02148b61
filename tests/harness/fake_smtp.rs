//! A mail server on a real socket. It accepts emails from clients that know the password, or fails in various ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mail_parser::MessageParser;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::socket::until;

/// The password of its user `understudy`.
pub const MAIL_PASSWORD: &str = "s3cret mail wörd";

/// How it behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MailBehaviour {
    /// Accepts every email.
    #[default]
    Takes,
    /// Has no mailbox for these addresses.
    Knows(Vec<String>),
    /// Rejects the client temporarily, from the greeting on.
    Later,
    /// Never responds.
    Hangs,
    /// Disconnects after an email was sent, without accepting it.
    Drops,
    /// Includes the credentials in its refusal.
    Blurts,
    /// Sends unexpected bytes after this command (empty for the greeting, `.` for the end of an email), and then
    /// optionally disconnects.
    Says { after: &'static str, bytes: Vec<u8>, hangs_up: bool },
}

impl MailBehaviour {
    fn says_else_after(&self, command: &str) -> bool {
        matches!(self, Self::Says { after, .. } if *after == command)
    }

    fn hangs_up(&self) -> bool {
        matches!(self, Self::Says { hangs_up: true, .. })
    }
}

/// An email that it accepted.
#[derive(Clone, Debug)]
pub struct ReceivedEmail {
    pub from: String,
    pub to: String,
    pub subject: String,
    pub text: String,
    /// The argument of EHLO.
    pub hello: String,
    /// The header as it was sent.
    pub head: String,
}

impl ReceivedEmail {
    /// The token with this name in the link of the email.
    #[track_caller]
    pub fn token(&self, name: &str) -> String {
        token(&self.text, name)
    }
}

/// The token with this name in a link.
#[track_caller]
pub fn token(text: &str, name: &str) -> String {
    let (_, rest) = text.split_once(&format!("#{name}=")).unwrap_or_else(|| panic!("no {name} in {text}"));
    rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
}

/// A running mail server. It stops when this is dropped.
pub struct FakeSmtp {
    addr: std::net::SocketAddr,
    seen: Arc<MailState>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct MailState {
    behaviour: Mutex<MailBehaviour>,
    taken: Mutex<Vec<ReceivedEmail>>,
    /// Whether emails are held after they were sent, without being accepted.
    held: tokio::sync::watch::Sender<bool>,
    /// Number of emails that were sent, accepted or not.
    sent: AtomicUsize,
}

impl FakeSmtp {
    /// Starts a mail server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("an address");
        let seen = Arc::new(MailState::default());
        let kept = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let seen = kept.clone();
                tokio::spawn(async move { drop(serve(socket, &seen).await) });
            }
        });
        Self { addr, seen, task }
    }

    /// Configures a server to send its emails to this mail server.
    pub fn configure(&self, config: &mut understudy::Config) {
        let password = MAIL_PASSWORD.replace(' ', "%20").replace('ö', "%C3%B6");
        let url = format!("smtp://understudy:{password}@{}?tls=none", self.addr);
        config.mail.url = Some(url.into());
        config.mail.from = Some("Understudy <post@example.org>".to_owned());
        config.server.public_url = Some("http://understudy.example.org/".to_owned());
    }

    /// Sets how it behaves from now on.
    pub fn behave(&self, behaviour: MailBehaviour) {
        *self.seen.behaviour.lock() = behaviour;
    }

    /// Holds emails until [`Self::release`] is called.
    pub fn hold(&self) {
        self.seen.held.send_replace(true);
    }

    /// Accepts the emails that were held.
    pub fn release(&self) {
        self.seen.held.send_replace(false);
    }

    /// Waits until this many emails were sent, accepted or not.
    pub async fn was_sent(&self, letters: usize) {
        let sent = || self.seen.sent.load(Ordering::SeqCst);
        until(&format!("{letters} letters were sent"), async || sent() >= letters).await;
    }

    /// The emails that it has accepted so far.
    pub fn taken(&self) -> Vec<ReceivedEmail> {
        self.seen.taken.lock().clone()
    }

    /// The last email to an address. Waits for it if it has not arrived yet.
    pub async fn letter_to(&self, address: &str) -> ReceivedEmail {
        let last = || self.taken().into_iter().rfind(|letter| letter.to == address);
        until(&format!("an email to {address} was received"), async || last().is_some()).await;
        last().expect("it was received")
    }
}

impl Drop for FakeSmtp {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(socket: TcpStream, seen: &MailState) -> std::io::Result<()> {
    let behaviour = seen.behaviour.lock().clone();
    let (reading, mut writing) = socket.into_split();
    let mut lines = BufReader::new(reading).lines();
    let (other, hangs_up) = (AtomicBool::new(behaviour.says_else_after("")), behaviour.hangs_up());
    let mut say = async |line: &str| match &behaviour {
        MailBehaviour::Says { bytes, .. } if other.load(Ordering::SeqCst) => writing.write_all(bytes).await,
        _ => writing.write_all(format!("{line}\r\n").as_bytes()).await,
    };
    match behaviour {
        MailBehaviour::Hangs => return std::future::pending().await,
        MailBehaviour::Later => return say("421 too busy").await,
        _ => say("220 post.example.org ready").await?,
    }
    if hangs_up && other.load(Ordering::SeqCst) {
        return Ok(());
    }
    let (mut allowed, mut from, mut to, mut hello) = (false, String::new(), String::new(), String::new());
    while let Some(line) = lines.next_line().await? {
        let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        other.store(behaviour.says_else_after(&word), Ordering::SeqCst);
        match word.as_str() {
            "EHLO" => {
                hello = line[4..].trim().to_owned();
                say("250-post.example.org").await?;
                say("250-8BITMIME").await?;
                say("250 AUTH PLAIN").await?;
            }
            "AUTH" if behaviour == MailBehaviour::Blurts => {
                say(&format!("535 no: understudy / {MAIL_PASSWORD}")).await?;
            }
            "AUTH" => {
                let wanted = STANDARD.encode(format!("\0understudy\0{MAIL_PASSWORD}"));
                allowed = line.rsplit(' ').next() == Some(wanted.as_str());
                say(if allowed { "235 welcome" } else { "535 who are you?" }).await?;
            }
            _ if !allowed && word != "QUIT" => say("530 log in first").await?,
            "MAIL" => {
                from = between(&line);
                say("250 yes").await?;
            }
            "RCPT" => {
                to = between(&line);
                match &behaviour {
                    MailBehaviour::Knows(known) if !known.contains(&to) => say("550 no such person").await?,
                    _ => say("250 yes").await?,
                }
            }
            "DATA" => {
                say("354 go on").await?;
                let mut letter = String::new();
                while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                    letter.push_str(line.strip_prefix('.').unwrap_or(&line));
                    letter.push_str("\r\n");
                }
                other.store(behaviour.says_else_after("."), Ordering::SeqCst);
                seen.sent.fetch_add(1, Ordering::SeqCst);
                let _ = seen.held.subscribe().wait_for(|held| !held).await;
                if behaviour == MailBehaviour::Drops {
                    return Ok(());
                }
                seen.taken.lock().push(ReceivedEmail { hello: hello.clone(), ..read(&letter, &from, &to) });
                say("250 taken").await?;
            }
            "QUIT" => return say("221 bye").await,
            _ => say("250 yes").await?,
        }
        if hangs_up && other.load(Ordering::SeqCst) {
            return Ok(());
        }
    }
    Ok(())
}

fn between(line: &str) -> String {
    line.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map(|(it, _)| it.to_owned())
        .unwrap_or_default()
}

fn read(letter: &str, from: &str, to: &str) -> ReceivedEmail {
    let message = MessageParser::default().parse(letter.as_bytes()).expect("a letter");
    ReceivedEmail {
        from: from.to_owned(),
        to: to.to_owned(),
        subject: message.subject().unwrap_or_default().to_owned(),
        text: message.body_text(0).unwrap_or_default().into_owned(),
        hello: String::new(),
        head: letter.split_once("\r\n\r\n").unwrap_or_default().0.to_owned(),
    }
}
