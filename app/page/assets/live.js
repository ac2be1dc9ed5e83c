// Reads again when podium's decisions change: podium holds a request open until they do. If that is not possible,
// every few seconds.
import { changes } from "./api.js";

const AGAIN = 5000; // milliseconds between two readings without a watch
const LEAST = 1000; // and with one: a burst of decisions is read once
const RETRY = 6; // readings until the watch is tried again

const pause = (time, signal) =>
  new Promise((done) => {
    const timer = setTimeout(done, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });

const shown = (signal) =>
  new Promise((done) => {
    if (document.visibilityState === "visible") return done();
    const look = () => document.visibilityState === "visible" && done();
    document.addEventListener("visibilitychange", look, { signal });
    signal.addEventListener("abort", done, { once: true });
  });

// Calls `send` with a signal that also ends the request when the page is hidden: a browser has few connections to one
// server, for all tabs together.
async function whileShown(send, signal) {
  const one = new AbortController();
  const end = () => (signal.aborted || document.visibilityState !== "visible") && one.abort();
  document.addEventListener("visibilitychange", end);
  signal.addEventListener("abort", end);
  try {
    return await send(one.signal);
  } catch (error) {
    if (one.signal.aborted) return null;
    throw error;
  } finally {
    document.removeEventListener("visibilitychange", end);
    signal.removeEventListener("abort", end);
  }
}

// Whether the user is selecting text, which a new reading would take away.
const isUsed = () => Boolean(getSelection()?.toString());

async function watch(ns, read, state, signal, least) {
  let since = "";
  let isRead = false;
  while (!signal.aborted) {
    await shown(signal);
    try {
      const changed = await whileShown((until) => changes(ns, since, until), signal);
      if (!changed) continue;
      const { version } = changed;
      state("live");
      if (version !== since && !(isRead && isUsed())) {
        await read();
        [isRead, since] = [true, version];
      }
      await pause(least, signal);
    } catch {
      since = "";
      for (let i = 0; i < RETRY && !signal.aborted; ++i) {
        state("polls");
        if (isRead) await pause(AGAIN, signal);
        await shown(signal);
        if (!signal.aborted && !(isRead && isUsed())) await read();
        isRead = true;
      }
    }
  }
}

// Calls `read` now and after each change of the decisions in the namespace ("": in all), until the returned function is called.
// `state` gets "live" or "polls". `least`: milliseconds between two readings.
export function live(ns, read, state, least = LEAST) {
  const stop = new AbortController();
  watch(ns, read, state, stop.signal, least);
  return () => stop.abort();
}

// Whether reading again cannot help.
export const isFinal = (error) => error.status === 401 || error.status === 403;

export const liveWords = (state) => (state === "live" ? "live" : state === "polls" ? "read every 5 seconds" : "");
