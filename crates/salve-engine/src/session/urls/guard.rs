//! What an address says about itself, before any name is resolved.
//!
//! In: an address as it was written, or where a redirect leads. Out: the address as a browser reads it, with
//! its host, or the code of its refusal. Hosts in decimal, octal and hexadecimal are addresses here as they
//! are there. Never resolves or connects.

use super::UrlRefusal;
use super::address::is_public_address;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use url::{Host, Url};

/// Who may be asked for pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlPolicy {
    /// Nobody.
    #[default]
    Off,
    /// These hosts, and names below them.
    Hosts(Vec<String>),
    /// Every public host.
    Public,
}

/// The longest address.
const LONGEST: usize = 2_000;
/// The ports of the web.
const PORTS: [u16; 2] = [80, 443];

/// Last names of hosts that are not of the public internet.
#[rustfmt::skip]
const LOCAL_NAMES: &[&str] = &[
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "arpa", "test",
    "example", "invalid", "onion", "alt", "i2p",
];

/// An address that may be asked, if all addresses of its host are public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedUrl(Url);

/// Judges an address as it was written.
///
/// # Errors
/// The code of the refusal.
pub fn judge_url(written: &str, policy: &UrlPolicy) -> Result<JudgedUrl, UrlRefusal> {
    if *policy == UrlPolicy::Off {
        return Err(UrlRefusal::Off);
    }
    let written = written.trim();
    // A reader that drops such letters sees another address than the one shown.
    if written.len() > LONGEST || written.contains(|letter: char| letter.is_control()) {
        return Err(UrlRefusal::NotAUrl);
    }
    judge(Url::parse(written).map_err(|_| UrlRefusal::NotAUrl)?, policy)
}

fn judge(mut url: Url, policy: &UrlPolicy) -> Result<JudgedUrl, UrlRefusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlRefusal::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlRefusal::Userinfo);
    }
    if !url.port_or_known_default().is_some_and(|port| PORTS.contains(&port)) {
        return Err(UrlRefusal::Port);
    }
    let literal = match url.host().ok_or(UrlRefusal::NotAUrl)? {
        Host::Domain(name) => {
            if is_local_name(name) {
                return Err(UrlRefusal::LocalName);
            }
            None
        }
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
    };
    if literal.is_some_and(|address| !is_public_address(address)) {
        return Err(UrlRefusal::NotPublic);
    }
    if let UrlPolicy::Hosts(hosts) = policy
        && !hosts.iter().any(|host| is_below(url.host_str().unwrap_or_default(), host))
    {
        return Err(UrlRefusal::NotListed);
    }
    url.set_fragment(None);
    Ok(JudgedUrl(url))
}

// A name without a dot is completed by the resolver with the domain of this network.
fn is_local_name(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let Some((_, last)) = host.rsplit_once('.') else { return true };
    LOCAL_NAMES.contains(&last)
        || last.bytes().all(|byte| byte.is_ascii_digit())
        || host.split('.').any(str::is_empty)
}

fn is_below(host: &str, listed: &str) -> bool {
    let host = host.trim_end_matches('.');
    let listed = listed.trim_matches('.').to_ascii_lowercase();
    !listed.is_empty()
        && host.strip_suffix(&listed).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl JudgedUrl {
    /// Returns the address as it is sent.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Returns the address that the host is, where it is no name.
    pub fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        }
    }

    /// Judges where this address leads.
    ///
    /// # Errors
    /// The code of the refusal.
    pub fn redirected(&self, location: &str, policy: &UrlPolicy) -> Result<Self, UrlRefusal> {
        if location.len() > LONGEST || location.contains(|letter: char| letter.is_control()) {
            return Err(UrlRefusal::BadRedirect);
        }
        let next = self.0.join(location.trim()).map_err(|_| UrlRefusal::BadRedirect)?;
        if self.0.scheme() == "https" && next.scheme() == "http" {
            return Err(UrlRefusal::Downgrade);
        }
        judge(next, policy)
    }
}
