//! A server that lets a spectator in: for the tests of those who watch games.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// A game of three deltas, as a spectator receives it after it was let in.
pub(crate) const GAME: &str = "{\"event\":\"lobbied\",\"data\":{\"gameName\":\"Move\",\"gameSession\":\"2\"}}\u{4}\
    {\"event\":\"meta-delta\",\"data\":{\"type\":\"start\",\"game\":{\"currentTurn\":0,\"players\":{\"0\":{\"id\":\"7\"},\"&LEN\":1},\"gameObjects\":{\"7\":{\"id\":\"7\",\"name\":\"Ann\"}}}}}\u{4}\
    {\"event\":\"start\",\"data\":{}}\u{4}\
    {\"event\":\"meta-delta\",\"data\":{\"type\":\"ran\",\"game\":{\"currentTurn\":1}}}\u{4}\
    {\"event\":\"meta-delta\",\"data\":{\"type\":\"over\",\"game\":{\"gameObjects\":{\"7\":{\"won\":true}}}}}\u{4}\
    {\"event\":\"over\",\"data\":{\"gamelogURL\":\"http://h/gamelog/Move-2-2016.02.25.21.27.10.562\"}}\u{4}";

/// A spectator who was let in.
pub(crate) struct Guest {
    pub(crate) socket: TcpStream,
    /// What it says after that.
    pub(crate) asked: BufReader<TcpStream>,
    /// What it said: its name, and the game that it wants.
    pub(crate) said: [String; 2],
}

/// Waits for a spectator, and lets it in.
pub(crate) fn let_in(listener: &TcpListener) -> Guest {
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_nodelay(true).unwrap();
    let mut asked = BufReader::new(socket.try_clone().unwrap());
    let name = message(&mut asked);
    socket.write_all(b"{\"event\":\"named\",\"data\":\"Move\"}\x04").unwrap();
    let game = message(&mut asked);
    Guest { socket, asked, said: [name, game] }
}

fn message(from: &mut BufReader<TcpStream>) -> String {
    let mut bytes = Vec::new();
    from.read_until(4, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
