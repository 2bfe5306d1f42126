//! A range of a recording as a GIF file, a few pictures at a time.

use gametape_scene::film::{Filming, Gif, Shot};

use crate::session::{Result, Session};
use crate::shapes::Answer;

/// Pictures that are made before the page hears how far it is.
const AT_ONCE: u64 = 4;

/// A file while it is made.
#[derive(Debug)]
pub(crate) struct Film {
    filming: Filming,
    /// None until its colours are chosen.
    gif: Option<Gif>,
}

impl Session {
    /// Goes on with a GIF file, or begins it. The moment that is seen stays.
    pub(crate) fn gif(&mut self, shot: Shot) -> Result<Answer> {
        let here = self.stage()?.position();
        let made = self.film_on(shot);
        self.stage()?.seek(here)?;
        made
    }

    fn film_on(&mut self, shot: Shot) -> Result<Answer> {
        let mut film = match self.film.take().filter(|film| *film.filming.shot() == shot) {
            Some(film) => film,
            None => {
                self.file = Vec::new();
                let fonts = self.renderer.fonts().clone();
                Film { filming: Filming::new(shot, fonts, self.stage()?)?, gif: None }
            }
        };
        let over = film.step(self);
        let (done, frames) = (film.filming.done(), film.filming.frames());
        // Where bytes are missing, it goes on from there.
        match (over, film) {
            (Ok(true), Film { gif: Some(gif), .. }) => self.file = gif.finish()?,
            (over, film) => {
                self.film = Some(film);
                over?;
            }
        }
        Ok(Answer::Filmed { done, frames, bytes: self.file.len() })
    }
}

impl Film {
    /// Makes some pictures. True after the last.
    fn step(&mut self, session: &mut Session) -> Result<bool> {
        let stage = session.stage()?;
        let gif = match &mut self.gif {
            Some(gif) => gif,
            None => {
                let swatches = self.filming.swatches(stage)?;
                let shot = self.filming.shot();
                self.gif.insert(Gif::new(shot.size, shot.fps, &swatches)?)
            }
        };
        for _ in 0..AT_ONCE {
            match self.filming.next(stage)? {
                Some(pixels) => gif.add(pixels)?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }
}
