//! One question to an agent that a person registered, over HTTP.
//!
//! In: its address, a document, a deadline and the most bytes of an answer. Out: the answer as text.
//! Only addresses of this machine, or by TLS. Never follows a redirect, and never reads on past the cap.

use crate::http_client::chain;
use std::net::IpAddr;
use std::time::Duration;

/// Why an agent gave no answer over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentCallError {
    /// The address is none that may be asked.
    #[error("`{0}` is no address of an agent: it is https, or http on this machine")]
    Address(String),
    /// It was not reached, or broke off.
    #[error("it was not reached: {0}")]
    NotReached(String),
    /// It took too long.
    #[error("it took longer than {0:?}")]
    TooLong(Duration),
    /// It answered with an error.
    #[error("it answered with the status {0}")]
    Status(u16),
    /// It answered with more than was allowed.
    #[error("it answered with more than {0} bytes")]
    TooMuch(usize),
    /// It answered with something that is no text.
    #[error("its answer is no text")]
    NotText,
}

/// Returns whether an agent at this address may be asked: by TLS, or on this machine.
pub fn is_agent_address(address: &str) -> bool {
    agent_url(address).is_some()
}

fn agent_url(address: &str) -> Option<reqwest::Url> {
    let url = reqwest::Url::parse(address).ok()?;
    let host = url.host_str()?;
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    let is_here =
        plain == "localhost" || plain.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let may = url.scheme() == "https" || (url.scheme() == "http" && is_here);
    // A name or a word before the host would be sent along, and shown wherever the address is.
    (may && url.username().is_empty() && url.password().is_none()).then_some(url)
}

/// Asks an agent once.
///
/// # Errors
/// When it may not be asked, is not reached in time, or answers with an error or too much.
pub async fn call_agent(
    client: &reqwest::Client,
    address: &str,
    document: String,
    deadline: Duration,
    most_bytes: usize,
) -> Result<String, AgentCallError> {
    let url = agent_url(address).ok_or_else(|| AgentCallError::Address(address.to_owned()))?;
    let request = client.post(url).header("content-type", "application/json").body(document);
    let asked = async {
        let lost = |error: reqwest::Error| AgentCallError::NotReached(chain(&error.without_url()));
        let mut response = request.send().await.map_err(lost)?;
        if !response.status().is_success() {
            return Err(AgentCallError::Status(response.status().as_u16()));
        }
        let mut answer = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            if answer.len() + piece.len() > most_bytes {
                return Err(AgentCallError::TooMuch(most_bytes));
            }
            answer.extend_from_slice(&piece);
        }
        String::from_utf8(answer).map_err(|_| AgentCallError::NotText)
    };
    match tokio::time::timeout(deadline, asked).await {
        Ok(answer) => answer,
        Err(_) => Err(AgentCallError::TooLong(deadline)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HttpClientOptions, http_client};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(300);

    #[test]
    fn h49_only_this_machine_or_tls_may_be_asked() {
        for (address, may) in [
            ("https://agents.example/fix", true),
            ("http://127.0.0.1:9/fix", true),
            ("http://[::1]:9/", true),
            ("http://localhost:9/", true),
            ("http://agents.example/fix", false),
            ("http://127.0.0.1.example/", false),
            ("http://10.0.0.1/", false),
            ("https://name:word@agents.example/", false),
            ("file:///etc/passwd", false),
            ("agents.example", false),
        ] {
            assert_eq!(is_agent_address(address), may, "{address}");
        }
    }

    // Answers one request with these bytes, and then waits as long as the other side does.
    async fn ask(
        answer: &'static str,
        most: usize,
        deadline: Duration,
    ) -> Result<String, AgentCallError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/fix", listener.local_addr().unwrap());
        let served = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream
        };
        let client = http_client(&HttpClientOptions::default()).unwrap();
        let asked = call_agent(&client, &address, "{}".to_owned(), deadline, most);
        tokio::join!(served, asked).1
    }

    #[tokio::test]
    async fn h49_an_agent_that_is_broken_slow_or_talks_too_much_gives_no_answer() {
        let good = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(ask(good, 2, LONG).await, Ok("{}".to_owned()));
        assert_eq!(ask(good, 1, LONG).await, Err(AgentCallError::TooMuch(1)));
        let gone = "HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(ask(gone, 9, LONG).await, Err(AgentCallError::Status(302)));
        let slow = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{";
        assert_eq!(ask(slow, 9, SHORT).await, Err(AgentCallError::TooLong(SHORT)));
        let broken = ask("no protocol at all\r\n\r\n", 9, LONG).await;
        assert!(matches!(broken, Err(AgentCallError::NotReached(_))), "{broken:?}");
    }
}
