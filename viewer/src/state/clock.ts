// Where the page is in time. Everything else about time follows from these.
import { ofRecording } from "./lifetime.ts";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

/** The moment that is wished; what is shown follows. */
export const target = ofRecording(0);
/** The furthest moment that was shown. */
export const reached = ofRecording(0);
export const playing = ofRecording<-1 | 0 | 1>(0);
export const speed = ofRecording<number>(1);

/** The last moment of a recording that grows; null of one that does not. */
export const edge = ofRecording<number | null>(null);
/** Can moments before the first one of the recording be had? So it is with a live match that was joined later. */
export const fromStart = ofRecording(false);
/** Does it stay near the end of a recording that grows? */
export const atLive = ofRecording(false);
/** Moments that are not here yet are on their way: time does not move. */
export const fetching = ofRecording<number | null>(null);
