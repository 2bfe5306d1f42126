// A second session of the same recording in the background, for what must not hold the board up: pictures of other moments,
// clips, videos. It is opened when it is needed first.
import { signal } from "@preact/signals";
import { assets } from "../assets.ts";
import { Client, Stale } from "../client.ts";
import { whenClosed, whenForgotten } from "./lifetime.ts";
import { about, main } from "./side.ts";

let helper: { client: Client; seen: string } | null = null;
/** What it is asked and did not answer yet. */
export const asideBusy = signal(0);

export function closeAside() {
  helper?.client.close();
  helper = null;
  asideBusy.value = 0;
}
whenClosed(closeAside);
whenForgotten(() => helper?.client.forget());

/** The session, seen as the board is now. */
export async function aside(): Promise<Client> {
  const { origin } = main;
  const known = await assets();
  if (!origin || main.origin !== origin || !about.value) throw new Stale();
  if (!helper) {
    const client = new Client(known, origin, {
      progress() {},
      shown() {},
      wishFailed() {},
      busy: (count) => {
        if (helper?.client === client) asideBusy.value = count;
      },
    });
    helper = { client, seen: "" };
    await client.ask("open", {});
  }
  const { client } = helper;
  const seen = about.value?.seen ?? [];
  if (seen.length > 0 && helper.seen !== seen.join()) {
    helper.seen = seen.join();
    await client.ask("view", { view: seen });
  }
  if (helper?.client !== client || (about.value?.seen ?? []).join() !== seen.join()) throw new Stale();
  return client;
}
