// Links to a recording, a moment and what is seen of it.

/** Parts of the address that say what the page shows. */
const OWN = ["src", "live", "cast", "by", "t", "view", "c", "s", "split", "src2", "later", "c2"];

/** The address of this page with only these parameters of its own. */
export function address(params: Record<string, string>): string {
  const url = new URL(location.href);
  for (const key of OWN) url.searchParams.delete(key);
  for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
  url.hash = "";
  // Readable where it may be.
  return url.href.replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%2F/g, "/").replace(/%2B/g, "+");
}
