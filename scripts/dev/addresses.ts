/** Finds free ports and network addresses for the development server. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPrivateHost } from '../../src/platform/config/development.ts'

/** Whether a port is free at `ip`; for localhost, in IPv4 and IPv6, because wrangler listens on both. */
export async function isFree(port: number, ip: string): Promise<boolean> {
  const hosts = ip === 'localhost' ? ['127.0.0.1', '::1'] : [ip]
  const free = await Promise.all(hosts.map((host) => canListen(port, host)))
  return !free.includes(false)
}

async function canListen(port: number, host: string): Promise<boolean> {
  const probe = createServer().listen(port, host)
  try {
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
    return true
  } catch (error) {
    // A machine without IPv6 has no listeners there.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
  }
}

/** The first free port after `port`; 0 when there is none. */
export async function nextFree(port: number, ip: string): Promise<number> {
  for (let next = port + 1; next <= 65_535; next++) if (await isFree(next, ip)) return next
  return 0
}

/** This machine's IPv4 addresses in private networks. In development the service answers on no others (`isPrivateHost`). */
export function networkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .filter(isPrivateHost)
}

/** Whether the server listens on every address of this machine. */
export function isEverywhere(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::' || ip === '*'
}

/** Whether the server listens for this machine alone. */
export function isThisMachine(ip: string): boolean {
  return ['localhost', '127.0.0.1', '::1'].includes(ip)
}
