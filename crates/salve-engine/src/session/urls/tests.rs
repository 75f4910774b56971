//! Hostile addresses, none of which is fetched, and honest ones.

use super::address::{SPECIAL_V4, SPECIAL_V6};
use super::*;
use UrlRefusal as No;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Mutex;

/// Names and pages made for a test; it notes where connections went.
#[derive(Default)]
struct World {
    names: BTreeMap<&'static str, Vec<&'static str>>,
    pages: BTreeMap<&'static str, PageAnswer>,
    connected: Mutex<Vec<(String, SocketAddr)>>,
}

impl ResolveHost for World {
    async fn addresses(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        let found = self.names.get(host).ok_or_else(|| std::io::Error::other("no such name"))?;
        Ok(found.iter().map(|address| address.parse().unwrap()).collect())
    }
}

impl GetPage for World {
    async fn get(
        &self,
        url: &str,
        to: SocketAddr,
        _bytes: usize,
        _time: Duration,
    ) -> Result<PageAnswer, UrlRefusal> {
        self.connected.lock().unwrap().push((url.to_owned(), to));
        self.pages.get(url).cloned().ok_or(UrlRefusal::NotReached)
    }
}

fn text(body: &str) -> PageAnswer {
    let content_type = Some("text/plain; charset=utf-8".to_owned());
    PageAnswer {
        status: 200,
        content_type,
        body: body.as_bytes().to_vec(),
        ..PageAnswer::default()
    }
}

fn leads_to(location: &str) -> PageAnswer {
    PageAnswer { status: 302, location: Some(location.to_owned()), ..PageAnswer::default() }
}

fn world() -> World {
    let names = [
        ("ok.org", vec!["93.184.215.14"]),
        ("six.org", vec!["2606:2800:21f:cb07::1"]),
        ("both.org", vec!["2606:2800:21f:cb07::1", "93.184.215.14"]),
        ("private.org", vec!["10.0.0.1"]),
        ("here.org", vec!["127.0.0.1"]),
        ("metadata.org", vec!["169.254.169.254"]),
        ("mixed.org", vec!["93.184.215.14", "192.168.1.1"]),
        ("mixed6.org", vec!["93.184.215.14", "fd00::1"]),
        ("mapped.org", vec!["::ffff:10.0.0.1"]),
        ("nat64.org", vec!["64:ff9b::a00:1"]),
        ("sixtofour.org", vec!["2002:7f00:1::"]),
        ("teredo.org", vec!["2001::1"]),
        ("nowhere.org", vec![]),
        ("zero.org", vec!["0.0.0.0"]),
    ];
    let pages = [
        ("https://ok.org/", text("hello")),
        ("https://ok.org/a?b=1", text("a")),
        ("http://ok.org/", text("plain")),
        ("https://both.org/", text("both")),
        ("https://six.org/", text("six")),
        ("https://ok.org/on", leads_to("/a?b=1")),
        ("http://ok.org/up", leads_to("https://ok.org/")),
        ("https://ok.org/literal", leads_to("https://127.0.0.1/")),
        ("https://ok.org/name", leads_to("https://private.org/")),
        ("https://ok.org/local", leads_to("//localhost/")),
        ("https://ok.org/file", leads_to("file:///etc/passwd")),
        ("https://ok.org/user", leads_to("https://a:b@ok.org/")),
        ("https://ok.org/port", leads_to("https://ok.org:22/")),
        ("https://ok.org/down", leads_to("http://ok.org/")),
        ("https://ok.org/hex", leads_to("https://0x7f000001/")),
        ("https://ok.org/meta", leads_to("https://[::ffff:169.254.169.254]/latest")),
        ("https://ok.org/loop", leads_to("/loop")),
        ("https://ok.org/blank", PageAnswer { status: 301, ..PageAnswer::default() }),
        ("https://ok.org/bad", leads_to("https://[")),
        ("https://ok.org/two", leads_to("/name")),
        ("https://ok.org/gone", PageAnswer { status: 404, ..text("no") }),
        (
            "https://ok.org/image",
            PageAnswer { content_type: Some("image/png".to_owned()), ..text("x") },
        ),
        ("https://ok.org/nul", text("a\0b")),
        ("https://ok.org/long", text(&"x".repeat(500))),
    ];
    World { names: names.into(), pages: pages.into(), connected: Mutex::default() }
}

