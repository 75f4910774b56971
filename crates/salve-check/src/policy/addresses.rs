//! Addresses on the network: which ones a command may speak to.
//!
//! In: a URL as curl or wget takes it. Out: the file name its path ends in, or an objection. Never
//! resolves a name: what a name means is decided by the program that connects to it.

use super::context::Judged;
use super::objection::{Objection, Rule};
use std::net::Ipv4Addr;

/// Names that always mean this machine or its own network.
const INTERNAL_NAMES: &[&str] = &["localhost", "ip6-localhost", "ip6-loopback", "broadcasthost"];
/// Endings of names that are not of the public network, or that answer with any address asked for.
const INTERNAL_ENDINGS: &[&str] = &[
    ".localhost",
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".lan",
    ".home",
    ".corp",
    ".private",
    ".home.arpa",
    ".in-addr.arpa",
    ".onion",
    ".nip.io",
    ".sslip.io",
    ".xip.io",
    ".localtest.me",
    ".localdev.me",
    ".local.gd",
    ".smackaho.st",
    ".42foo.com",
    ".lvh.me",
    ".vcap.me",
    ".lacolhost.com",
    ".traefik.me",
    ".rbndr.us",
    ".1u.ms",
    ".ts.net",
    ".tailscale.net",
    ".zerotier.net",
    ".localho.st",
    ".fbi.com",
];
/// Endings of the public network beside those of two letters, which are countries. What is not here
/// may be a name that only the local network knows: no list of those can be complete.
#[rustfmt::skip]
const PUBLIC_ENDINGS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "pro", "mobi", "coop", "museum",
    "aero", "jobs", "travel", "post", "dev", "app", "page", "cloud", "tech", "xyz", "online", "site", "store",
    "blog", "wiki", "tools", "systems", "software", "codes", "network", "computer", "digital", "studio",
    "design", "agency", "academy", "science", "space", "world", "live", "life", "today", "news", "media",
    "email", "chat", "team", "work", "works", "zone", "center", "solutions", "services", "support", "global",
    "company", "technology", "university", "foundation", "institute", "google", "amazon", "aws", "microsoft",
    "apple", "goog", "cern", "bank", "money", "finance", "health", "security", "games", "game", "fun", "art",
    "music", "video", "photos", "club", "social", "community", "education", "school", "courses", "engineering",
    "events", "expert", "guide", "guru", "help", "ink", "land", "link", "lol", "moe", "new", "ninja", "one",
    "press", "pub", "review", "reviews", "rocks", "run", "shop", "show", "sucks", "tips", "top", "tube", "vip",
    "win", "wtf", "asia", "berlin", "london", "nyc", "paris", "tokyo", "amsterdam", "hamburg", "koeln", "swiss",
    "eus", "cat", "scot", "bzh", "gal", "africa", "earth", "eco", "green", "ngo", "ong", "charity", "legal",
    "law", "build", "builders", "energy", "dog", "exchange", "gold", "graphics", "haus",
    "kim", "ltd", "llc", "inc", "gmbh", "market", "monster", "observer", "partners", "plus", "productions",
    "report", "style", "toys", "training", "watch", "website", "wine", "yoga",
];
/// Host names from which curl guesses another protocol than HTTP.
const GUESSED: &[&str] = &["ftp.", "dict.", "ldap.", "imap.", "smtp.", "pop3."];

/// Judges a URL and returns the last name in its path, with the query kept apart.
pub(super) fn judge_url(url: &str) -> Judged<UrlName<'_>> {
    let refuse = |why: &str| {
        let why = format!("`{}` {why}", url.escape_debug());
        Err(Objection::never(Rule::Argument, why))
    };
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse("holds characters that programs read in different ways");
    }
    if url.contains(['[', ']', '{', '}', '\\', '^', '`', '|', '<', '>', '"']) {
        return refuse("holds a range, a set or an address in brackets");
    }
    let rest = match url.split_once("://") {
        Some((scheme, rest)) if scheme == "http" || scheme == "https" => rest,
        Some((scheme, rest))
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            rest
        }
        Some(_) => return refuse("is neither http nor https"),
        None => url,
    };
    // Programs have disagreed on where the host ends here.
    if url.split_once('#').is_some_and(|(_, fragment)| fragment.contains('@')) {
        return refuse("can be read as two different hosts");
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    if authority.contains('@') {
        return refuse("names a user, which hides the host or sends a password");
    }
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    if !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse("has an odd port or protocol");
    }
    if let Some(why) = internal(host) {
        return refuse(why);
    }
    if !url.contains("://")
        && GUESSED.iter().any(|start| host.to_ascii_lowercase().starts_with(start))
    {
        return refuse("may be taken for another protocol than http");
    }
    let before_fragment = tail.split('#').next().unwrap_or_default();
    let (path, query) = before_fragment.split_once('?').unwrap_or((before_fragment, ""));
    let name = path.rsplit('/').next().unwrap_or_default();
    Ok(UrlName { name, query })
}

