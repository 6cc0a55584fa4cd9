use super::*;

#[test]
fn no_special_address_is_public_whatever_it_is_wrapped_in() {
    let inward = [
        "
        0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255
        127.0.0.1 127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2
        172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
        192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.9 224.0.0.1
        239.255.255.255 240.0.0.1 255.255.255.255",
        // Unspecified, loopback, and mapped, compatible and translated IPv4.
        "
        :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
        ::127.0.0.1 ::7f00:1 64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8
        64:ff9b:0:1::8.8.8.8",
        // Discard-only, segment routing, Teredo, benchmarking, ORCHID, documentation, 6to4.
        "
        100::1 5f00::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1
        2001:db8::1 3fff::1 3fff:fff::1 2002:7f00:1::1 2002:a9fe:a9fe::1 2002:808:808::1",
        // Unique local with Amazon's own, link-local, site-local, multicast, unassigned.
        "
        fc00::1 fd00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 4000::1 1000::1",
    ];
    let inward = inward.iter().flat_map(|some| some.split_whitespace());
    assert_eq!(inward.clone().count(), 65);
    for ip in inward {
        assert!(!is_public(ip.parse().unwrap()), "{ip}");
    }
}

#[test]
fn addresses_beside_special_ones_are_public() {
    let public = "
        1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
        168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
        192.0.1.1 192.0.3.1 192.88.98.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
        203.0.112.1 223.255.255.255 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2000::1 2001:200::1
        2001:db7::1 2001:4860:4860::8888 2003::1 2606:4700::1111 3ffe::1 3fff:1000::1";
    assert_eq!(public.split_whitespace().count(), 32);
    for ip in public.split_whitespace() {
        assert!(is_public(ip.parse().unwrap()), "{ip}");
    }
}

proptest::proptest! {
    #[test]
    fn what_is_wrapped_counts(bits: u32) {
        let v4 = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = v4.octets();
        for wrapped in [format!("::ffff:{a}.{b}.{c}.{d}"), format!("64:ff9b::{a}.{b}.{c}.{d}")] {
            let v6: Ipv6Addr = wrapped.parse().unwrap();
            proptest::prop_assert_eq!(is_public(v6.into()), is_public(v4.into()), "{}", wrapped);
        }
        let compatible = Ipv6Addr::from_bits(bits.into());
        proptest::prop_assert!(!is_public(compatible.into()));
    }
}
