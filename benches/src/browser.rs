//! A real browser that measures the viewer: `viewer/tests/bench.mjs`, asked line by line.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A browser that waits to be asked. It ends when this is dropped.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    asked: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Browser {
    /// Starts the program that drives it, in the folder of the viewer.
    pub fn start(viewer: &Path) -> Outcome<Self> {
        let mut command = Command::new("node");
        command.arg("tests/bench.mjs").current_dir(viewer);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asked = process.stdin.take();
        let answers = process.stdout.take().ok_or("its output is not there")?;
        Ok(Self { process, asked, answers: BufReader::new(answers) })
    }

    /// Asks something, and waits for the answer.
    pub fn ask(&mut self, request: &Value) -> Outcome<Value> {
        let asked = self.asked.as_mut().ok_or("it has ended")?;
        writeln!(asked, "{request}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value =
            serde_json::from_str(&line).map_err(|_| format!("no answer to {request}"))?;
        match answer.get("error") {
            Some(error) => Err(format!("{request}: {error}").into()),
            None => Ok(answer),
        }
    }

    /// Asks for something that is answered by numbers under this name.
    pub fn numbers(&mut self, request: &Value, name: &str) -> Outcome<Vec<f64>> {
        let answer = self.ask(request)?;
        let numbers = answer[name].as_array().ok_or_else(|| format!("no {name} in {answer}"))?;
        Ok(numbers.iter().filter_map(Value::as_f64).collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of its input is the end of it.
        self.asked = None;
        let _ = self.process.wait();
    }
}
