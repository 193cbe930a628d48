/**
 * The `wrangler` on the PATH of a deployment under test: a short script, which hands each call to the stand-in in the tests' own
 * process. A process of Node for each of the fourteen calls of a deployment would take most of its time.
 */
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { answer, type Call } from './stand-in.ts'
import { KilledMeanwhile } from './stand-in-d1.ts'

/** It sends its arguments, its input and the numbers of its parent and itself, and prints the answer: a line with the code, and text. */
const script = (port: number) => `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
IFS= read -r -d '' input
printf '%s\\0' $# "$@" "$input" "$WRANGLER_OUTPUT_FILE_PATH" $PPID $$ >&3
read -r code <&3
if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
exit "\${code:-1}"
`

/** Puts `wrangler` into a folder. It answers from the account in this file, until the returned server is closed. */
export async function putWrangler(folder: string, account: string): Promise<Server> {
  const server = createServer((socket) => {
    let sent = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      sent += piece
      const call = callIn(sent.split('\0'))
      if (call) socket.end(ended(account, call))
    })
    socket.on('error', () => {}) // the script was killed
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The stand-in does not listen.')
  const command = join(folder, 'wrangler')
  writeFileSync(command, script(address.port))
  chmodSync(command, 0o755)
  return server
}

interface Sent extends Call {
  /** The processes of the deployment and of the script. */
  pids: number[]
}

/** The call, once all of it has arrived: the number of its arguments, these, and four more fields, each with a NUL behind it. */
function callIn([count = '', ...fields]: string[]): Sent | undefined {
  const args = fields.slice(0, Number(count))
  const [input, report, parent, own, ...rest] = fields.slice(args.length)
  if (input === undefined || report === undefined || rest.length === 0) return undefined
  return { args, input, report, pids: [Number(parent), Number(own)] }
}

/** What the script reads. A mistake in the stand-in fails the call, with its stack. */
function ended(account: string, { pids, ...call }: Sent): string {
  try {
    const { code, text } = answer(account, call)
    return `${code}\n${text}\n`
  } catch (error) {
    if (error instanceof KilledMeanwhile) for (const pid of pids) process.kill(pid, 'SIGKILL')
    return `1\n${error instanceof Error ? error.stack : error}\n`
  }
}
