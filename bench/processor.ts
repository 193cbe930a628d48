import { readdirSync, readFileSync } from 'node:fs'

/**
 * The CPU time so far of the runtime, a child of this process, in milliseconds. Unlike wall time it leaves other processes
 * out. Undefined without /proc, which only Linux has.
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

/** The /proc folders of the threads of a process (proc(5)). */
function threadsOf(pid: number | string): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
}
