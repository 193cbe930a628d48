declare global {
  /** Vitest's console, which all files of a runtime share. */
  var vitestConsole: Console | undefined
}

/** Prints what a file logs, except a line for each request: these would hide the output of a failing test. */
export function unmute(): void {
  if (globalThis.vitestConsole) {
    globalThis.console = globalThis.vitestConsole
    return
  }
  globalThis.vitestConsole = console
  const print = console.log
  console.log = (...values: unknown[]) => {
    if (!String(values[0]).startsWith('{"message":"request"')) print(...values)
  }
}

/**
 * Drops what is logged until `unmute`. Vitest waits until each line of a file has arrived, and the plugin sends a line of an object
 * or of `waitUntil` with the file's next message: a line after the last message never arrives, and the run does not end
 * (https://github.com/cloudflare/workers-sdk/issues/15719).
 */
export function mute(): void {
  globalThis.console = new Proxy(console, { get: () => () => {} })
}
