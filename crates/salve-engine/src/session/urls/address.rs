//! Which addresses are public.
//!
//! In: an address. Out: whether it belongs to the public internet. The ranges are those that the registries
//! of special-purpose addresses list, and one of a cloud's platform. An address that carries another one
//! (mapped, translated, tunnelled) is not public, whatever it carries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of version 4 that are not public: the first address, and how many of its bits count.
#[rustfmt::skip]
pub(super) const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),         // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),        // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),     // shared by carriers
    (Ipv4Addr::new(127, 0, 0, 0), 8),       // this machine
    (Ipv4Addr::new(168, 63, 129, 16), 32),  // a cloud's platform, from inside its machines
    (Ipv4Addr::new(169, 254, 0, 0), 16),    // this link, and the clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),     // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),      // protocols
    (Ipv4Addr::new(192, 0, 2, 0), 24),      // documentation
    (Ipv4Addr::new(192, 31, 196, 0), 24),   // AS112
    (Ipv4Addr::new(192, 52, 193, 0), 24),   // multicast tunnels
    (Ipv4Addr::new(192, 88, 99, 0), 24),    // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),    // private
    (Ipv4Addr::new(192, 175, 48, 0), 24),   // AS112
    (Ipv4Addr::new(198, 18, 0, 0), 15),     // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),   // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),    // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),       // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),       // reserved, and the broadcast
];

/// All of version 6 that is given out.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Ranges of it that are not public. What is outside of it (`::`, `::1`, mapped `::ffff:0:0/96`, translated
/// `64:ff9b::/96`, local `fc00::/7` and `fe80::/10`, multicast `ff00::/8` …) is not public either.
#[rustfmt::skip]
pub(super) const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),           // protocols, tunnels (Teredo) among them
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),       // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),           // 6to4
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),   // AS112
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),           // documentation
];

/// Tells whether an address belongs to the public internet.
pub fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|range| holds_v4(*range, address)),
        IpAddr::V6(address) => {
            holds_v6(GLOBAL_V6, address)
                && !SPECIAL_V6.iter().any(|range| holds_v6(*range, address))
        }
    }
}

fn holds_v4((first, bits): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    let differs = first.to_bits() ^ address.to_bits();
    differs.checked_shr(32 - bits).unwrap_or(0) == 0
}

fn holds_v6((first, bits): (Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    let differs = first.to_bits() ^ address.to_bits();
    differs.checked_shr(128 - bits).unwrap_or(0) == 0
}
