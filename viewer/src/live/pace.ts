// How fast to play near live. Normative: spec/live.md, section 10.

/** The slowest and the fastest rate. */
const [LEAST, MOST] = [0.95, 1.05];
/** This many seconds from the target, playing a little faster takes minutes. */
const FAR = 10;

/** Holds a target of what is there and not shown yet, in seconds. */
export class Pacer {
  private waits = true;

  constructor(readonly target: number) {}

  /** The rate when N seconds are there and not shown yet: 0 is to wait, null that live is too far ahead. */
  pace(buffer: number): number | null {
    if (buffer <= 0 || (this.waits && buffer < this.target / 2)) {
      this.waits = true;
      return 0;
    }
    this.waits = false;
    return buffer > this.target + FAR ? null : this.rate(buffer);
  }

  private rate(buffer: number): number {
    const quarter = this.target / 4;
    const off = buffer - this.target;
    if (Math.abs(off) <= quarter) return 1;
    // Full at twice and at half of the target.
    const rate =
      off > 0
        ? 1 + ((MOST - 1) * (off - quarter)) / (this.target - quarter)
        : 1 - ((1 - LEAST) * (-off - quarter)) / quarter;
    return Math.min(Math.max(rate, LEAST), MOST);
  }
}
