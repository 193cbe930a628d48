import { type ParseArgsConfig, parseArgs } from 'node:util'

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

/**
 * The options of a command, and its other arguments if it takes any. Prints its usage and ends the process with --help; refuses
 * what it does not take.
 */
export function readArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
  { takesOthers = false } = {},
) {
  const help = { type: 'boolean', short: 'h', default: false } as const
  const read = () => parseArgs({ allowPositionals: takesOthers, options: { ...options, help } })
  const { values, positionals } = orRefuse(read, usage)
  if ('help' in values && values.help) {
    console.log(usage)
    process.exit(0)
  }
  return { values, positionals }
}