async fn fetch(world: &World, url: &str, policy: &UrlPolicy) -> Result<FetchedPage, UrlRefusal> {
    let limits = UrlLimits { bytes: 100, ..UrlLimits::default() };
    fetch_page(url, policy, &limits, world, world).await
}

// Each is refused before any connection is made.
const HOSTILE: &[(&str, UrlRefusal)] = &[
    // This machine, in every spelling.
    ("http://127.0.0.1/", No::NotPublic),
    ("http://127.1/", No::NotPublic),
    ("http://127.0.0.1./", No::NotPublic),
    ("http://2130706433/", No::NotPublic),
    ("http://0x7f000001/", No::NotPublic),
    ("http://0x7f.0.0.1/", No::NotPublic),
    ("http://0177.0.0.1/", No::NotPublic),
    ("http://017700000001/", No::NotPublic),
    ("http://0/", No::NotPublic),
    ("http://0.0.0.0/", No::NotPublic),
    ("http://%31%32%37.0.0.1/", No::NotPublic),
    ("http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", No::NotPublic),
    ("http://127\u{3002}0\u{3002}0\u{3002}1/", No::NotPublic),
    ("http://[::1]/", No::NotPublic),
    ("http://[0:0:0:0:0:0:0:1]/", No::NotPublic),
    ("http://[::]/", No::NotPublic),
    ("http://localhost/", No::LocalName),
    ("http://LOCALHOST/", No::LocalName),
    ("http://localhost./", No::LocalName),
    ("http://a.localhost/", No::LocalName),
    ("http://localhost.localdomain/", No::LocalName),
    ("http://printer/", No::LocalName),
    ("http://nas.local/", No::LocalName),
    ("http://metadata.google.internal/", No::LocalName),
    ("http://router.home.arpa/", No::LocalName),
    ("http://wiki.corp/", No::LocalName),
    ("http://hidden.onion/", No::LocalName),
    ("http://ok.org../", No::LocalName),
    // Private, shared, linked and special.
    ("http://10.1.2.3/", No::NotPublic),
    ("http://172.16.0.1/", No::NotPublic),
    ("http://172.31.255.255/", No::NotPublic),
    ("http://192.168.0.1/", No::NotPublic),
    ("http://169.254.169.254/latest/meta-data/", No::NotPublic),
    ("http://100.100.100.200/", No::NotPublic),
    ("http://168.63.129.16/", No::NotPublic),
    ("http://224.0.0.1/", No::NotPublic),
    ("http://255.255.255.255/", No::NotPublic),
    ("http://[fc00::1]/", No::NotPublic),
    ("http://[fd12:3456::1]/", No::NotPublic),
    ("http://[fe80::1]/", No::NotPublic),
    ("http://[ff02::1]/", No::NotPublic),
    ("http://[::ffff:127.0.0.1]/", No::NotPublic),
    ("http://[::ffff:7f00:1]/", No::NotPublic),
    ("http://[::ffff:8.8.8.8]/", No::NotPublic),
    ("http://[::127.0.0.1]/", No::NotPublic),
    ("http://[64:ff9b::7f00:1]/", No::NotPublic),
    ("http://[64:ff9b:1::1]/", No::NotPublic),
    ("http://[2002:7f00:1::]/", No::NotPublic),
    ("http://[2001::1]/", No::NotPublic),
    ("http://[2001:db8::1]/", No::NotPublic),
    ("http://[fe80::1%25eth0]/", No::NotAUrl),
    ("http://[::1%25lo]/", No::NotAUrl),
    // Not what it seems.
    ("http://user@ok.org/", No::Userinfo),
    ("http://user:word@ok.org/", No::Userinfo),
    ("http://ok.org@127.0.0.1/", No::Userinfo),
    ("http://127.0.0.1\\@ok.org/", No::NotPublic),
    ("http://ok.org:22/", No::Port),
    ("http://ok.org:6379/", No::Port),
    ("http://ok.org:0/", No::Port),
    ("http://ok.org:99999/", No::NotAUrl),
    ("ftp://ok.org/", No::Scheme),
    ("file:///etc/passwd", No::Scheme),
    ("gopher://ok.org/", No::Scheme),
    ("data:text/plain,hello", No::Scheme),
    ("javascript:alert(1)", No::Scheme),
    ("http:///127.0.0.1/", No::NotPublic),
    ("http:127.0.0.1", No::NotPublic),
    ("http://", No::NotAUrl),
    ("http://ok.org\n127.0.0.1/", No::NotAUrl),
    ("http://ok.org\t.localhost/", No::NotAUrl),
    ("ok.org", No::NotAUrl),
    ("", No::NotAUrl),
    ("http://1.2.3.4.5/", No::NotAUrl),
    ("http://256.256.256.256/", No::NotAUrl),
    // Names whose addresses are not public.
    ("http://private.org/", No::NotPublic),
    ("http://here.org/", No::NotPublic),
    ("http://metadata.org/", No::NotPublic),
    ("http://mixed.org/", No::NotPublic),
    ("http://mixed6.org/", No::NotPublic),
    ("http://mapped.org/", No::NotPublic),
    ("http://nat64.org/", No::NotPublic),
    ("http://sixtofour.org/", No::NotPublic),
    ("http://teredo.org/", No::NotPublic),
    ("http://zero.org/", No::NotPublic),
    ("http://nowhere.org/", No::Unresolved),
    ("http://unknown.org/", No::Unresolved),
];

