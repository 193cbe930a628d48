/** Ends the process with code 2, after printing why the arguments are wrong and how the command is used. */
export function refuse(reason: string, usage: string): never {
  console.error(`${reason}\n${usage}`)
  process.exit(2)
}

/** The result of `parse`. Calls `refuse` with the error's message when it throws. */
export function orRefuse<Parsed>(parse: () => Parsed, usage: string): Parsed {
  try {
    return parse()
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), usage)
  }
}
