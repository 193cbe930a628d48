/** Runs scenarios of Host.cs by their names. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Socket } from 'node:net'
import { built, builtForBrowser } from './build.ts'
import { type Ended, runProgram, startProgram } from './mono.ts'

/** The platforms of the scenarios. In brief, UnityWebRequest is tried where it has one thread alone. */
export const platforms = process.env.PROVE_AMOUNT ? ['dotnet', 'unity', 'browser'] : ['dotnet', 'browser']

export const programOf = async (platform: string) =>
  platform === 'browser' ? builtForBrowser() : built('tests.exe')

/** Runs a scenario in a process of its own. `kill`: see `runProgram`. */
export const runAlone = async (
  scenario: string,
  words: string[],
  kill: Parameters<typeof runProgram>[2] = {},
) => runProgram(await programOf(words[0] ?? ''), [scenario, ...words], kill)

/** The hosts that wait for a scenario, by their programs. */
const waiting = new Map<string, ChildProcessWithoutNullStreams>()

/** Starts a host, which ends with the process that started it, and keeps it from nothing. */
function startHost(program: string): ChildProcessWithoutNullStreams {
  const host = startProgram(program, [])
  for (const pipe of [host, host.stdin, host.stdout, host.stderr])
    if (pipe instanceof Socket || pipe === host) pipe.unref()
  return host
}

/**
 * Runs a scenario on a platform in a process that has run others before: by then most of its code is compiled. Returns what it printed.
 *
 * @throws Error with what it printed, when it has failed
 */
export async function play(platform: string, scenario: string, ...words: string[]): Promise<string> {
  const program = await programOf(platform)
  const host = waiting.get(program) ?? startHost(program)
  waiting.delete(program)
  const { printed, code } = await answerOf(host, [scenario, platform, ...words])
  if (code === 0 && !waiting.has(program)) waiting.set(program, host)
  else host.kill('SIGKILL')
  if (code !== 0) throw new Error(printed)
  return printed
}

/** Has a host run a scenario: a line of its input. It prints the exit code behind what the scenario prints. */
function answerOf(host: ChildProcessWithoutNullStreams, words: string[]): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  let printed = ''
  const read = (text: string) => {
    printed += text
    const [end, code] = /ended with (\d+)\n/.exec(printed) ?? []
    if (end !== undefined) resolve({ printed: printed.replace(end, ''), code: Number(code) })
  }
  const died = () => reject(new Error(`The host has died:\n${printed}`))
  host.stdout.on('data', read)
  host.stderr.on('data', read)
  host.on('close', died)
  host.stdin.write(`${words.join('\t')}\n`)
  return promise.finally(() => {
    host.stdout.off('data', read)
    host.stderr.off('data', read)
    host.off('close', died)
  })
}