#[tokio::test]
async fn c006_hostile_addresses_are_never_fetched() {
    let world = world();
    for (url, wanted) in HOSTILE {
        let got = fetch(&world, url, &UrlPolicy::Public).await;
        assert_eq!(got.as_ref().err(), Some(wanted), "{url}");
    }
    assert_eq!(*world.connected.lock().unwrap(), []);
    // What follows the mark is no host.
    let judged = judge_url("http://ok.org#@127.0.0.1/", &UrlPolicy::Public).unwrap();
    assert_eq!((judged.host(), judged.as_str()), ("ok.org", "http://ok.org/"));
}

#[tokio::test]
async fn c006_each_redirect_is_judged_anew() {
    for (url, wanted, connections) in [
        ("https://ok.org/literal", No::NotPublic, 1),
        ("https://ok.org/name", No::NotPublic, 1),
        ("https://ok.org/two", No::NotPublic, 2),
        ("https://ok.org/local", No::LocalName, 1),
        ("https://ok.org/file", No::Scheme, 1),
        ("https://ok.org/user", No::Userinfo, 1),
        ("https://ok.org/port", No::Port, 1),
        ("https://ok.org/down", No::Downgrade, 1),
        ("https://ok.org/hex", No::NotPublic, 1),
        ("https://ok.org/meta", No::NotPublic, 1),
        ("https://ok.org/loop", No::TooManyRedirects, 6),
        ("https://ok.org/blank", No::BadRedirect, 1),
        ("https://ok.org/bad", No::BadRedirect, 1),
    ] {
        let world = world();
        let got = fetch(&world, url, &UrlPolicy::Public).await;
        assert_eq!(got.err(), Some(wanted), "{url}");
        let connected = world.connected.lock().unwrap();
        assert_eq!(connected.len(), connections, "{url}");
        assert!(connected.iter().all(|(_, to)| is_public_address(to.ip())), "{connected:?}");
    }
}

#[tokio::test]
async fn c006_pages_are_fetched_from_the_address_that_was_judged() {
    for (url, text, from, to) in [
        ("https://ok.org/", "hello", "https://ok.org/", "93.184.215.14:443"),
        ("HTTPS://OK.org/#part", "hello", "https://ok.org/", "93.184.215.14:443"),
        ("http://ok.org/", "plain", "http://ok.org/", "93.184.215.14:80"),
        ("https://both.org/", "both", "https://both.org/", "93.184.215.14:443"),
        ("https://six.org/", "six", "https://six.org/", "[2606:2800:21f:cb07::1]:443"),
        ("https://ok.org/on", "a", "https://ok.org/a?b=1", "93.184.215.14:443"),
        ("http://ok.org/up", "hello", "https://ok.org/", "93.184.215.14:443"),
    ] {
        let world = world();
        let got = fetch(&world, url, &UrlPolicy::Public).await.unwrap();
        assert_eq!((got.text.as_str(), got.from.as_str(), got.cut), (text, from, false), "{url}");
        assert_eq!(world.connected.lock().unwrap().last().unwrap().1.to_string(), to, "{url}");
    }
    for (url, wanted) in [
        ("https://ok.org/gone", No::Status(404)),
        ("https://ok.org/image", No::NotText),
        ("https://ok.org/nul", No::NotText),
        ("https://ok.org/unknown", No::NotReached),
    ] {
        assert_eq!(fetch(&world(), url, &UrlPolicy::Public).await.err(), Some(wanted), "{url}");
    }
    let long = fetch(&world(), "https://ok.org/long", &UrlPolicy::Public).await.unwrap();
    assert_eq!((long.text.len(), long.cut), (100, true));
}

