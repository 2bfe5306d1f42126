//! Values as text for people: readable numbers, times, dates, and names that are harmless to a
//! terminal.

use gametape_wire::Time;

pub use gametape_wire::text::{count, harmless, hex, printable, shortened, thousands};

/// A time as every command prints and reads it: `3:37.6`, `1:02:03.004`.
#[must_use]
pub fn clock(milliseconds: u64) -> String {
    Time::from_millis(milliseconds).to_string()
}

/// Milliseconds since 1970 as `2023-11-14 22:13:20 UTC`; none beyond the year 9999.
#[must_use]
pub fn date(milliseconds: i64) -> Option<String> {
    let seconds = milliseconds.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    if !(-719_162..2_932_897).contains(&days) {
        return None;
    }
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC"))
}

/// Year, month and day of a day counted from 1970-01-01. Years begin in March here, so that the
/// day that leap years add is their last.
fn civil_date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (400 * era + year_of_era + i64::from(month <= 2), month, day)
}

/// A time of day as RFC 3339 has it in UTC, in milliseconds since 1970.
///
/// ```
/// use gametape_replay::text::epoch_of;
///
/// assert_eq!(epoch_of("2000-02-29T12:00:01Z"), Some(951_825_601_000));
/// ```
#[must_use]
pub fn epoch_of(time: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<i64>().ok();
    let is_utc = time.len() == 20 && time.ends_with('Z') && time.get(10..11) == Some("T");
    is_utc.then_some(())?;
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    (is_date && is_time).then_some(())?;
    // Days of the civil calendar, years counted from March so that leap days come last.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_grouped() {
        assert_eq!([0, 999, 1000, 1_310_554].map(thousands), ["0", "999", "1,000", "1,310,554"]);
        assert_eq!([count(1, "tile"), count(0, "tile")], ["1 tile", "0 tiles"]);
        assert_eq!(clock(217_600), "3:37.6");
        assert_eq!(clock(3_723_004), "1:02:03.004");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let shown = |milliseconds| date(milliseconds).unwrap();
        assert_eq!(shown(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(shown(-1), "1969-12-31 23:59:59 UTC");
        assert_eq!(shown(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(shown(951_868_800_000), "2000-03-01 00:00:00 UTC");
        assert_eq!(shown(4_107_542_399_000), "2100-02-28 23:59:59 UTC");
        assert_eq!(shown(4_107_542_400_000), "2100-03-01 00:00:00 UTC");
        assert_eq!(shown(253_402_300_799_999), "9999-12-31 23:59:59 UTC");
        assert_eq!([date(253_402_300_800_000), date(i64::MIN)], [None, None]);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shortened("éèê", 3), "éèê");
        assert_eq!(shortened("éèê", 2), "éè…");
    }
}
