import { readdirSync, readFileSync } from 'node:fs'

/**
 * How long the runtime, a child of this process, has kept CPUs busy so far, in milliseconds. Undefined where the
 * kernel doesn't tell (/proc is Linux only). The wall clock also counts what the machine does for others.
 */
export function runtimeCpuMs(): number | undefined {
  try {
    const runtimes = threadsOf(process.pid)
      .flatMap((thread) => readFileSync(`${thread}/children`, 'utf8').trim().split(' '))
      .filter((pid) => pid && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'workerd')
    if (runtimes.length === 0) return undefined
    const times = runtimes.flatMap(threadsOf).map((thread) => readFileSync(`${thread}/schedstat`, 'utf8'))
    return times.reduce((sum, time) => sum + Number(time.split(' ')[0]), 0) / 1e6
  } catch {
    return undefined
  }
}

/** Where the kernel tells of each thread of a process (proc(5)). */
function threadsOf(pid: number | string): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
}
