// One line per test, and in the end how many passed.
export default async function* reporter(source) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const reasons = new Set();
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file is no test.
    if (data.details?.type === "suite" || /\.mjs$/.test(data.name)) {
      if (type === "test:fail" && /\.mjs$/.test(data.name)) {
        count.failed++;
        yield `FAIL ${data.name}: ${data.details.error?.message ?? ""}\n`;
      }
      continue;
    }
    if (data.skip !== undefined) {
      count.skipped++;
      if (typeof data.skip === "string") reasons.add(data.skip);
    } else if (type === "test:pass") {
      count.passed++;
      yield `ok   ${data.name} (${Math.round(data.details.duration_ms)} ms)\n`;
    } else {
      count.failed++;
      const error = data.details.error?.cause ?? data.details.error;
      yield `FAIL ${data.name}\n${error?.stack ?? error}\n`;
    }
  }
  for (const reason of reasons) yield `skipped: ${reason}\n`;
  yield `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`;
}
