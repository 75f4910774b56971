//! One page over HTTP from one address of the network, whatever the host is called.
//!
//! In: a URL, the address to connect to, a deadline and the most bytes. Out: status, two headers and the
//! beginning of the body. The caller has judged the address. Never resolves a name, follows a redirect or
//! connects anywhere else.

use crate::http_client::{HttpClientOptions, chain, pinned_client};
use std::net::SocketAddr;
use std::time::Duration;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedGet<'a> {
    /// The URL.
    pub url: &'a str,
    /// Where to connect to.
    pub to: SocketAddr,
    /// How many bytes of the body are read.
    pub most_bytes: usize,
    /// How long all of it may take.
    pub deadline: Duration,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedAnswer {
    /// The status.
    pub status: u16,
    /// The header `location`.
    pub location: Option<String>,
    /// The header `content-type`.
    pub content_type: Option<String>,
    /// The beginning of the body.
    pub body: Vec<u8>,
    /// Whether there was more of it.
    pub cut: bool,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinnedGetError {
    /// The deadline passed.
    #[error("it took too long")]
    TooLong,
    /// The connection failed, or led elsewhere.
    #[error("it was not reached: {0}")]
    NotReached(String),
}

/// Asks for a page.
///
/// # Errors
/// When it is not reached in time.
pub async fn get_pinned(asked: &PinnedGet<'_>) -> Result<PinnedAnswer, PinnedGetError> {
    let got = tokio::time::timeout(asked.deadline, get(asked));
    got.await.unwrap_or(Err(PinnedGetError::TooLong))
}

async fn get(asked: &PinnedGet<'_>) -> Result<PinnedAnswer, PinnedGetError> {
    let lost = |error: reqwest::Error| PinnedGetError::NotReached(chain(&error.without_url()));
    let other = |words: &str| PinnedGetError::NotReached(words.to_owned());
    let options = HttpClientOptions { idle_connections: 0, ..HttpClientOptions::default() };
    let client = pinned_client(&options, asked.to).map_err(|error| other(&error.to_string()))?;
    let request =
        client.get(asked.url).header("accept", "text/*, application/json;q=0.9, */*;q=0.1");
    let mut response = request.send().await.map_err(lost)?;
    if response.remote_addr().is_some_and(|peer| peer.ip() != asked.to.ip()) {
        return Err(other("another address answered"));
    }
    let header = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let mut answer = PinnedAnswer {
        status: response.status().as_u16(),
        location: header("location"),
        content_type: header("content-type"),
        body: Vec::new(),
        cut: false,
    };
    while let Some(piece) = response.chunk().await.map_err(lost)? {
        let left = asked.most_bytes - answer.body.len();
        answer.body.extend_from_slice(piece.get(..left).unwrap_or(&piece));
        if piece.len() > left {
            answer.cut = true;
            break;
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(300);

    // Serves one request with these bytes; gives the answer, and the request as it was sent.
    async fn ask(
        reply: &'static str,
        most_bytes: usize,
        deadline: Duration,
    ) -> (Result<PinnedAnswer, PinnedGetError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let to = listener.local_addr().unwrap();
        let served = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            stream.write_all(reply.as_bytes()).await.unwrap();
            (stream, String::from_utf8_lossy(&buffer[..length]).into_owned())
        };
        // No resolver knows this name.
        let url = format!("http://pages.invalid:{}/a?b=1", to.port());
        let asked = PinnedGet { url: &url, to, most_bytes, deadline };
        let (served, got) = tokio::join!(served, get_pinned(&asked));
        (got, served.1)
    }

    #[tokio::test]
    async fn a_page_comes_from_the_address_given_whatever_the_host_is_called() {
        let (got, sent) = ask(
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello",
            9,
            LONG,
        )
        .await;
        let got = got.unwrap();
        assert_eq!((got.status, got.body.as_slice(), got.cut), (200, &b"hello"[..], false));
        assert_eq!(got.content_type.as_deref(), Some("text/plain"));
        let sent = sent.to_lowercase();
        assert!(
            sent.starts_with("get /a?b=1 http/1.1\r\n") && sent.contains("host: pages.invalid"),
            "{sent}"
        );
        assert!(!sent.contains("cookie") && !sent.contains("authorization"), "{sent}");
    }

    #[tokio::test]
    async fn redirects_are_told_long_pages_cut_and_slow_ones_given_up() {
        let there = "HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n";
        let got = ask(there, 9, LONG).await.0.unwrap();
        assert_eq!((got.status, got.location.as_deref()), (302, Some("http://10.0.0.1/")));
        let long = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        let got = ask(long, 3, LONG).await.0.unwrap();
        assert_eq!((got.body.as_slice(), got.cut), (&b"hel"[..], true));
        let slow = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{";
        assert_eq!(ask(slow, 9, SHORT).await.0, Err(PinnedGetError::TooLong));
    }
}
