//! Pages that a plan asks for: off unless a person allows it, and never from an address that is not public.
//!
//! In: an address as it was written, a policy, limits, a resolver and a way to connect. Out: the page as text,
//! or the code of its refusal. The name is resolved here; every address it has must be public; the
//! connection goes to the one that was judged, and each redirect is judged anew from the start. Never sends
//! a name, a word or a cookie.

mod address;
mod guard;
mod html;
mod system;

pub use address::is_public_address;
pub use guard::{JudgedUrl, UrlPolicy, judge_url};
pub use system::{PinnedConnections, SystemNames};

use serde::{Deserialize, Serialize};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Why an address was not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlRefusal {
    /// Nothing is fetched here.
    Off,
    /// The host is not on the list.
    NotListed,
    /// It is no address.
    NotAUrl,
    /// It is neither `http` nor `https`.
    Scheme,
    /// It holds a name or a password.
    Userinfo,
    /// Its port is none of the web's.
    Port,
    /// Its host is a name of this machine or of a private network.
    LocalName,
    /// An address of the host is not public.
    NotPublic,
    /// The host has no address.
    Unresolved,
    /// A redirect leads from an encrypted page to one that is not.
    Downgrade,
    /// It leads on more often than is followed.
    TooManyRedirects,
    /// It leads on to nowhere.
    BadRedirect,
    /// It answered with this status.
    Status(u16),
    /// The page is no text.
    NotText,
    /// It took too long.
    TooLong,
    /// The connection failed, or led elsewhere.
    NotReached,
    /// Enough others were fetched.
    TooMany,
}

/// How far a fetch goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlLimits {
    /// How many redirects are followed.
    pub redirects: usize,
    /// How many bytes of a page are read; a longer one is cut.
    pub bytes: usize,
    /// How long everything may take, redirects included.
    pub time: Duration,
}

impl Default for UrlLimits {
    fn default() -> Self {
        Self { redirects: 5, bytes: 256 << 10, time: Duration::from_secs(20) }
    }
}

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedPage {
    /// The address that was asked for.
    pub url: String,
    /// The address that answered, after redirects.
    pub from: String,
    /// The text, or the beginning of it.
    pub text: String,
    /// Whether `text` is only the beginning.
    pub cut: bool,
}

/// Finds the addresses of a host.
pub trait ResolveHost: Send + Sync {
    /// Lists them.
    fn addresses(&self, host: &str) -> impl Future<Output = std::io::Result<Vec<IpAddr>>> + Send;
}

/// An answer to one request, redirects not followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageAnswer {
    /// The status.
    pub status: u16,
    /// Where it leads, as the server wrote it.
    pub location: Option<String>,
    /// What it says it is.
    pub content_type: Option<String>,
    /// The beginning of the page.
    pub body: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

/// Asks one server for one page.
pub trait GetPage: Send + Sync {
    /// Connects to `to` and nowhere else, whatever the host of `url` is called; reads at most `bytes`.
    fn get(
        &self,
        url: &str,
        to: SocketAddr,
        bytes: usize,
        time: Duration,
    ) -> impl Future<Output = Result<PageAnswer, UrlRefusal>> + Send;
}

/// Fetches a page.
///
/// # Errors
/// The code of the refusal.
pub async fn fetch_page(
    url: &str,
    policy: &UrlPolicy,
    limits: &UrlLimits,
    names: &impl ResolveHost,
    pages: &impl GetPage,
) -> Result<FetchedPage, UrlRefusal> {
    let following = follow(url, policy, limits, names, pages);
    tokio::time::timeout(limits.time, following).await.unwrap_or(Err(UrlRefusal::TooLong))
}

/// Fetches bytes, under the same guards as a page; at most as many as the limits say. Tells whether there were more.
///
/// # Errors
/// The code of the refusal.
pub async fn fetch_bytes(
    url: &str,
    limits: &UrlLimits,
    names: &impl ResolveHost,
    pages: &impl GetPage,
) -> Result<(Vec<u8>, bool), UrlRefusal> {
    let following = answer_to(url, &UrlPolicy::Public, limits, names, pages);
    let answer = tokio::time::timeout(limits.time, following);
    let (_, answer) = answer.await.unwrap_or(Err(UrlRefusal::TooLong))?;
    match answer.status {
        200..300 => Ok((answer.body, answer.cut)),
        status => Err(UrlRefusal::Status(status)),
    }
}

async fn follow(
    url: &str,
    policy: &UrlPolicy,
    limits: &UrlLimits,
    names: &impl ResolveHost,
    pages: &impl GetPage,
) -> Result<FetchedPage, UrlRefusal> {
    let (judged, answer) = answer_to(url, policy, limits, names, pages).await?;
    page(url, &judged, answer, limits)
}

// The answer of the server that redirects end at.
async fn answer_to(
    url: &str,
    policy: &UrlPolicy,
    limits: &UrlLimits,
    names: &impl ResolveHost,
    pages: &impl GetPage,
) -> Result<(JudgedUrl, PageAnswer), UrlRefusal> {
    let mut judged = judge_url(url, policy)?;
    for _ in 0..=limits.redirects {
        let to = public_address(&judged, names).await?;
        let answer = pages.get(judged.as_str(), to, limits.bytes, limits.time).await?;
        if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
            return Ok((judged, answer));
        }
        let location = answer.location.ok_or(UrlRefusal::BadRedirect)?;
        judged = judged.redirected(&location, policy)?;
    }
    Err(UrlRefusal::TooManyRedirects)
}

// One private address among public ones is as bad as private ones alone: the next answer may begin with it.
async fn public_address(
    judged: &JudgedUrl,
    names: &impl ResolveHost,
) -> Result<SocketAddr, UrlRefusal> {
    let addresses = match judged.literal() {
        Some(address) => vec![address],
        None => names.addresses(judged.host()).await.map_err(|_| UrlRefusal::Unresolved)?,
    };
    if !addresses.iter().all(|address| is_public_address(*address)) {
        return Err(UrlRefusal::NotPublic);
    }
    // Version 4 first: it is reached from everywhere.
    let first = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    let address = *first.ok_or(UrlRefusal::Unresolved)?;
    Ok(SocketAddr::new(address, judged.port()))
}

fn page(
    url: &str,
    judged: &JudgedUrl,
    answer: PageAnswer,
    limits: &UrlLimits,
) -> Result<FetchedPage, UrlRefusal> {
    if !(200..300).contains(&answer.status) {
        return Err(UrlRefusal::Status(answer.status));
    }
    if !answer.content_type.as_deref().is_none_or(is_text) || answer.body.contains(&0) {
        return Err(UrlRefusal::NotText);
    }
    let mut body = answer.body;
    let cut = answer.cut || body.len() > limits.bytes;
    body.truncate(limits.bytes);
    let text = match String::from_utf8(body) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    let text = if is_html(answer.content_type.as_deref()) { html::words_of(&text) } else { text };
    Ok(FetchedPage { url: url.to_owned(), from: judged.as_str().to_owned(), text, cut })
}

fn is_html(content_type: Option<&str>) -> bool {
    let kind = content_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    kind.starts_with("text/html") || kind.starts_with("application/xhtml")
}

fn is_text(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(
            kind.as_str(),
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/yaml"
                | "application/toml"
                | "application/x-sh"
                | ""
        )
}

#[cfg(test)]
mod tests;