#[tokio::test]
async fn c006_nothing_is_fetched_unless_a_person_allowed_it() {
    let world = world();
    assert_eq!(fetch(&world, "https://ok.org/", &UrlPolicy::default()).await.err(), Some(No::Off));
    let listed = UrlPolicy::Hosts(vec!["ok.org".to_owned(), String::new()]);
    for (url, wanted) in [
        ("https://six.org/", Some(No::NotListed)),
        ("https://notok.org/", Some(No::NotListed)),
        ("https://ok.org.six.org/", Some(No::NotListed)),
        ("https://docs.ok.org/", Some(No::Unresolved)),
        ("https://ok.org/", None),
    ] {
        assert_eq!(fetch(&world, url, &listed).await.err(), wanted, "{url}");
    }
}

fn v4(range: (Ipv4Addr, u32), noise: u32) -> IpAddr {
    let free = u32::MAX.checked_shr(range.1).unwrap_or(0);
    IpAddr::V4(Ipv4Addr::from_bits(range.0.to_bits() | (noise & free)))
}

fn v6(range: (Ipv6Addr, u32), noise: u128) -> IpAddr {
    let free = u128::MAX.checked_shr(range.1).unwrap_or(0);
    IpAddr::V6(Ipv6Addr::from_bits(range.0.to_bits() | (noise & free)))
}

proptest! {
    #[test]
    fn no_address_of_a_special_range_is_public(noise in any::<u128>()) {
        for range in SPECIAL_V4 {
            #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
            let address = v4(*range, noise as u32);
            prop_assert!(!is_public_address(address), "{address}");
            if let IpAddr::V4(inner) = address {
                for carrier in [inner.to_ipv6_mapped(), inner.to_ipv6_compatible()] {
                    prop_assert!(!is_public_address(IpAddr::V6(carrier)), "{carrier}");
                }
                let bits = u128::from(inner.to_bits());
                let nat64 = Ipv6Addr::from_bits((0x0064_ff9b_u128 << 96) | bits);
                let tunnel = Ipv6Addr::from_bits((0x2002_u128 << 112) | (bits << 80));
                prop_assert!(!is_public_address(IpAddr::V6(nat64)) && !is_public_address(IpAddr::V6(tunnel)));
            }
        }
        for range in SPECIAL_V6 {
            let address = v6(*range, noise);
            prop_assert!(!is_public_address(address), "{address}");
        }
        // All that is not given out: local, link, multicast, mapped.
        let outside = Ipv6Addr::from_bits(noise);
        if outside.segments()[0] >> 13 != 1 {
            prop_assert!(!is_public_address(IpAddr::V6(outside)), "{outside}");
        }
    }

    #[test]
    fn what_the_standard_library_calls_private_is_not_public(bits in any::<u32>()) {
        let address = Ipv4Addr::from_bits(bits);
        let special = address.is_private() || address.is_loopback() || address.is_link_local()
            || address.is_multicast() || address.is_broadcast() || address.is_documentation()
            || address.is_unspecified();
        prop_assert!(!(special && is_public_address(IpAddr::V4(address))), "{address}");
    }

    #[test]
    fn any_text_is_judged(text in "(https?://)?[ -~\u{3002}\u{ff11}]{0,40}") {
        if let Ok(judged) = judge_url(&text, &UrlPolicy::Public) {
            prop_assert!(judged.literal().is_none_or(is_public_address), "{text}");
            prop_assert!(matches!(judged.port(), 80 | 443));
            prop_assert!(!judged.as_str().contains('@') || !judged.as_str().split('/').nth(2).unwrap().contains('@'));
        }
    }
}
