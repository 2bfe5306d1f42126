// The merge of the gamelog format as its own documentation describes it, in plain JavaScript: what
// the library is measured against. Prints milliseconds of each round and the peak memory in bytes.
//
//   node merge_gamelog.js LOG ROUNDS
"use strict";

const fs = require("fs");
const zlib = require("zlib");

const isObject = (value) => typeof value === "object" && value !== null;

function merge(state, delta, removed, length) {
  const newLength = delta[length];
  if (newLength !== undefined) {
    while (state.length > newLength) {
      state.pop();
    }
  }
  for (const key of Object.keys(delta)) {
    const change = delta[key];
    if (key === length) {
      continue;
    }
    if (change === removed) {
      delete state[key];
    } else if (isObject(change)) {
      if (!isObject(state[key])) {
        state[key] = change[length] === undefined ? {} : [];
      }
      merge(state[key], change, removed, length);
    } else {
      state[key] = change;
    }
  }
}

function load(path) {
  let bytes = fs.readFileSync(path);
  if (bytes[0] === 0x1f) {
    bytes = zlib.gunzipSync(bytes);
  }
  const log = JSON.parse(bytes.toString("utf8"));
  const constants = log.constants || {};
  const removed = constants.DELTA_REMOVED || "&RM";
  const length = constants.DELTA_LIST_LENGTH || "&LEN";
  const state = {};
  for (const delta of log.deltas) {
    if (delta.game) {
      merge(state, delta.game, removed, length);
    }
  }
  return { log, state };
}

const [path, rounds] = process.argv.slice(2);
const times = [];
let kept = null;
for (let round = 0; round < Number(rounds); round += 1) {
  const [start, before] = [process.hrtime.bigint(), process.cpuUsage()];
  kept = load(path);
  const passed = Number(process.hrtime.bigint() - start) / 1e6;
  // Of all threads: where the machine has nothing else to do, it is more than what passed.
  const { user, system } = process.cpuUsage(before);
  times.push(Math.min(passed, (user + system) / 1e3));
}
const peak = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ times, peak, deltas: kept.log.deltas.length }));
