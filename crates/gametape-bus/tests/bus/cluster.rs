//! Servers of NATS: `GAMETAPE_NATS` names the program, or the path has it.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Servers that end with the test.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Option<Child>>,
    ports: Vec<u16>,
    _folder: TempDir,
}

/// Ports that are free now.
fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

impl Cluster {
    /// Starts N nodes; `None`, and a line that says why, where there is no server.
    pub(crate) fn start(count: usize, has_window: bool) -> Option<Self> {
        Self::start_with(count, has_window, "")
    }

    /// The same with more lines in the configuration of each node.
    pub(crate) fn start_with(count: usize, has_window: bool, lines: &str) -> Option<Self> {
        let program = std::env::var_os("GAMETAPE_NATS").unwrap_or_else(|| "nats-server".into());
        if Command::new(&program).arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("skipped: no nats-server; GAMETAPE_NATS or the path names one");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut ports = free_ports(2 * count);
        let routes = ports.split_off(count);
        let all: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let start = |number: usize| {
            let store = folder.path().join(format!("n{number}"));
            let mut config =
                format!("server_name: n{number}\nlisten: 127.0.0.1:{}\n{lines}", ports[number]);
            if has_window {
                config += &format!(
                    "jetstream {{ store_dir: {:?}, max_memory_store: 64MB, max_file_store: 2GB }}\n",
                    store.display().to_string()
                );
            }
            if count > 1 {
                config += &format!(
                    "cluster {{ name: live, listen: 127.0.0.1:{}, routes: [{}] }}\n",
                    routes[number],
                    all.join(", ")
                );
            }
            let path = folder.path().join(format!("n{number}.conf"));
            fs::write(&path, config).unwrap();
            let child = spawn(&program, &path, &folder.path().join(format!("n{number}.log")));
            Some(child)
        };
        let nodes = (0..count).map(start).collect();
        let cluster = Self { nodes, ports, _folder: folder };
        let until = Instant::now() + Duration::from_secs(20);
        for port in &cluster.ports {
            while TcpStream::connect(("127.0.0.1", *port)).is_err() {
                assert!(Instant::now() < until, "nats-server does not start");
                std::thread::park_timeout(Duration::from_millis(5));
            }
        }
        Some(cluster)
    }

    pub(crate) fn address(&self, node: usize) -> String {
        format!("nats://{}", self.socket(node))
    }

    pub(crate) fn socket(&self, node: usize) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.ports[node]).into()
    }

    /// As `kill -9`.
    pub(crate) fn kill(&mut self, node: usize) {
        if let Some(mut child) = self.nodes[node].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

fn spawn(program: &std::ffi::OsStr, config: &Path, log: &Path) -> Child {
    let log = fs::File::create(log).unwrap();
    Command::new(program).arg("-c").arg(config).stderr(log).spawn().unwrap()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|node| self.kill(node));
    }
}
