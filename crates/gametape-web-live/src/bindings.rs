//! What JavaScript sees of a live match. A tick below zero means live.

use gametape_wire::Tick;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::seat::Seat;
use crate::segments::Segments;

fn tick(number: f64) -> Option<Tick> {
    (number >= 0.0).then_some(Tick(number as u64))
}

/// A seat: messages in, messages out, a tape.
#[wasm_bindgen(js_name = Seat)]
#[derive(Debug)]
pub struct JsSeat(Seat);

#[wasm_bindgen(js_class = Seat)]
impl JsSeat {
    /// A seat that will ask for these views of a match.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, views: u16, from: f64, pass: &str) -> Result<Self, JsError> {
        Seat::new(name, views, tick(from), pass).map(Self).map_err(|problem| JsError::new(&problem))
    }

    /// The message that a connection begins with.
    pub fn join(&mut self) -> Vec<u8> {
        self.0.join().to_vec()
    }

    /// A message came.
    pub fn receive(&mut self, bytes: &[u8], now: f64) -> Result<(), JsError> {
        self.0.receive(bytes, now).map_err(|problem| JsError::new(&problem))
    }

    /// Lets time pass.
    pub fn poll(&mut self, now: f64) -> Result<(), JsError> {
        self.0.poll(now).map_err(|problem| JsError::new(&problem))
    }

    /// A message to send; `undefined` where there is none.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        self.0.next_message().map(|message| message.to_vec())
    }

    /// Goes to a tick, or to live.
    pub fn seek(&mut self, to: f64) {
        self.0.seek(tick(to));
    }

    /// What happened, as JSON.
    pub fn notices(&mut self) -> String {
        self.0.notices()
    }

    /// More of the tape.
    pub fn tape(&mut self) -> Result<Vec<u8>, JsError> {
        self.0.tape().map_err(|problem| JsError::new(&problem))
    }
}

/// The segments of a view: files in, a tape out.
#[wasm_bindgen(js_name = Segments)]
#[derive(Debug)]
pub struct JsSegments(Segments);

#[wasm_bindgen(js_class = Segments)]
impl JsSegments {
    /// Follows a view.
    #[wasm_bindgen(constructor)]
    pub fn new(view: u8, from: f64) -> Result<Self, JsError> {
        Segments::new(view, tick(from)).map(Self).map_err(|problem| JsError::new(&problem))
    }

    /// The files to ask for now.
    pub fn poll(&mut self, now: f64) -> Vec<String> {
        self.0.poll(now)
    }

    /// A file came; `undefined` where it was not there.
    pub fn answer(&mut self, file: &str, bytes: Option<Vec<u8>>, now: f64) -> Result<(), JsError> {
        self.0.answer(file, bytes.as_deref(), now).map_err(|problem| JsError::new(&problem))
    }

    /// What happened, as JSON.
    pub fn notices(&mut self) -> String {
        self.0.notices()
    }

    /// More of the tape.
    pub fn tape(&mut self) -> Vec<u8> {
        self.0.tape()
    }
}
