
#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `spec/live.md`, section 10, which the page is tested with, too.
    #[test]
    fn rates_are_those_of_the_specification() {
        let rates = [
            (500, 950),
            (625, 975),
            (750, 1000),
            (1000, 1000),
            (1250, 1000),
            (1625, 1025),
            (2000, 1050),
            (9000, 1050),
        ];
        let millis = Duration::from_millis;
        let mut pacer = Pacer::new(millis(1000));
        assert_eq!(pacer.pace(millis(400)), Pace::Wait);
        for (buffer, rate) in rates {
            assert_eq!(pacer.pace(millis(buffer)), Pace::Play(Rate::thousandths(rate)), "{buffer}");
        }
        assert_eq!(pacer.pace(millis(400)), Pace::Play(Rate::thousandths(950)));
        assert_eq!(pacer.pace(Duration::ZERO), Pace::Wait);
        assert_eq!(pacer.pace(millis(400)), Pace::Wait);
        assert_eq!(pacer.pace(millis(11_500)), Pace::Behind(Rate::thousandths(1050)));
    }
}
