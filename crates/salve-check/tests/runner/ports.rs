//! Services of this machine: reachable by naming their port, and only so.

use crate::workplace::Workplace;
use salve_check::{FinishedRun, Layer, Plan, RiskClass, RunEnding, RunError, RunPrograms};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;
use std::time::Duration;

/// A service on a free port of this machine, which greets one caller and returns what it says.
fn service() -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move || {
        let (mut caller, _) = listener.accept().unwrap();
        caller.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        caller.write_all(b"who is there?\n").unwrap();
        let mut said = String::new();
        caller.read_to_string(&mut said).unwrap();
        said
    };
    (port, std::thread::spawn(serve))
}

fn bash(place: &Workplace, ports: &[u16], script: &str) -> Result<FinishedRun, RunError> {
    let mut request = place.request(Plan::of_argv(["bash", "-c", script]));
    request.ports = ports.to_vec();
    place.runner.run(&request)
}

/// Greets the service of a port and shows its answer.
fn greets(host: &str, port: u16) -> String {
    format!("exec 3<>/dev/tcp/{host}/{port} || exit 7; read line <&3; echo \"$line\"; echo me >&3")
}

#[test]
fn a_service_is_reachable_when_its_port_is_named() {
    for host in ["127.0.0.1", "localhost", "::1"] {
        let place = Workplace::new();
        let (port, served) = service();
        let run = bash(&place, &[port, 1], &greets(host, port)).unwrap();
        let shown = run.for_model();
        assert!(shown.contains("who is there?"), "{host}: {shown}");
        assert_eq!(run.record.ports, [port, 1]);
        assert_eq!(served.join().unwrap(), "me\n");
    }
}

#[test]
fn no_other_port_is_reachable() {
    let place = Workplace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, other) = (listener.local_addr().unwrap().port(), TcpListener::bind("127.0.0.1:0"));
    let named = other.unwrap().local_addr().unwrap().port();
    for ports in [&[][..], &[named]] {
        let run = bash(&place, ports, &greets("127.0.0.1", port)).unwrap();
        assert_eq!(run.record.ending, RunEnding::Exited { code: 7 }, "{}", run.for_model());
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[test]
fn a_connection_ends_with_its_run() {
    let place = Workplace::new();
    let (port, served) = service();
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; read line <&3; echo $line; sleep 60");
    let mut request = place.request(Plan::of_argv(["bash", "-c", &script]));
    request.ports = vec![port];
    request.limits.deadline = Duration::from_secs(2);
    let run = place.runner.run(&request).unwrap();
    assert_eq!(run.record.ending, RunEnding::DeadlinePassed);
    assert_eq!(served.join().unwrap(), "");
}

#[test]
fn a_run_that_has_the_network_needs_no_port() {
    let place = Workplace::new();
    let (port, served) = service();
    let mut request = place.request(Plan::of_argv(["bash", "-c", &greets("127.0.0.1", port)]));
    request.ports = vec![port];
    request.risk = RiskClass::Network;
    assert!(place.runner.run(&request).unwrap().succeeded());
    assert_eq!(served.join().unwrap(), "me\n");
}

#[test]
fn without_a_network_of_its_own_a_run_with_ports_is_refused() {
    for missing in [Layer::OF_NAMESPACES, &[Layer::NetworkNamespace]] {
        let place = Workplace::without(missing);
        let refused = bash(&place, &[5432], "touch ran");
        assert!(matches!(refused, Err(RunError::NoPorts)), "{refused:?}");
        assert!(!place.work().join("ran").exists());
        assert!(bash(&place, &[], "true").unwrap().succeeded());
    }
}
