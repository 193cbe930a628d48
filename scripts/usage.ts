/** Ends the command: its arguments can't be used. Says why, and then how it is used. */
export function refuse(reason: string, usage: string): never {
  console.error(`${reason}\n${usage}`)
  process.exit(2)
}

/** What `parse` makes of the arguments. Ends the command when it throws. */
export function orRefuse<Parsed>(parse: () => Parsed, usage: string): Parsed {
  try {
    return parse()
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), usage)
  }
}