/// The end of a URL's path, from which programs make file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UrlName<'a> {
    pub(super) name: &'a str,
    pub(super) query: &'a str,
}

fn internal(host: &str) -> Option<&'static str> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host.is_empty() || host.contains('%') {
        return Some("has no plain host");
    }
    if !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)) {
        return Some("has no plain host");
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    if numeric {
        return match plain_address(&host) {
            Some(address) if is_public(address) => None,
            Some(_) => Some("is an address of this machine or its own network"),
            None => Some("writes an address in an odd way"),
        };
    }
    let ending = |end: &&&str| host.ends_with(**end) || host == end.trim_start_matches('.');
    if INTERNAL_NAMES.contains(&host.as_str()) || INTERNAL_ENDINGS.iter().find(ending).is_some() {
        return Some("names this machine or its own network");
    }
    // A name without a dot is looked up in the local network first.
    let is_public = last.len() == 2 || PUBLIC_ENDINGS.contains(&last) || last.starts_with("xn--");
    (!host.contains('.') || !is_public).then_some("names a host of the local network")
}

// Only the four-part decimal spelling: the octal, hexadecimal and short ones exist to deceive.
fn plain_address(host: &str) -> Option<Ipv4Addr> {
    host.parse().ok()
}

fn is_public(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    let special = first == 0 || first >= 224 || (first, second, third) == (192, 0, 0);
    let benchmark = first == 198 && (second == 18 || second == 19);
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || shared
        || special
        || benchmark
        // The cloud's own resolver and metadata of one provider.
        || address.octets() == [168, 63, 129, 16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_pass_and_internal_ones_do_not() {
        for url in [
            "https://example.com/",
            "https://example.com",
            "HTTPS://Example.com:8443/a/b?c=d#e",
            "example.com/x",
            "http://93.184.216.34/x",
            "https://raw.githubusercontent.com/a/b/main/c.txt",
        ] {
            assert!(judge_url(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "file:///etc/shadow",
            "FILE:///etc/shadow",
            "gopher://127.0.0.1:6379/_x",
            "ftp://example.com/x",
            "http://169.254.169.254/latest",
            "http://[::ffff:169.254.169.254]/",
            "http://[::1]/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://127.1/",
            "http://0/",
            "http://0.0.0.0:8000",
            "http://localhost:3000",
            "localhost",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://metadata.google.internal/",
            "http://10.0.0.1/",
            "http://192.168.1.1",
            "http://100.64.0.1",
            "http://example.com@169.254.169.254/",
            "http://user:word@example.com/",
            "http://example.com#@127.0.0.1/",
            "http://127.0.0.1.nip.io/",
            "http://①②⑦.0.0.1/",
            "http://example.com/{a,b}",
            "http://example.com/[1-1000]",
            "http://%31%32%37.0.0.1/",
            "http://router/",
            "http://kubernetes.default.svc/",
            "http://vault.service.consul:8200/",
            "http://api.pod.k8s/",
            "http://box.ts.net/",
            "http://jenkins.intra/",
            "http://x.test/",
            "ftp.example.com/x",
            "https:/example.com",
            "dict://x:11111/",
            "http://example.com:80x/",
        ] {
            assert!(judge_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn the_name_of_a_url_is_the_last_step_of_its_path() {
        let name = |url| judge_url(url).map(|found| found.name).unwrap();
        assert_eq!(name("https://example.com/a/b.txt?x=/y#z"), "b.txt");
        assert_eq!(name("https://example.com/a/"), "");
        assert_eq!(name("https://example.com"), "");
    }
}
