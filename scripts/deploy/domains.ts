/**
 * Checks the domains before anything is changed. Without a terminal wrangler takes a domain from another Worker and replaces
 * DNS records without asking (workers-sdk #13925). It also removes each domain of the Worker that the configuration lacks,
 * with its DNS record.
 */
import { z } from 'zod'
import { ApiFailed, CloudflareApi } from './api.ts'
import type { Deployment } from './deployment.ts'
import { domainsOf } from './settings.ts'
import { note, type Step, Stopped } from './step.ts'

const Domain = z.object({ id: z.string(), hostname: z.string(), service: z.string() })
const Zone = z.object({ id: z.string(), name: z.string(), status: z.string() })
type Zone = z.output<typeof Zone>
const Route = z.object({ pattern: z.string(), script: z.string().nullish() })
const DnsRecord = z.object({ type: z.string(), name: z.string(), content: z.string().default('') })

/** The types of DNS records that attaching a domain replaces. */
const REPLACED = ['A', 'AAAA', 'CNAME', 'NS']

/** Refuses a domain that belongs to another Worker, has DNS records, is in no zone of the account, or would be removed. */
export function domains(deployment: Deployment): Step {
  const { settings, file, wrangler } = deployment
  const wanted = domainsOf(settings)
  return {
    name: 'Domains',
    remedy: 'Nothing has been changed.',
    doneMessage: wanted.length === 0 ? 'none: workers.dev' : wanted.join(', '),
    plan: async () => {
      if (wanted.length === 0 || !deployment.isLoggedIn) return []
      const api = await CloudflareApi.as(wrangler)
      const ofAccount = `/accounts/${wrangler.account_id}/workers/domains`
      const known = await api.list(Domain, ofAccount)
      for (const { hostname, service, id } of known) {
        if (wanted.includes(hostname) && service !== settings.name)
          throw new Stopped(
            `${hostname} is a domain of the Worker ${service}.`,
            `Take it from ${service} first: in the dashboard (the Worker, Settings, Domains & Routes). Or choose another domain in ${file}.`,
          )
        if (!wanted.includes(hostname) && service === settings.name)
          throw new Stopped(
            `${hostname} is a domain of ${service}, and ${file} lacks it: the deployment would remove it, with its DNS record.`,
            `Add it to "domain" in ${file}, which takes a list. If it is to go, remove it first: in the dashboard, or DELETE ${ofAccount}/${id} of Cloudflare's API.`,
          )
      }
      for (const host of wanted) {
        const isOwn = known.some(({ hostname }) => hostname === host)
        const zone = await zoneOf(api, wrangler.account_id, settings.zone, host)
        if (isOwn) note(`${host} is the Worker's already`)
        else await refuseTaken(api, deployment, host, zone)
        if (zone) await noteRoutes(api, zone, host)
      }
      return []
    },
  }
}

async function refuseTaken(
  api: CloudflareApi,
  { settings, file, wrangler: { account_id } }: Deployment,
  host: string,
  zone: Zone | undefined,
): Promise<void> {
  if (zone === undefined)
    throw new Stopped(
      `No zone of the account ${account_id} holds ${host}${settings.zone === undefined ? '' : `: there is no zone ${settings.zone}`}.`,
      `Add the zone in the dashboard first, or correct "domain" and "zone" in ${file}. A token needs the right Zone: Zone: Read.`,
    )
  if (zone.status !== 'active')
    throw new Stopped(
      `The zone ${zone.name} is ${zone.status}, not active.`,
      `Have its registrar name Cloudflare's name servers, and wait until the dashboard shows the zone as active.`,
    )
  const records = await recordsOf(api, zone, host)
  const taken = records.filter(({ name, type }) => name === host && REPLACED.includes(type))
  if (taken.length > 0)
    throw new Stopped(
      `${host} has DNS records, which the deployment would replace: ${taken.map(({ type, content }) => `${type} ${content}`).join(', ')}.`,
      `Remove them in the dashboard when nothing needs them, or choose another domain in ${file}.`,
    )
  note(`${host} is free in the zone ${zone.name}`)
}

/** The zone of a host: the one that the settings name, or the one with the longest matching name. */
async function zoneOf(api: CloudflareApi, account_id = '', zone: string | undefined, host: string) {
  const labels = host.split('.')
  const above = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
  for (const name of zone === undefined ? above : [zone]) {
    const [found] = await api.list(Zone, '/zones', { name, 'account.id': account_id })
    if (found) return found
  }
  return undefined
}

async function recordsOf(api: CloudflareApi, zone: Zone, host: string) {
  try {
    return await api.list(DnsRecord, `/zones/${zone.id}/dns_records`, { name: host })
  } catch (error) {
    if (!(error instanceof ApiFailed && error.isForbidden)) throw error
    throw new Stopped(
      `The login may not read the DNS records of ${zone.name}, so the deployment might replace one of ${host}.`,
      `Set CLOUDFLARE_API_TOKEN to a token with the right Zone: DNS: Read, which wrangler login does not give. Or attach ${host} to the Worker in the dashboard (the Worker, Settings, Domains & Routes; deploy without "domain" first if there is no Worker yet), which replaces nothing. Then run the command again.`,
    )
  }
}

/** Notes the routes of the zone that take requests of the host before its Worker. They may be intended. */
async function noteRoutes(api: CloudflareApi, zone: Zone, host: string): Promise<void> {
  try {
    const routes = await api.list(Route, `/zones/${zone.id}/workers/routes`)
    for (const { pattern, script } of routes.filter((route) => isFor(route.pattern, host)))
      note(`Attention: the route ${pattern} gives requests of ${host} to ${script ?? 'no Worker'} first.`)
  } catch (error) {
    if (!(error instanceof ApiFailed && error.isForbidden)) throw error
    note(`The routes of ${zone.name} may not be read: one of them may take requests of ${host} first.`)
  }
}

/** Whether a route's pattern, as in `*game.example/*`, is for a host. */
function isFor(pattern: string, host: string): boolean {
  const [, wildcard, name = ''] = /^(?:https?:\/\/)?(\*?)([^/]*)/.exec(pattern) ?? []
  return wildcard ? host.endsWith(name) : host === name
}
