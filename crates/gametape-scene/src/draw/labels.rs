//! Where labels go: beside what they name, and never over another.

use super::canvas::Point;

/// A part of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Room {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Room {
    pub(crate) fn around(centre: Point, radius: f32) -> Self {
        let (x, y) = centre;
        Self { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    fn at(corner: Point, size: (f32, f32)) -> Self {
        let (left, top) = corner;
        Self { left, top, right: left + size.0, bottom: top + size.1 }
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_within(&self, other: &Self) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

/// What is taken already.
#[derive(Debug)]
pub(crate) struct Labels {
    frame: Room,
    taken: Vec<Room>,
}

impl Labels {
    /// Room for labels in a frame, around things that are there already.
    pub(crate) fn new(frame: Room, taken: Vec<Room>) -> Self {
        Self { frame, taken }
    }

    /// The area for a label of this size beside something round: below, above, right or left, where it
    /// covers the fewest signs. None where there is no room.
    pub(crate) fn place(
        &mut self,
        centre: Point,
        radius: f32,
        size: (f32, f32),
        signs: &[Room],
    ) -> Option<Room> {
        let ((x, y), (width, height)) = (centre, size);
        let (beside, gap) = (radius + 3.0, 1.0);
        let corners = [
            (x - width / 2.0, y + radius + gap),
            (x - width / 2.0, y - radius - gap - height),
            (x + beside, y - height / 2.0),
            (x - beside - width, y - height / 2.0),
        ];
        let areas = corners.into_iter().map(|corner| Room::at(corner, size));
        let free = areas.filter(|area| {
            area.is_within(&self.frame) && !self.taken.iter().any(|other| other.meets(area))
        });
        let covered = |area: &Room| signs.iter().filter(|sign| sign.meets(area)).count();
        let best = free.min_by_key(covered)?;
        self.taken.push(best);
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_meet_neither_each_other_nor_what_they_name() {
        let frame = Room { left: 0.0, top: 0.0, right: 300.0, bottom: 300.0 };
        let centres: Vec<Point> =
            (0..60).map(|i| ((i * 37 % 300) as f32, (i * 91 % 300) as f32)).collect();
        let things: Vec<Room> = centres.iter().map(|centre| Room::around(*centre, 6.0)).collect();
        let mut labels = Labels::new(frame, things.clone());
        let placed: Vec<Room> = centres
            .iter()
            .filter_map(|centre| labels.place(*centre, 6.0, (40.0, 12.0), &[]))
            .collect();
        assert!(placed.len() > 10 && placed.len() < centres.len());
        for (i, label) in placed.iter().enumerate() {
            assert!(label.is_within(&frame));
            assert!(things.iter().chain(&placed[..i]).all(|other| !other.meets(label)));
        }
    }

    #[test]
    fn what_is_round_takes_its_radius_on_every_side() {
        let area = Room { left: 6.0, top: 16.0, right: 14.0, bottom: 24.0 };
        assert_eq!(Room::around((10.0, 20.0), 4.0), area);
    }

    #[test]
    fn a_label_goes_where_it_covers_the_fewest_signs() {
        let frame = Room { left: 0.0, top: 0.0, right: 300.0, bottom: 300.0 };
        let below = [(135.0, 165.0), (150.0, 165.0)].map(|at| Room::around(at, 4.0));
        let above = [Room::around((150.0, 135.0), 4.0)];
        let place = |signs: &[Room]| {
            let mut labels = Labels::new(frame, vec![Room::around((150.0, 150.0), 8.0)]);
            labels.place((150.0, 150.0), 8.0, (40.0, 12.0), signs).unwrap()
        };
        assert!(place(&[]).top > 150.0 && place(&below).bottom < 150.0);
        assert!(place(&[&below[..], &above].concat()).left > 150.0);
    }
}
