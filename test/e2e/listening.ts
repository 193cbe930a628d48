import { readdir, readFile, readlink } from 'node:fs/promises'

interface Listener {
  port: number
  /** Whether only this machine can connect. */
  isLoopback: boolean
}

/** What processes listen on, on Linux. */
export async function listening(pids: number[]): Promise<Listener[]> {
  const own = new Set((await Promise.all(pids.map(socketsOf))).flat())
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')))
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTEN)
    .filter(([, , , , , , , , , inode = '']) => own.has(inode))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':')
      return { port: Number.parseInt(port, 16), isLoopback: LOOPBACK.test(address) }
    })
}

const LISTEN = '0A'
/** 127.0.0.0/8 and ::1, as the kernel writes them: words in hexadecimal, the least significant byte first. */
const LOOPBACK = /^(?:.{6}7F|0{24}01000000)$/i

/** The inodes of a process's sockets. */
async function socketsOf(pid: number): Promise<string[]> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
  return links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '').filter((inode) => inode !== '')
}
